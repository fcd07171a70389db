#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Prints docs/glossary.md, made by the program of cli/present/glossary.def.
set -eu
program=${1:-build/tailproof}
cat <<'END'
# The words of reports and manual

`tailproof explain WORD` prints one of them. This page is made by `scripts/glossary.sh` of `cli/present/glossary.def`.

END
"$program" explain --json | jq -r 'select(.kind == "term") | "**\(.word)**: \(.meaning)\n"' | fold -s -w 120 | sed 's/ *$//'
