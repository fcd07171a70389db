#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The console blocks of the manual are run, and must print what it shows but for the seconds.
cd "$(dirname "$0")/../.." || exit 1
exec tests/docs/console.py docs/manual.md
