#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The way from a folder of traces to a proved bound: its commands are run, and must print what the page shows.
cd "$(dirname "$0")/../.." || exit 1
exec tests/docs/console.py docs/traces.md
