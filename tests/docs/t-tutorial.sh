#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The tutorial is followed from an empty folder: its files are written, its commands run, and each prints what it shows.
cd "$(dirname "$0")/../.." || exit 1
exec tests/docs/console.py docs/tutorial.md
