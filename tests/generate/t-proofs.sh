#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The table of proofs (proofs.md): its rows are of roles that there are. What has a line is proved again only if it reads
# something else.
set -u
cd "$(dirname "$0")/../.." || exit 70
. tests/tap.sh
proofs() { tests/generate/proofs.py --program "${BUILD:-build}/tailproof" --work "$scratch/work" "$@" >"$scratch/out" 2>&1; }

proofs --list
report $? "all roles are listed"
sed -n -E 's/^\| ([a-z_/]+\.tp) \| ([a-z_]+) \|.*/\1:\2/p' tests/generate/proofs.md | sort >"$scratch/rows"
cut -d' ' -f1 "$scratch/out" | sort | comm -13 - "$scratch/rows" >"$scratch/log"
[ -s "$scratch/rows" ] && [ ! -s "$scratch/log" ]
report $? "every row is of a role"
echo "# $(grep -vc ' changed$' "$scratch/out") of $(wc -l <"$scratch/out") roles are as they were measured"

small=primary_backup.tp:messages
proofs --again $small
report $? "a role is proved"
grep -qE "^primary_backup.tp messages [1-9][0-9]* 0 [0-9.]+ [0-9.]+ [0-9.]+ [0-9a-f]{12}$" "$scratch/out"
report $? "its line has all numbers"
proofs $small && [ ! -s "$scratch/out" ]
report $? "it is not proved again"
sed -E 's/[0-9a-f]{12}$/000000000000/' "$scratch/work/results" >"$scratch/log" && cp "$scratch/log" "$scratch/work/results"
proofs --list $small && grep -qx "$small changed" "$scratch/out"
report $? "it is to be, where it reads something else"
! proofs lock.tp:nobody && grep -q "no role nobody; there are: messages node" "$scratch/out"
report $? "a name of no role is refused"
finish
