#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Two measurements, folders of them, laws, or a bound with two folders held against each other: what
# is slower is found, what is not is not, and what the data cannot tell is said so.
. "$(dirname "$0")/tap.sh"
cd "$scratch" || exit 1
recorded=$(dirname "$specs")/examples/token_ring/recorded

# N rows, in us, spread evenly from BASE to 2 BASE, times FACTOR, in another order in each file
seed=0
sample() { # file, rows, base, factor
  awk -v n="$2" -v base="$3" -v factor="$4" 'BEGIN {
    print "latency_us"
    for (i = 0; i < n; i++) printf "%.3f\n", factor * base * (1 + (i * 377 % 1000 + int(i / 1000) / 64) / 1000)
  }' | shuffled $((seed = seed % 9 + 1)) >"$1"
}
verdicts() { # p, verdict: all rows of that percentile have it, and there are some
  json "[.[] | select(.kind == \"compared\" and .p == \"$1\") | .verdict] | length > 0 and all(. == \"$2\")"
}

# --- files ---------------------------------------------------------------------------------------
sample a.csv 20000 100 1
sample again.csv 20000 100 1
sample slower.csv 20000 100 1.3
sample few.csv 30 100 1
run compare a.csv slower.csv --json -p 50,90
check "a law 30 % slower is found slower at every percentile" 'exits 1' 'quiet_err' 'json_lines' \
  'verdicts 50 slower' 'verdicts 90 slower' \
  'json "[.[] | select(.kind == \"compared_summary\")] == [{\"kind\": \"compared_summary\", \"a\": \"a.csv\", \"b\": \"slower.csv\", \"verdict\": \"slower\", \"only_one_has\": []}]"'
check "every range holds the true quantile, and the ratio the true one" \
  'json "[.[] | select(.kind == \"compared\" and .p == \"50\")][0] |
     (.a_lower_ns | tonumber) <= 150000 and (.a_upper_ns | tonumber) >= 149900 and
     (.b_lower_ns | tonumber) <= 195000 and (.b_upper_ns | tonumber) >= 194870 and
     (.ratio_least | tonumber) < 1.3 and (.ratio_most | tonumber) > 1.3 and
     (.ratio_least | tonumber) > 1.2 and (.ratio_most | tonumber) < 1.4"'
check "so is a point where it shows" \
  'json "[.[] | select(.kind == \"gap\")] | length == 1 and .[0].slower == \"B\" and (.[0].slower_least | tonumber) > (.[0].faster_most | tonumber)"'
check "the ledger says what it rests on" \
  'json "[.[] | select(.kind == \"assumption\") | .text] | join(\" \") | contains(\"20000 observations in a.csv are independent\") and contains(\"hold together with confidence 0.99\")"'
run compare slower.csv a.csv --json -p 50,90
check "the other way round it is faster" 'exits 0' 'verdicts 50 faster' 'verdicts 90 faster' \
  'json "[.[] | select(.kind == \"gap\") | .slower] == [\"A\"]"'
run compare a.csv again.csv --json
check "a law is not slower than itself" 'exits 0' 'verdicts 50 "no difference shown"' \
  'verdicts 99.9 "no difference shown"' 'json "all(.kind != \"gap\")"'
run compare a.csv again.csv --margin 1.1 --json -p 50
check "that it is not by more than a tenth is shown" 'exits 0' 'verdicts 50 "within the margin"'
run compare a.csv slower.csv --margin 1.1 --json -p 50
check "30 % are more than the margin" 'exits 1' 'verdicts 50 slower'
run compare a.csv slower.csv --margin 1.5 --json -p 50
check "30 % are less than a margin of a half" 'exits 0' 'verdicts 50 "within the margin"'
run compare a.csv slower.csv --margin 1.3 --json -p 50
check "30 % against 30 % cannot be told" 'exits 2' 'verdicts 50 "not decidable"'
run compare few.csv a.csv --json -p 50,99.9
check "with few observations p99.9 cannot be told" 'exits 2' 'verdicts 99.9 "not decidable"' \
  'json "[.[] | select(.p? == \"99.9\")][0] | .a_upper_ns == \"infinite\" and .ratio_least == \"0.000\""'
run compare a.csv slower.csv
check "as text" 'exits 1' 'quiet_err' 'out "A is a.csv"' 'out "B is slower.csv"' 'out "A: 20000 observations"' \
  'grep -qE "^  p50 .* us \.\. .* us .* slower$" out' 'out "B is slower around"' 'out "standard assumptions"' \
  '[ "$(awk "/^  p/ && length > most { most = length } END { print most }" out)" -le 100 ]'

# --- observations that depend on their neighbours --------------------------------------------------
# Two series of one law, AR(1) with 0.99: each value is 0.99 times the one before plus noise, around 100 us. 2000 of them
# wander so slowly that two series differ far more than 2000 independent observations would.
autoregressive() { # seed, rows, coefficient, what is added at the end
  awk -v seed="$1" -v n="$2" -v rho="${3:-0.99}" -v more="${4:-0}" '
    function uniform() { x = x * 16807 % 2147483647; return x / 2147483647 }
    BEGIN {
      x = 1
      for (i = 0; i < 100000 * seed; i++) uniform()
      print "latency_us"
      for (i = -1000; i < n; i++) {
        noise = -6
        for (k = 0; k < 12; k++) noise += uniform()
        state = rho * state + noise
        if (i >= 0) printf "%.3f\n", 100 + state + more
      }
    }'
}
for seed in 1 3 5 7; do
  autoregressive $seed 2000 >wandering.csv
  autoregressive $((seed + 1)) 2000 >also.csv
  run compare wandering.csv also.csv --json
  check "one law, series $seed and $((seed + 1)): no difference is shown, and why is said" 'exits 0 || exits 2' \
    'json "[.[] | select(.kind == \"compared\") | .verdict] | length == 4 and all(. != \"slower\" and . != \"faster\")"' \
    'json "all(.kind != \"gap\")"' 'err "warning: the observations in wandering.csv are not independent"' 'err "also.csv are not independent"'
done
for name in Grant Accept d; do
  mkdir -p wander other
  autoregressive $((seed = seed % 9 + 1)) 2000 >wander/$name.csv
  autoregressive $((seed = seed % 9 + 1)) 2000 >other/$name.csv
done
run compare wander other --json -p 50,90
check "folders of such: neither" 'exits 0 || exits 2' 'json "[.[] | select(.kind == \"compared\") | .verdict] | length == 6 and all(. != \"slower\" and . != \"faster\")"' \
  'err "wander/Grant.csv are not independent"' 'err "other/d.csv are not independent"'
run compare wander other --protocol "$specs/lock.tp" --bound full_circle --set n=2 --set hops=0 --json -p 50,90
check "nor a bound of them" 'exits 0 || exits 2' 'json "[.[] | select(.kind == \"compared\") | .verdict] | length == 2 and all(. != \"slower\" and . != \"faster\")"' \
  'err "wander/Grant.csv are not independent"' 'err "other/d.csv are not independent"'
run compare wandering.csv also.csv --json -p 50 --exchangeable
check "whoever says that the order means nothing gets what they ask for" 'exits 1' 'quiet_err' 'verdicts 50 slower'
autoregressive 1 20000 0.9 >wandering.csv
autoregressive 2 20000 0.9 40 >also.csv
run compare wandering.csv also.csv --json -p 50,90
check "a true difference is found in spite of it" 'exits 1' 'verdicts 50 slower' 'verdicts 90 slower' 'err "all 20000 are worth about"'

# --- folders -------------------------------------------------------------------------------------
mkdir old new
for name in Grant Accept d; do
  sample old/$name.csv 20000 100 1
  sample new/$name.csv 20000 100 "$([ $name = d ] && echo 1.3 || echo 1)"
done
sample new/extra.csv 5 1 1
echo 4 >new/nodes
run compare old new --json -p 50
check "components are matched by their names" 'exits 1' 'quiet_err' \
  'json "[.[] | select(.kind == \"compared\") | [.component, .verdict]] == [[\"Accept\", \"no difference shown\"], [\"Grant\", \"no difference shown\"], [\"d\", \"slower\"]]"' \
  'json "[.[] | select(.kind == \"compared_summary\")][0].only_one_has == [\"extra\"]"'
run compare old new -p 50
check "what only one folder has is said" 'out "extra: only one of the folders has it"'
gzip new/Accept.csv
run compare old new -p 50 --json
check "compressed or not" 'exits 1' 'json "[.[] | select(.kind == \"compared\")] | length == 3"'

# --- a bound -------------------------------------------------------------------------------------
ring=(--protocol "$specs/lock.tp" --bound full_circle --set n=4)
run compare old new "${ring[@]}" --json -p 50
check "a bound is compared by evaluating it with each folder" 'exits 1' 'verdicts 50 slower' \
  'json "[.[] | select(.kind == \"bound\") | .verdict] == [\"proved\"]"' \
  'json "[.[] | select(.kind == \"compared\")][0] | (.a_lower_ns | tonumber) <= (.a_upper_ns | tonumber) and .component == null"'
run compare old old "${ring[@]}" --json -p 50
check "and is not slower than itself" 'exits 0' 'verdicts 50 "no difference shown"'

# --- saved laws ----------------------------------------------------------------------------------
# of the first version, with tails in units of 2^-61, on the grid 0, 4096, 8192 ... ns: constants, in upper and lower form
law() { # file, points below the value
  {
    printf 'tailproof-law 1\n# model: made by hand\ngrid linear 12 100\n'
    for side in upper lower; do
      printf 'side %s\n%s 2305843009213693952\n%s 0\n' $side "$2" "$((100 - $2))"
    done
  } >"$1.part"
  { cat "$1.part"; printf 'checksum %s\n' "$(sha256sum <"$1.part" | cut -d' ' -f1)"; } >"$1"
}
law ten.law 10
law twelve.law 12
run compare ten.law twelve.law --json -p 50,99.9
check "saved laws are exact where they were" 'exits 1' 'quiet_err' 'verdicts 50 slower' 'verdicts 99.9 slower' \
  'json "[.[] | select(.kind == \"compared\")][0] | .a_lower_ns == \"40960\" and .a_upper_ns == \"40960\" and .b_upper_ns == \"49152\" and .ratio_least == \"1.199\" and .ratio_most == \"1.201\""' \
  'json "[.[] | select(.kind == \"assumption\") | .text] | any(. == \"ten.law: model: made by hand\")"'
run compare twelve.law twelve.law --margin 1 --json -p 50
check "a constant is at most itself" 'exits 0' 'verdicts 50 "within the margin"'
run compare ten.law a.csv --json -p 50
check "a law and a measurement" 'exits 1' 'verdicts 50 slower'
run percentiles "$specs/lock.tp" --bound full_circle --set n=4 --data old --save old.law --json -p 50,99
cp out calculated
run percentiles "$specs/lock.tp" --bound full_circle --set n=4 --data new --save new.law --json
run compare old.law new.law --json -p 50,99
ends() { jq -sr '.[] | select(.p? and (.upper_ns? or .a_upper_ns?)) | "\(.p) \(.lower_ns // .a_lower_ns) \(.upper_ns // .a_upper_ns)"' "$@"; }
check "a saved law holds at all points, so each percentile that was printed is inside" 'exits 1' 'verdicts 50 slower' \
  'paste -d" " <(ends calculated) <(ends out) | awk "{ n++; if (\$1 != \$4 || \$2 < \$5 || \$3 > \$6 || \$6 > 1.02 * \$3) bad++ } END { exit bad || n != 2 }"' \
  'json "[.[] | select(.kind == \"assumption\") | .text] | any(test(\"^old.law rests on the [0-9]+ assumptions\"))"'
run percentiles "$specs/lock.tp" --bound full_circle --set n=4 --data old --confidence 0 --save old.law --json -p 50,99
cp out calculated
run compare old.law new.law --json -p 50,99
check "where samples are the whole truth, what percentiles saved is what it printed" '[ "$(ends calculated | wc -l)" -eq 2 ]' \
  'diff <(ends calculated) <(ends out)'
head -c -30 ten.law >cut.law
run compare ten.law cut.law
check "a saved law that was cut off is refused" 'exits 65' 'quiet_out' 'err "cut.law:"' '[ "$(wc -l <err)" -eq 1 ]'

# --- mistakes ------------------------------------------------------------------------------------
bad() { # title, exit code, words of the message
  check "$1" "exits $2" 'quiet_out' "err '$3'" '[ "$(wc -l <err)" -eq 1 ]'
}
run compare a.csv
bad "one file" 64 "file"
run compare a.csv old
bad "a file and a folder" 64 "two folders or two files"
run compare a.csv nowhere.csv
bad "a file that is not there" 66 "nowhere.csv"
run compare a.csv slower.csv --margin 0
bad "a margin of 0" 64 "--margin 0: give a factor above 0"
run compare a.csv slower.csv --confidence 0
bad "no confidence" 64 "above 0"
run compare a.csv slower.csv --bound full_circle
bad "a bound without its protocol" 64 "--protocol"
run compare a.csv slower.csv "${ring[@]}"
bad "a protocol and two files that are no tables of its occurrences" 66 "a.csv has no column for Grant.0"
run compare a.csv old "${ring[@]}"
bad "a protocol, a file and a folder" 64 "two folders or two files"
mkdir empty
run compare old empty
bad "nothing in common" 66 "no measured component in common"
run compare a.csv "$recorded/nodes"
bad "no measurement" 65 "nodes"
for option in --jobs=1 --timeout=5 --no-cache --bound=x; do
  run compare a.csv slower.csv $option
  bad "only a protocol is proved: ${option%%=*}" 64 "${option%%=*} says nothing of what is compared without --protocol; leave it out"
done

# --- few observations, and several runs ----------------------------------------------------------------
few() { echo latency_ms; for i in 1 2 3 4 5 6 7 8 9 10; do echo "$1.$((i * 7 % 10))"; done; }
few 10 >few_a.csv && few 11 >few_b.csv && few 12 >few_c.csv
run compare few_a.csv few_b.csv -p 50
check "ten against ten decide, if they are independent" 'exits 3' 'said "B tends to be slower: were both of one law, ranks at least so far apart would come with chance 1.1e-05 (exact)."' \
  'said "B is between 1.0"' 'said "Finite ends take, at least, independent observations of each: 13 for p50."'
run compare few_a.csv few_b.csv -p 50 --exchangeable --json
check "and for programs" 'exits 1' 'json "[.[] | select(.kind == \"tendency\")][0] | .chance == \"1.1e-05\" and (.factor_least | tonumber) > 1"' \
  'json "[.[] | select(.kind == \"evidence\") | .observations] == [10, 10]"'
run compare few_a.csv few_a.csv -p 50 --exchangeable
check "the same is no slower" 'exits 2' 'said "Neither is shown to be slower"'
run compare few_a.csv few_b.csv -p 50 --run A=few_c.csv --run B=few_c.csv
check "runs are read as runs" 'exits 2' 'said "A: 20 observations (worth 1) of 2 runs, B: 20 (worth 1) of 2 runs"'
run compare few_a.csv few_b.csv --run C=few_c.csv
check "a further run is of A or of B" 'exits 64' 'err "A=FILE or B=FILE"'
run compare few_a.csv few_b.csv --run A=few_a.csv
check "each run once" 'exits 65' 'err "name each run once"'
finish
