#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Systems that people run: the commands of the page are run, and must print what it shows.
exec "$(dirname "$0")/console.py" docs/systems.md
