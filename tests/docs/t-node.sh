#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The console blocks of the page on Node.js are run, and must print what it shows.
cd "$(dirname "$0")/../.." || exit 1
exec tests/docs/console.py docs/node.md
