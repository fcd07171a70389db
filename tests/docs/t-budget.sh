#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Promises of teams: the commands of the pages are run, and must print what they show.
exec "$(dirname "$0")/console.py" docs/budget.md examples/teams/README.md
