#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# TAP: two tiny configurations go all the way of `make evaluate`, and a system that fails is named in
# the document.
set -u
# shellcheck source=tests/examples/common.sh
. "$(dirname "$0")/common.sh"
export PYTHONDONTWRITEBYTECODE=1

scripts/evaluate.py --quick --out "$scratch/e.md" --keep "$scratch/kept" >"$scratch/log" 2>&1
result $? "two configurations run"
grep -qE '^token_ring, 2 nodes, 0 ms +300 .* yes$' "$scratch/e.md" &&
  grep -qE '^primary_backup, 2 backups +300 .* yes$' "$scratch/e.md" &&
  grep -q '^\* Runs that follow their protocol: 2 of 2\.' "$scratch/e.md"
result $? "each has a row, and follows its protocol"

# the numbers are those that the program prints
median=$("$tailproof" percentiles specs/lock.tp --bound full_circle --set n=2 --data "$scratch/kept/0/components" \
  --observed request.round --exchangeable -p 50 --json 2>"$scratch/log" |
  jq -r 'select(.kind == "percentile") | "\(.observed_ns) \(.upper_ns)"' |
  awk '{ printf "%.3f *%.3f ", int($1) / 1e6, int($2) / 1e6 }')
grep -qE "^2 nodes, 0 ms +p50 +$(echo "$median" | sed 's/ \*/ +/')" "$scratch/e.md"
result $? "its median is what percentiles says"

# the mean of the bound's law is the sum of the means of its parts, for a sum
awk -v dir="$scratch/kept/0/components" '
  function mean(file, edge, n, sum) {
    while ((getline line < file) > 0)
      if (split(line, w, " ") >= 2 && w[1] ~ /^[0-9]+$/) { n += w[2]; sum += w[1] * w[2] }
    return sum / n
  }
  BEGIN { print 2 * (mean(dir "/Grant.tph") + mean(dir "/d.Transfer.tph") + mean(dir "/Accept.tph")) / 1e6 }' >"$scratch/log"
sed -n '/^ *mean observed/,/```/p' "$scratch/e.md" | awk -v expected="$(cat "$scratch/log")" '
  /^token_ring/ { found = $7; exit } END { exit !(found > 0.98 * expected && found < 1.02 * expected) }'
result $? "the mean of the bound is the sum of its parts' means"

# what was kept can be judged again, without running anything
scripts/evaluate.py --quick --from "$scratch/kept" --out "$scratch/again.md" >"$scratch/log" 2>&1 &&
  diff <(grep -v 'took .* minutes' "$scratch/e.md") <(grep -v 'took .* minutes' "$scratch/again.md") >>"$scratch/log"
result $? "the recordings that were kept give the same document"
rm -rf "$scratch/kept"

mkdir "$scratch/b" && cp -r "$BUILD/tailproof" "$scratch/b/" && mkdir -p "$scratch/b/examples/token_ring" &&
  ln -s "$(realpath "$BUILD/examples/token_ring/token_ring")" "$scratch/b/examples/token_ring/"
BUILD=$scratch/b scripts/evaluate.py --quick --out "$scratch/f.md" >"$scratch/log" 2>&1
[ $? -eq 70 ] && grep -q '^\*\*Primary/backup.*2 backups: did not run to its end' "$scratch/f.md" &&
  grep -qE '^token_ring, 2 nodes' "$scratch/f.md"
result $? "a configuration that fails is named, the other is judged"
echo "1..$count"
