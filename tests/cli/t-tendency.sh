#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `compare` by ranks: a small shift of the body that no percentile shows is seen, one law against itself is not, and
# what has no order, too few observations or a margin is dealt with as the manual says.
. "$(dirname "$0")/tap.sh"
cd "$scratch" || exit 1

# N lognormal rows (sigma 0.5), in us, around MEDIAN; each depends on the one before by MEMORY
rows() { # file, rows, median, seed, memory
  awk -v n="$2" -v median="$3" -v x="$4" -v memory="${5:-0}" '
    function uniform() { x = x * 16807 % 2147483647; return (x - 0.5) / 2147483647 }
    function normal() { return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform()) }
    BEGIN {
      print "latency_us"
      z = normal()
      while (n-- > 0) {
        printf "%.3f\n", median * exp(0.5 * z)
        z = memory * z + sqrt(1 - memory * memory) * normal()
      }
    }' >"$1"
}
buckets() { # the same as a histogram in buckets of STEP us, from stdin
  awk -v step="$1" 'NR > 1 { k = int($1 / step) + 1; n[k]++; total++; most = k > most ? k : most; sum += $1 }
    END {
      print "# TYPE t_seconds histogram"
      for (k = 1; k <= most; k++) { all += n[k]; printf "t_seconds_bucket{le=\"%.9f\"} %d\n", k * step / 1e6, all }
      printf "t_seconds_bucket{le=\"+Inf\"} %d\nt_seconds_count %d\nt_seconds_sum %.6f\n", total, total, sum / 1e6
    }'
}
tendency() { # verdict
  json "[.[] | select(.kind == \"tendency\") | .verdict] == [\"$1\"]"
}

rows a.csv 2000 1000 4711
rows same.csv 2000 1000 815
rows more.csv 2000 1100 31415
# P(b > a) is Phi(ln 1.1 / (0.5 sqrt 2)) = 0.5536
run compare a.csv more.csv --json -p 50,99
check "a tenth more of 2000 is seen by ranks, if by nothing else" 'exits 1' 'quiet_err' 'json_lines' 'tendency slower' \
  'json "[.[] | select(.kind == \"tendency\")][0] | (.least | tonumber) > 0.5 and (.least | tonumber) <= 0.5536 and (.most | tonumber) >= 0.5536"' \
  'json "[.[] | select(.kind == \"compared\") | .verdict] | all(. == \"no difference shown\")"' \
  'json "[.[] | select(.kind == \"assumption\") | .text] | any(contains(\"half of the chance of error is that of a test by ranks\"))"'
run compare a.csv more.csv
check "and said" 'exits 1' 'grep -qE "^  B tends to be slower: P\(b > a\) is at least 0.5[0-9]+ \(ties count half\).$" out'
run compare more.csv a.csv -p 50
check "the other way round B tends to be faster" 'exits 0' \
  'grep -qE "^  B tends to be faster: P\(b > a\) is at most 0.4[0-9]+ \(ties count half\).$" out'
run compare a.csv same.csv --json -p 50
check "one law is not" 'exits 0' 'tendency "no difference shown"'
run compare a.csv same.csv -p 50
check "and the interval is given" 'exits 0' 'out "Neither is shown to tend to be slower: P(b > a) is between 0.4"'
run compare a.csv more.csv --margin 1.05 --json -p 50
check "with a margin ranks say nothing, and have none of the chance of error" \
  'json "all(.kind != \"tendency\") and ([.[] | select(.kind == \"assumption\") | .text] | all(contains(\"by ranks\") | not))"'
rows few.csv 19 1000 5
run compare few.csv a.csv --json -p 50
check "nor do they of fewer than 20" 'json "all(.kind != \"tendency\")"'

# --- order ---------------------------------------------------------------------------------------
rows calm.csv 5000 1000 99 0.9
rows calm2.csv 5000 1000 77 0.9
run compare calm.csv calm2.csv --json -p 50
check "series of one law that depend on their past are not told apart" 'exits 0' 'tendency "no difference shown"'
{ echo latency_us; awk 'BEGIN { for (i = 0; i < 2000; i++) print 500 + i + (i * 7919) % 500 }'; } >rising.csv
run compare a.csv rising.csv --json -p 50
check "one that drifts has no law to compare with" 'exits 2' 'tendency "not decidable"'
run compare a.csv rising.csv -p 50
check "and that is the reason given" 'exits 2' 'said "Not decidable with these data, where it says so: observations drift or depend on each other for too long."'
run compare a.csv rising.csv --json -p 50 --exchangeable
check "unless its order means nothing" 'exits 1' 'tendency slower'

# --- histograms ----------------------------------------------------------------------------------
for name in a same more; do
  buckets 10 <$name.csv >$name.prom
  buckets 400 <$name.csv >$name-coarse.prom
done
run compare a.prom more.prom --json -p 50
check "fine buckets show it too, if their draws are independent" 'exits 3' 'tendency slower' \
  'json "[.[] | select(.kind == \"assumption\") | .text] | any(. == \"more.prom: the order of the observations is not known; they are taken as independent draws of one law\")"'
run compare a.csv same-coarse.prom --json -p 50
check "coarse buckets are not slower than the values in them" 'exits 3' 'json "[.[] | select(.kind == \"edge\") | .verdict] | length >= 8 and all(. == \"no difference shown\")"'
run compare same-coarse.prom a.csv --json -p 50
check "nor faster" 'exits 3' 'json "[.[] | select(.kind == \"edge\") | .verdict] | length >= 8 and all(. == \"no difference shown\")"'
run compare same-coarse.prom more.csv --json -p 50
check "slower at an edge that both have, in buckets that show nothing by ranks" 'exits 3' 'json "[.[] | select(.kind == \"edge\") | .verdict] | any(. == \"slower\")"'
mkdir old new
cp a.csv old/one.csv
cp more.csv new/one.csv
cp a.csv old/two.csv
cp same.csv new/two.csv
run compare old new --json -p 50
check "folders: by component" 'exits 1' \
  'json "[.[] | select(.kind == \"tendency\") | [.component, .verdict]] == [[\"one\", \"slower\"], [\"two\", \"no difference shown\"]]"'
finish
