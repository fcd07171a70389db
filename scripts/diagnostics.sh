#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Prints docs/diagnostics.md, made of what the program says of its rules in SARIF; helpUri leads there.
set -eu
program=${1:-build/tailproof}
cat <<'END'
# Diagnostics and findings

Mistakes (E), warnings (W) and findings by their codes, which `--format sarif` and `--report` use. `tailproof explain E0101` prints
one. This page is made by `scripts/diagnostics.sh`.
END
empty=$(mktemp --suffix=.tp)
trap 'rm -f "$empty"' EXIT
echo 'protocol none' >"$empty"
"$program" check --format sarif "$empty" |
  jq -r '.runs[0].tool.driver.rules[] | "\n## \(.id)\n\n**\(.shortDescription.text)** (\(.defaultConfiguration.level))\n\n\(.help.markdown)"' |
  {
    code=
    while IFS= read -r line; do
      if [ "$line" = '```' ]; then
        [ -n "$code" ] && code= || code=1
      fi
      if [ -n "$code" ] || [ ${#line} -le 120 ]; then
        printf '%s\n' "$line"
      else
        fold -s -w 120 <<<"$line" | sed 's/ *$//'
      fi
    done
  } | cat -s
