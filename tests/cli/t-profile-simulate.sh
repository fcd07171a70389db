#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What cheaper sampling would have shown: of a made-up recording with two phases and idle threads; and mistakes.
. "$(dirname "$0")/tap.sh"

cd "$scratch" || exit 1
# 2000 Hz for 60 s: half the time in alpha, then in beta; one sample in 200 of one of 40 other threads
awk 'BEGIN {
  srand(3)
  for (i = 0; i < 120000; i++) {
    other = rand() < 0.005; u = rand()
    f = u < 0.5 ? (i < 60000 ? "alpha" : "beta") : "f" int(10 * (2 * u - 1) ^ 2)
    printf "server 10/%d %d.%06d: 1 cpu-clock:\n", other ? 20 + int(40 * rand()) : 10, 100 + i / 2000, i % 2000 * 500
    printf "\t10 %s (/srv/server)\n\t20 main (/srv/server)\n\n", f
  }
}' >recorded.txt
way() { printf '[.[] | select(.kind == "way" and .sampling == "%s")]' "$1"; }

run profile simulate recorded.txt --rate 2000 --json
check "fixed rates have the error of their number" 'exits 0' 'quiet_err' 'json_lines' \
  'json "$(way full)[0] | .spent == 1 and .relative == 1"' \
  'json "$(way fixed) | length >= 5 and all(.[]; .relative * .spent > 0.6 and .relative * .spent < 1.6)"'
check "adaption sees the change, and spends less for the same error" \
  'json "$(way adaptive)[0] | .changes >= 1 and .changes <= 3 and .spent < 0.124 and .relative < 2"' \
  'json "$(way published)[0].relative > $(way adaptive)[0].relative"'
check "a row for each window" 'json "[.[] | select(.kind == \"sampling_window\")] | length == 59 and .[0].rate == 1000 and .[-1].rate == 20"'
check "pruning" 'json "[.[] | select(.kind == \"pruning\")] | map(select(.keep == 0.99))[0].threads == 1 and (.[-1].chosen and .[-1].error <= 0.0058)"' \
  'json "[.[] | select(.kind == \"pruning\" and .keep == 1)][0] | .threads == 41 and .error == 0"'
run profile simulate recorded.txt --window 1s
check "in words" 'exits 0' 'out "full rate, 1000 Hz"' 'said "adaptive as published"' 'said "Leaving out threads: of 41"' \
  'said "the recording'"'"'s rate is taken to be 2000 samples a second"'
run profile simulate recorded.txt --rate 2000 --overhead 1% --cost 1000000 --json
check "the budget is a limit" 'exits 0' 'json "[.[] | select(.kind == \"sampling_window\")] | all(.[1:][]; .rate <= 11)"'
run profile simulate recorded.txt --full
check "windows with --full" 'exits 0' 'out "threshold"' 'out "changed"'
check "adaption that is better is not advised against" '! said "a fixed rate is better"'

# 20 threads with equal work, each below its own handler: what only callers hold is lost
awk 'BEGIN { for (i = 0; i < 20000; i++) {
  printf "w 1/%d [000] %.6f: 1 cpu-clock:\n\t10 leaf%d (/w)\n\t20 render (/w)\n", i % 20 + 1, 100 + i / 5000, i % 7
  printf "\t30 handler%d (/w)\n\t20 main (/w)\n\n", i % 4
} }' >equal.txt
run profile simulate equal.txt --rate 5000 --window 250ms --json
pruned() { printf '[.[] | select(.kind == "pruning")] | %s' "$1"; }
check "callers that only dropped threads have are in the error" 'exits 0' \
  'json "$(pruned "(.[0].threads == 10 and .[0].error > 0.2 and .[0].worst > 0.5)")"' \
  'json "$(pruned "(.[-1].chosen and .[-1].threads == 20 and .[-1].error == 0)")"'
run profile simulate equal.txt --rate 5000 --window 250ms --error 3%
check "the function that loses most is named" 'exits 0' 'said "With --keep 95% (19 of 20 threads) the error of the top 50 is at most 3.00 %: 2.50 %"' \
  'said "Most is lost of handler"'
check "a fixed rate that is better for the report is named" 'said "Over the whole run, which is what a report shows, a fixed rate is better: --rate"'

printf 'a;main;f 90\nb;main;g 10\n' >folded.txt
run profile simulate folded.txt
check "without times only pruning" 'exits 0' 'said "Leaving out threads: of 2"' '! out "full rate"' 'said "has no times of samples"'
head -30 recorded.txt >short.txt
run profile simulate short.txt
check "too short" 'exits 65' 'err "short.txt: fewer than 4 windows with samples"'
run profile simulate
check "no file" 'exits 64'
run profile simulate missing
check "a missing file" 'exits 66'
run profile simulate recorded.txt --window 5
check "a window without a unit" 'exits 64' 'err "--window 5: give a time of 1 ms or more, such as 250ms"'
run profile simulate recorded.txt --overhead 2
check "a budget without a sign" 'exits 64' 'err "--overhead 2: give a part of a processor, such as 1%"'
run profile simulate recorded.txt --error x
check "an unusable error" 'exits 64' 'err "--error x: give a share"'

finish
