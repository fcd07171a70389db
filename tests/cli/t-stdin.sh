#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# "-" is standard input, for whatever reads one protocol or one file of measurements: the answer is that of the file, under
# another name.
. "$(dirname "$0")/tap.sh"
recorded=$PWD/examples/token_ring/recorded
cd "$scratch" || exit 1
protocol=$specs/lock.tp
piped() { # FILE, arguments of the program
  local input=$1
  shift
  last="$* <$input"
  "$program" "$@" >out 2>err <"$input"
  status=$?
}
# What differs: the name, processor seconds, which obligation took longest, how fast this machine counts. Everything else is compared.
same_answer() { # FILE, then the arguments with - for it
  local input=$1 argument with=()
  shift
  for argument in "$@"; do
    [ "$argument" = - ] && argument=$input
    with+=("$argument")
  done
  run "${with[@]}"
  local expected=$status
  plain() { sed -E "s|$input|<stdin>|g; s/[0-9]+\.[0-9]+ s/SECONDS/g; s/\"[a-z_]*(seconds|_ms)\": ?[0-9.e-]+/SECONDS/g; s/\"worst\": ?\"[^\"]*\"/SLOWEST/g" | tr -s ' \n' ' '; }
  plain <out >out.file
  plain <err >err.file
  piped "$input" "$@"
  plain <out >out.input
  plain <err >err.input
  last="$* <$input, and with the file: $(diff out.file out.input | head -n 6) $(diff err.file err.input | head -n 6)"
  check "${title:-$1 -}" '[ "$status" -eq "$expected" ] && [ "$status" -lt 64 ]' 'cmp -s out.file out.input' 'cmp -s err.file err.input' \
    '[ -s out.input ]' '! grep -qE "(^| )-:" out.input err.input'
}

ring=(--bound full_circle --set n=4 --data "$recorded")
same_answer "$protocol" check - --json
same_answer "$protocol" verify -
title="verify --infer -" same_answer "$protocol" verify --infer --json -
same_answer "$protocol" bound - --bound full_circle --set n=3
same_answer "$protocol" percentiles - "${ring[@]}" -p 50,99
same_answer "$protocol" plan - "${ring[@]}" -p 99.99 --budget 60s
same_answer "$protocol" audit - --data "$recorded"
title="compare --protocol -" same_answer "$protocol" compare --protocol - --bound full_circle --set n=4 -p 50 "$recorded" "$recorded"

piped "$protocol" certify - --out certificate
check "certify -" 'exits 0' 'out "96 obligations of 1 protocol"'
piped "$protocol" certify --check certificate --with z3 --every 16 -
check "certify --check DIR -: they are the protocol's" 'exits 0' 'said "0 differences from the obligations"'
piped "$specs/raft.tp" certify --check certificate --with z3 --every 16 -
check "and not another's" '[ "$status" -ne 0 ]'

title="--observed -" same_answer "$recorded/round.tph" percentiles "$protocol" "${ring[@]}" -p 50 --observed -
cp "$recorded/round.tph" other.tph
title="compare - B" same_answer "$recorded/round.tph" compare - other.tph -p 50
title="compare A -" same_answer "$recorded/round.tph" compare other.tph - -p 50 --json
run percentiles "$protocol" "${ring[@]}" -p 50 --save ring.law
cp ring.law other.law
title="compare of a saved law -" same_answer ring.law compare - other.law -p 50
gzip -k -c ring.law >pressed.gz
piped pressed.gz compare - ring.law -p 50
check "compressed as well" 'exits 0'
{
  echo "request,Grant.0_ns,d.Transfer.1_ns,Accept.0_ns"
  for i in $(seq 400); do echo "$i,$((1000 + i)),$((2000 + i * 7 % 90)),$((500 + i % 11))"; done
} >rows.csv
title="--joint -" same_answer rows.csv percentiles "$protocol" --bound full_circle --set n=1 --joint - -p 50

cat >lap <<'END'
node[0] action node.Grant 7 1000000 1010000
node[0] send Transfer 7 1010000 1 1
node[1] arrive Transfer 7 1010000 1110000 1
node[1] action node.Accept 7 1110000 1115000 1
node[1] action node.Grant 7 1115000 1125000
node[1] send Transfer 7 1125000 2 0
node[0] arrive Transfer 7 1125000 1235000 2
node[0] action node.Accept 7 1235000 1240000 2
node[0] request round 7 1000000 1240000
END
"${program%/*}/tests/tools/script_stores" laps <lap
same_answer "$protocol" replay - laps --set n=2

printf 'latency_us\n12\nlots\n' >bad.csv
piped bad.csv compare - "$recorded/round.tph"
check "a mistake has its place" 'exits 65' 'quiet_out' 'err "<stdin>:3:1: "'
piped "$protocol" percentiles - "${ring[@]}" --observed -
check "only once on a command line" 'exits 64' 'quiet_out' '[ "$(wc -l <err)" -eq 1 ]' 'err "standard input is named more than once"'
for twice in 'check - -' 'compare - -' "compare --protocol - - $recorded/round.tph"; do
  # shellcheck disable=SC2086
  piped "$protocol" $twice
  check "$twice" 'exits 64' 'quiet_out' 'err "let one of them be a file"'
done
printf '#!/bin/sh\necho "$@"\n' >says
chmod +x says
run record --out stores -- ./says - -
check "what belongs to another program is its own" 'grep -qx -- "- -" out err'
finish
