#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Real programs, sampled by perf record and by profile in the same seconds: the functions with 20 samples or more have equal
# shares, but for one in twenty (names of one address differ between both). Only with TEST_ALL=1, where perf is installed.
. "$(dirname "$0")/tap.sh"
cd "$scratch" || exit 70
if [ -z "${TEST_ALL:-}" ] || ! perf record -q -e cpu-clock -F 99 -o try.data -- true >/dev/null 2>&1; then
  echo "# skip: programs are held against perf with TEST_ALL=1, where perf may sample"
  finish
  exit
fi
head -c 6000000 "$program" >data
seq 1 250000 | awk '{ print $1 * 7919 % 250007, "line", $1 }' >lines
{ echo 'int t(int x) { switch (x) {'; seq 1 6000 | awk '{ print "case " $1 ": x += t(x / " $1 ") * " $1 "; break;" }'; echo '} return x; }'; } >big.c
programs=(
  "gzip -9 -c data" "bzip2 -c data" "xz -1 -T1 -c data" "sort lines" "sha256sum data data data data data data data data"
  "python3 -c 'print(sum(hash(str(i)) % 7 for i in range(1200000)))'" "perl -e 'my %h; \$h{\$_ % 9973} .= \"x\" for 1..1500000; print scalar keys %h'"
  "awk '{ n[\$2 \$1 % 97] += length(\$0) } END { for (k in n) s += n[k]; print s }' lines" "gcc -O1 -c big.c -o big.o"
  "node -e 'let m = new Map(); for (let i = 0; i < 3e6; i++) m.set(i % 5003, (m.get(i % 5003) || 0) + i); console.log(m.size)'"
  "jq -n '[range(400000) | . * 7 % 1009] | group_by(.) | length'" "openssl speed -seconds 1 sha512" "grep -c '1.*7.*9' lines lines lines lines"
)
for command in "${programs[@]}"; do
  name=${command%% *}
  command -v "$name" >/dev/null || continue
  printf '%s\n' "$command" >run.sh
  "$program" profile --rate 499 --out ours.tpp -- perf record -q -e cpu-clock -F 499 -g -o theirs.data -- bash run.sh >/dev/null 2>&1
  "$program" profile show ours.tpp --json --full >ours
  "$program" profile show theirs.data --json --full >theirs 2>err
  jq -rn --slurpfile a ours --slurpfile b theirs '
    def functions: [.[] | select(.kind == "function" and (.name | test("^bash|0x|^\\[|^perf") | not))] | map({key: .name, value: .self}) | from_entries;
    ($a | functions) as $x | ($b | functions) as $y | ([$x[]] | add) as $n
    | ([$y | to_entries[] | .value] | add) as $whole
    | ($b[0].weight / $b[0].samples) as $each
    | [$y | to_entries[] | {name: .key, b: (.value / $whole), m: ($whole / $each), a: (($x[.key] // 0) / $n), hits: (.value / $each)} | select(.hits >= 20)]
    | .[] | ((.a * $n + .b * .m) / ($n + .m)) as $p
    | "\(((.a - .b) / (($p * (1 - $p) * (1 / $n + 1 / .m) + 1e-12) | sqrt)) | fabs | . * 100 | round / 100) \(.name) \(.a * 100 | round) \(.b * 100 | round)"' >shares
  echo "# $name: $(wc -l <shares) functions, $(awk '$1 > 3.3' shares | wc -l) beyond 3.3 sigma: $(awk '$1 > 3.3' shares | tr '\n' ';')"
  cat shares >>all
done
check "the same shares as by perf record" '[ "$(wc -l <all)" -ge 30 ]' '[ $((20 * $(awk "\$1 > 3.3" all | wc -l))) -le "$(wc -l <all)" ]'
finish
