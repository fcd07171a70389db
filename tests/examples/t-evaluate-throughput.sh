#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# TAP: one tiny system goes all the way of `make evaluate-throughput`; one that fails is named.
set -u
# shellcheck source=tests/examples/common.sh
. "$(dirname "$0")/common.sh"
export PYTHONDONTWRITEBYTECODE=1

timeout 2h scripts/evaluate_throughput.py --quick --seconds 1 --out "$scratch/e.md" --keep "$scratch/kept" >"$scratch/log" 2>&1
result $? "a system is predicted, and made faster"
grep -qE '^3-service chain +([0-9]+\.[0-9]+|nan) ' "$scratch/e.md" && grep -qE '^   0 % +[0-9.]+ +[0-9.]+ ' "$scratch/e.md"
result $? "it has a line of errors, and its baseline"
# On a machine without a processor to spare, the command may withhold what it would predict; the
# document and the kept results say so, then.
# level % before after with-rounds single single curve low .. high error null
awk '/^  40 %.* refused$/ { found = 1 }
     /^  40 %.*\.\./ { middle = ($3 + $4) / 2; for (i = 5; i <= NF; i++) if ($i == "..") at = i
       error = 100 * ($(at - 2) - middle) / middle - $(at + 2); found = error * error < 0.001 }
     END { exit !found }' "$scratch/e.md"
result $? "the error is that of the curve against the middle of both truths"
jq -e --rawfile text "$scratch/e.md" '.[0][0].curve["40"].throughput as $value |
  if $value == null then $text | contains("refused\n") else
    $value * 10 | round / 10 | tostring as $rounded | $text | contains($rounded) end' "$scratch/kept/results.json" >"$scratch/log" 2>&1
result $? "the curve is what the command says"
rm -rf "$scratch/kept"

mkdir -p "$scratch/b/examples/services" && ln -s "$(realpath "$BUILD/examples/services/services")" "$scratch/b/examples/services/"
BUILD=$scratch/b timeout 2h scripts/evaluate_throughput.py --quick --seconds 1 --out "$scratch/f.md" >"$scratch/log" 2>&1
[ $? -eq 70 ] && grep -q '^\*\*3-service chain: did not run to its end: .*run make' "$scratch/f.md"
result $? "a system that fails is named"

# Results of applications that are there are not measured again. What is said of them: a number right and one wrong, two ends
# that do not hold both measurements, and nothing.
mkdir "$scratch/kept"
python3 - "$scratch/kept" >"$scratch/log" 2>&1 <<'END'
import json, pathlib, sys
sys.path[:0] = ["scripts", "bench/throughput"]
import apps, evaluate_throughput_real as evaluate
both = {"kind": "prediction", "change": "a 40 %, b 12.5 %"}
assert evaluate.names([both, {"kind": "prediction", "change": "a 40 %"}, {"kind": "window", "change": "c"}])["a=40%,b=12.5%"] == both
said = {"answer": "predicted", "refused": None, "throughput": 150, "low": 140, "high": 160, "gain": 0.5, "gain_low": 0.4, "gain_high": 0.6}
ends = {"answer": "between", "refused": "why not", "low": 140, "high": 160, "gain_low": 0.4, "gain_high": 0.6}
pairs = [{"pair": "a 10 %", "truth": [149, 153], "said": said}, {"pair": "a 20 %", "truth": [180, 200], "said": said},
         {"pair": "b 10 %", "truth": [170, 172], "said": ends}, {"pair": "b 20 %", "truth": [101, 99], "said": None}]
for app in apps.APPS:
    result = {"name": app.name, "kind": app.kind, "users": 8, "truths": {"as it is": [100, 100]}, "complaint": "not known", "pairs": pairs,
              "experiments": [{"said": [{"kind": "rank", "place": 1, "service": "a", "gains": True}]}]}
    evaluate.file_of(pathlib.Path(sys.argv[1]), app, "json").write_text(json.dumps(result), encoding="utf-8")
END
result $? "results of each application are kept"
scripts/evaluate_throughput_real.py --keep "$scratch/kept" --out "$scratch/f.md" >"$scratch/log" 2>&1
result $? "they are written into the page"
n=$(ls "$scratch/kept" | wc -l)
grep -qF "| answered with a number | $((2 * n)) of $((4 * n)) (50 %) |" "$scratch/f.md" &&
  grep -qF "| intervals that hold the measured gain | $n of $((3 * n)) (33 %) |" "$scratch/f.md" &&
  grep -qF "| off, of these | $((2 * n)) of $((3 * n)) (67 %) |" "$scratch/f.md" &&
  grep -qF "measured throughput; by the gain | $n; $n |" "$scratch/f.md" && grep -qF "gains most | $n of $n (100 %) |" "$scratch/f.md"
result $? "its totals are those of the results"
[ "$(grep -c '^a 10 % .*predicted .*150.0 .* -0.7 | .*+51.0$' "$scratch/f.md")" = "$n" ] && [ "$(grep -c '^b 10 % .*between .*  off$' "$scratch/f.md")" = "$n" ] &&
  [ "$(grep -c '^b 20 % .*cannot tell .*not known$' "$scratch/f.md")" = "$n" ]
result $? "its lines are those of the results"
[ "$(grep -c '^## ' "$scratch/f.md")" -eq 2 ] && grep -qxF '### Errors, in percent of the truth' "$scratch/e.md"
result $? "each script writes its half of the page"
echo "1..$count"
