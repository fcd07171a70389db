#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Waiting under load: the commands of the page are run, and must print what it shows.
exec "$(dirname "$0")/console.py" docs/load.md
