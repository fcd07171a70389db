#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Traces of other projects, in every format: what each file holds is what was counted in it by
# others (traces.csv), and the seven spellings of one OTLP trace are one.
cd "$(dirname "$0")/../.." || exit 1
BUILD=${BUILD:-build}
data=../shared/data/traces
if [ ! -d "$data" ]; then
  echo "ok 1 - $data is not there, so no traces of others to read # SKIP"
  echo 1..1
  exit 0
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
check() { if [ "$2" = "$3" ]; then echo "ok $1 - $4"; else echo "not ok $1 - $4: expected $3, got $2"; fi; }

# Prints how many rows of traces.csv agree, then those that do not. A field that is empty was not counted.
python3 - "$BUILD/tests/tools/trace_facts" "$data" >"$scratch/facts" <<'PYTHON'
import csv, subprocess, sys
tool, data = sys.argv[1:]
rows = list(csv.DictReader(open(data + "/traces.csv")))
names = "trace_id spans services roots root_span root_service root_operation start_us latency_us".split()
found, agree, wrong = {}, 0, []
for path in sorted({row["file"] for row in rows}):
    done = subprocess.run([tool, f"{data}/{path}"], capture_output=True, text=True)
    if done.returncode != 0:
        wrong.append(f"{path}: status {done.returncode}: {done.stderr}")
    for line in done.stdout.splitlines():
        fields = dict(zip(names, line.split("\t")))
        found[path, fields["trace_id"].lower()] = fields
for row in rows:
    fields = found.get((row["file"], row["trace_id"].lower()), {})
    differ = [f"{name} is {fields.get(name)}, counted {row[name]}" for name in names
              if row.get(name, "") != "" and row[name].lower() != fields.get(name, "").lower()]
    agree += not differ
    if differ:
        wrong.append(f'{row["file"]} {row["trace_id"]}: ' + "; ".join(differ))
print(agree, len(rows))
print("\n".join(wrong))
PYTHON
rows=$(($(wc -l <"$data/traces.csv") - 1))
check 1 "$(head -n 1 "$scratch/facts")" "$rows $rows" "spans, roots, start and latency of every trace are as counted"
tail -n +2 "$scratch/facts" | sed '/^$/d; s/^/# /'

for file in "$data"/otlp/dialects/*; do
  "$BUILD/tests/tools/trace_facts" "$file"
done >"$scratch/dialects" 2>&1
check 2 "$(sort -u "$scratch/dialects" | wc -l) of $(wc -l <"$scratch/dialects")" "1 of 7" "one trace in seven spellings is one trace"

"$BUILD/tests/tools/trace_facts" "$data/deathstarbench" >"$scratch/out" 2>"$scratch/err"
check 3 "$(wc -l <"$scratch/out"), $(grep -c '12 requests were read before' "$scratch/err")" "12, 1" \
  "a request that is saved alone and with others is taken once"

"$BUILD/tests/tools/trace_facts" "$data/zipkin/skew.json" >/dev/null 2>"$scratch/err"
check 4 "$(grep -c 'the most is 65.441 ms.*where 65.441 to 66.403 ms are possible' "$scratch/err")" 1 \
  "the skewed clock is moved by the least that causality asks for"
echo 1..4
