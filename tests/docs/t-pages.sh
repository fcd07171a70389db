#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Links of the pages lead somewhere, their lines can be read, the index has them all.
exec "$(dirname "$0")/pages.py"
