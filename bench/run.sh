#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The table of speed and size targets. Ratios compare two things in one run; nothing here fails.
set -eu
cd "$(dirname "$0")/.."
BUILD=${BUILD:-build}
tailproof=$BUILD/tailproof
specs=$(ls specs/*.tp specs/*/*.tp)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export XDG_CACHE_HOME=/dev/null # what is measured is proved: nothing can be kept there

# Runs a command; $scratch/time gets its wall seconds, processor seconds and peak kB, by GNU time.
run() {
  /usr/bin/time -o "$scratch/raw" -f '%e %U %S %M' "$@" >"$scratch/out" 2>/dev/null || true
  awk 'END { print $1, $2 + $3, $4 }' "$scratch/raw" >"$scratch/time"
}
wall() { cut -d ' ' -f 1 "$scratch/time"; }
peak() { awk '{ printf "%.0f MB", $3 / 1024 }' "$scratch/time"; }
processor() { cut -d ' ' -f 2 "$scratch/time"; }

measure() {
  run "$@"
  awk '{ printf "%.2f s, %.0f MB", $1, $3 / 1024 }' "$scratch/time"
}

ratio() { awk -v a="$1" -v b="$2" 'BEGIN { if (b > 0) printf "%.2f", a / b; else printf "-" }'; }

row() { printf '%-58s %14s   %s\n' "$1" "$2" "$3"; }

# --- verification -----------------------------------------------------------------------------
bounds() { jq -s "[.[] | select(.kind == \"bound\")] | $1" "$scratch/all"; }

row what measured target
# shellcheck disable=SC2086
row "verify specs/*.tp specs/*/*.tp" "$(measure "$tailproof" verify $specs)" "< 8 s, < 400 MB"
# shellcheck disable=SC2086
"$tailproof" verify --json $specs >"$scratch/all" || true
row "  bounds proved, of all" "$(bounds '"\(map(select(.verdict == "proved")) | length) of \(length)"' | tr -d '"')" "all"
row "  obligations, the most of any bound per file" \
  "$(bounds 'group_by(.file) | map(map(.obligations) | max) | add')" "reported"
row "  an obligation, ms: median per bound, median of those" \
  "$(printf '%.1f' "$(bounds 'map(.median_ms) | sort | .[length / 2 | floor]')")" "< 10"
row "  an obligation, ms: the worst" \
  "$(printf '%.0f' "$(bounds 'map(.worst_ms) | max')")" "reported"
row "verify specs/performal/ironrsl_standard.tp" \
  "$(measure "$tailproof" verify specs/performal/ironrsl_standard.tp)" "< 2 s"

# How time and memory grow with a protocol, and what a false bound beside a true one costs.
for stages in 20 40 80 100; do
  bench/chain.sh $stages >"$scratch/chain.tp"
  row "verify, $stages stages in a row" "$(measure "$tailproof" verify "$scratch/chain.tp")" "< 30 s, < 500 MB"
done
bench/chain.sh 200 >"$scratch/chain.tp"
row "verify, 200 stages in a row" "$(measure "$tailproof" verify "$scratch/chain.tp")" "< 8 s, < 400 MB"
bench/quorums.sh 6 >"$scratch/quorums.tp"
run timeout 120 "$tailproof" verify "$scratch/quorums.tp"
row "verify, 6 quorums in turn, as a whole: $(grep -oE ': (proved|unknown)' "$scratch/out" | tr -d ': ' | grep . || echo 'no answer')" \
  "$(wall) s, $(peak)" "reported"
bench/quorums.sh 6 phases >"$scratch/quorums.tp"
row "verify, 6 quorums in turn, by phases" "$(measure "$tailproof" verify "$scratch/quorums.tp")" "< 20 s"
for stages in 50 100; do # turn and turn about
  bench/chain.sh $stages >"$scratch/chain.$stages.tp"
done
for turn in 1 2 3; do
  for stages in 50 100; do
    run "$tailproof" verify --no-cache "$scratch/chain.$stages.tp"
    processor >>"$scratch/chain.$stages"
  done
done
row "  processor time of 100 stages over that of 50, of three turns" \
  "$(paste "$scratch/chain.100" "$scratch/chain.50" | awk '{ print $1 / $2 }' | sort -g | sed -n 2p)" "<= 4 (quadratic)"
# A simulated stream takes time that grows with its requests.
mkdir "$scratch/measured"
for name in Gap:2000000 Serve:1000000 d:300000; do
  awk -v mean="${name#*:}" 'BEGIN { srand(1); print "latency_ns"; for (i = 0; i < 300; i++) printf "%d\n", -mean * log(1 - rand()) }' \
    >"$scratch/measured/${name%:*}.csv"
done
run "$tailproof" simulate specs/work_ahead.tp --data "$scratch/measured" --requests 10000
tenth=$(processor)
run "$tailproof" simulate specs/work_ahead.tp --data "$scratch/measured" --requests 100000
row "simulate work_ahead, 100,000 requests: processor time" "$(processor) s, $(peak)" "< 10 s, < 500 MB"
row "  over that of 10,000" "$(ratio "$(processor)" "$tenth")" "<= 15 (linear)"
awk '/^bound write:/ { copy = 1 } copy && /^$/ { exit } copy' specs/quorum_store.tp |
  sed 's/^bound write/bound false_write/; s/ within Put$/ within 0 ms/' >"$scratch/false"
cat specs/quorum_store.tp "$scratch/false" >"$scratch/beside.tp"
run "$tailproof" verify specs/quorum_store.tp
alone=$(processor)
run "$tailproof" verify "$scratch/beside.tp"
row "verify quorum_store beside a false bound, processor time over alone" "$(ratio "$(processor)" "$alone")" "< 1.5"

XDG_CACHE_HOME=$scratch run "$tailproof" verify specs/quorum_store.tp
XDG_CACHE_HOME=$scratch run "$tailproof" verify specs/quorum_store.tp
row "verify quorum_store again, processor time over the first" "$(ratio "$(processor)" "$alone")" "< 0.05"

# --- scaling, seeds ---------------------------------------------------------------------------
# shellcheck disable=SC2086
run "$tailproof" verify --jobs 1 $specs
one=$(wall)
# shellcheck disable=SC2086
run "$tailproof" verify --jobs 2 $specs
row "all specs: elapsed time, 1 job over 2 jobs" "$(ratio "$one" "$(wall)")" "> 1.5"

# Processor time, which the load of the machine hardly changes: worst over median of five seeds.
for file in $specs; do
  : >"$scratch/seeds" && : >"$scratch/verdicts"
  for seed in 1 2 3 4 5; do
    run "$tailproof" verify --json --seed $seed "$file"
    processor >>"$scratch/seeds"
    jq -c 'select(.kind == "bound") | [.name, .verdict]' "$scratch/out" | md5sum >>"$scratch/verdicts"
    jq -r 'select(.kind == "bound") | .verdict' "$scratch/out" >>"$scratch/every"
  done
  sort -g "$scratch/seeds" | awk -v same="$(sort -u "$scratch/verdicts" | wc -l)" -v file="$file" \
    '{ t[NR] = $1 } END { printf "%.2f %d %s\n", t[5] / (t[3] > 0.05 ? t[3] : 0.05), same, file }'
done >"$scratch/ratios"
row "five seeds: verdicts other than proved" "$(grep -vc '^proved$' "$scratch/every" || true)" "0"
row "five seeds: files whose verdicts differ" "$(awk '$2 != 1' "$scratch/ratios" | wc -l)" "0"
row "five seeds: worst over median, $(sort -g "$scratch/ratios" | tail -1 | cut -d ' ' -f 3)" \
  "$(sort -g "$scratch/ratios" | tail -1 | cut -d ' ' -f 1)" "< 3"

# --- inference, certificates, dafny -----------------------------------------------------------
for name in primary_backup two_phase_commit chain_replication lock performal/ironrsl_standard \
  performal/zookeeper_buggy performal/zookeeper_fixed; do
  row "verify --infer --forget-timing $name" \
    "$(measure timeout 120 "$tailproof" verify --infer --forget-timing "specs/$name.tp")" "< 10 s"
done

if command -v cvc5 >/dev/null; then
  for name in lock two_phase_commit raft; do
    certificate=$scratch/certificate/$name
    mkdir -p "$(dirname "$certificate")"
    "$tailproof" certify --out "$certificate" "specs/$name.tp" >/dev/null 2>&1 || true
    row "certify --check --with cvc5, $name" \
      "$(measure timeout 600 "$tailproof" certify --check "$certificate" --with cvc5)" "reported"
  done
else
  row "certify --check --with cvc5" "-" "cvc5 is not installed (apt install cvc5)"
fi

if command -v dafny >/dev/null; then
  run "$tailproof" verify --bound full_circle specs/lock.tp
  ours=$(wall)
  run dafny /compile:0 /timeLimit:60 bench/token_ring.dfy
  grep -q '0 errors' "$scratch/out" && word=proves || word="does not prove"
  row "the token ring: dafny, which $word it, over tailproof" "$(ratio "$(wall)" "$ours")" "reported"
else
  row "the token ring: dafny over tailproof" "-" "dafny is not installed (apt install dafny)"
fi

# --- traces -----------------------------------------------------------------------------------
# Medians of three, in turns; five gigabytes come through a pipe, so that no disk is needed.
"$BUILD"/bench/traces jaeger 12000 >"$scratch/jaeger.json"
: >"$scratch/ours" && : >"$scratch/json"
for turn in 1 2 3; do
  run "$BUILD"/bench/traces read "$scratch/jaeger.json"
  processor >>"$scratch/ours"
  run python3 bench/load_json.py "$scratch/jaeger.json"
  processor >>"$scratch/json"
done
middle() { sort -g "$1" | sed -n 2p; }
row "Jaeger JSON: million spans a processor second" \
  "$(awk -v t="$(middle "$scratch/ours")" 'BEGIN { printf "%.2f", 0.396 / t }')" ">= 1"
row "  python's json on the same file over ours" "$(ratio "$(middle "$scratch/json")" "$(middle "$scratch/ours")")" ">= 15"
rm "$scratch/jaeger.json"
"$BUILD"/bench/traces batches 24000 >"$scratch/otlp.json"
"$BUILD"/bench/traces wire 24000 >"$scratch/otlp.pb"
for format in json pb; do
  : >"$scratch/$format"
  for turn in 1 2 3; do
    run "$BUILD"/bench/traces read "$scratch/otlp.$format"
    processor >>"$scratch/$format"
  done
done
row "OTLP protobuf: million spans a processor second" \
  "$(awk -v t="$(middle "$scratch/pb")" 'BEGIN { printf "%.2f", 0.792 / t }')" ">= 2"
row "  the same as OTLP JSON" "$(awk -v t="$(middle "$scratch/json")" 'BEGIN { printf "%.2f", 0.792 / t }')" ">= 1"
run "$tailproof" trace fold "$scratch/otlp.pb" --out "$scratch/otlp.fold"
row "  trace fold of the protobuf" "$(awk -v t="$(processor)" 'BEGIN { printf "%.2f", 0.792 / t }')" ">= 1"
rm "$scratch"/otlp.*
"$BUILD"/bench/traces jaeger 63500 >"$scratch/jaeger.json"
answer() { # NAME WORD...: of a file of one GB
  local name=$1
  shift
  run "$tailproof" "$@"
  row "$name of Jaeger JSON of 1.1 GB: peak memory" "$(peak)" "< 200 MB"
}
answer "trace path" trace path "$scratch/jaeger.json"
answer "tail" tail "$scratch/jaeger.json"
answer "whatif latency" whatif latency "$scratch/jaeger.json" --change 'service-3: *0.5'
answer "draft" draft "$scratch/jaeger.json" --out "$scratch/drafted"
rm -r "$scratch/jaeger.json" "$scratch/drafted"
piped() { # FORMAT REQUESTS: reads what is generated meanwhile; the pipe counts the bytes
  run bash -c '"$1"/bench/traces "$2" "$3" | tee >(wc -c >"$4") | "$1"/bench/traces read -' \
    traces "$BUILD" "$1" "$2" "$scratch/bytes"
}
piped jaeger 294000
row "$(awk '{ printf "Jaeger JSON of %.1f GB: peak memory", $1 / 1e9 }' "$scratch/bytes")" "$(peak)" "< 200 MB"
piped otlp 60000
row "$(awk '{ printf "OTLP lines of %.1f GB, requests scattered: peak memory", $1 / 1e9 }' "$scratch/bytes")" "$(peak)" "< 200 MB"

# --- logs of event loops ----------------------------------------------------------------------
"$BUILD"/bench/events write 62000 >"$scratch/events.json"
: >"$scratch/ours"
for turn in 1 2 3; do
  run "$BUILD"/bench/events read "$scratch/events.json"
  processor >>"$scratch/ours"
done
row "$(wc -c <"$scratch/events.json" | awk '{ printf "Node.js trace of %.0f MB, chains made: processor time", $1 / 1e6 }')" \
  "$(awk -v t="$(middle "$scratch/ours")" 'BEGIN { printf "%.1f s", t }')" "< 5 s"
row "  peak memory" "$(peak)" "< 200 MB"
rm "$scratch/events.json"

"$BUILD"/bench/node_log write "$scratch/1.0.tpn" 500
run "$BUILD"/bench/node_log read "$scratch/1.0.tpn"
row "recorded log of 500 MB: processor time" "$(processor | awk '{ printf "%.1f s", $1 }')" "< 5 s"
row "  peak memory" "$(peak)" "< 200 MB"
run "$tailproof" tail "$scratch/1.0.tpn"
row "  tail of it: processor time" "$(processor | awk '{ printf "%.1f s", $1 }')" "< 5 s"
row "  peak memory" "$(peak)" "< 200 MB"
"$BUILD"/bench/node_log write "$scratch/1.0.tpn" 500 200
run "$tailproof" tail "$scratch/1.0.tpn"
row "  tail, one of 200 requests slow: processor time" "$(processor | awk '{ printf "%.1f s", $1 }')" "< 5 s"
row "  peak memory" "$(peak)" "< 200 MB"
rm "$scratch/1.0.tpn"

# Two servers side by side, one of them recorded: processor time per request, the quotient less one.
for handler in '0 15' '300 6' '5000 2'; do
  read -r us target <<<"$handler"
  read -r middle low high alone <<<"$(node bench/node_paired.js "$tailproof" "$us" 30)"
  row "record --node, handler of $us us (a request takes $alone)" "$middle % ($low..$high)" "<= $target %"
done

# The same of frameworks: recorded over plain.
if sh tests/field/install.sh "$BUILD" && sh tests/field/install.sh "$BUILD" more; then
  for us in 50 200; do
    while read -r framework middle low high alone; do
      row "record --node, $framework, handler of $us us: recorded over plain ($alone us)" \
        "$(awk -v m="$middle" -v l="$low" -v h="$high" 'BEGIN { printf "%.3f (%.2f..%.2f)", 1 + m / 100, 1 + l / 100, 1 + h / 100 }')" "<= 1.10"
    done <<<"$(NODE_PATH=$BUILD/field/node_modules node bench/node_frameworks.js "$tailproof" "$BUILD/field-more/node_modules" 5 WORK=$us fastify koa express hapi nest)"
  done
fi

# --- percentiles ------------------------------------------------------------------------------
if scripts/performal.sh "$tailproof" "$scratch/rings" 0.99 >"$scratch/table"; then
  row "percentiles, ring of 10, all round trips" \
    "$(measure "$tailproof" percentiles specs/lock.tp --bound full_circle --set n=10 --data "$scratch/rings/10_0")" "< 2 s, < 300 MB"
  row "recorded rings dominated, of 20 (99 % confidence)" "$(awk '/ us / && $10 == "none"' "$scratch/table" | wc -l)" "reported"
  row "  for any joint law" "$(awk '/ us / && $11 == "none"' "$scratch/table" | wc -l)" "reported"
  cat "$scratch/table"
else
  cat "$scratch/table"
fi
"$BUILD"/bench/sum
"$BUILD"/bench/requests
"$BUILD"/bench/evaluate
"$BUILD"/bench/whatif
"$BUILD"/bench/record
"$BUILD"/bench/pause
"$BUILD"/bench/steps
"$BUILD"/bench/dispatch

# Turns taken, so that both see the same machine; medians of seven.
ring=$BUILD/examples/token_ring/token_ring
laps() { grep -oE '[0-9.]+ laps per second' | cut -d ' ' -f 1; }
: >"$scratch/plain" && : >"$scratch/recorded"
for turn in 1 2 3 4 5 6 7; do
  "$ring" --plain --one-core --laps 5000 --seed $turn | laps >>"$scratch/plain"
  "$ring" --out "$scratch/ring" --one-core --laps 5000 --seed $turn | laps >>"$scratch/recorded"
  rm -rf "$scratch/ring"
done
median() { sort -n "$1" | sed -n 4p; }
row "token ring, laps a second: recorded over plain" \
  "$(ratio "$(median "$scratch/recorded")" "$(median "$scratch/plain")")" "> 0.98"

if "$BUILD"/tests/property/accuracy --cases 1500 --expressions 10 --samples 10000000 >"$scratch/accuracy"; then
  word=holds
else
  word="does not hold"
fi
row "n additions of exact laws: slack at most n/1024, worst" "$(grep -o '[0-9.]* of the n/1024' "$scratch/accuracy")" "<= 1.00"
row "10^7 draws of ten expressions: above, at p50 to p99.99" "$(grep -o '[0-9.]* % above' "$scratch/accuracy")" "<= 1 %, never below: $word"

# --- the agent --------------------------------------------------------------------------------
"$BUILD"/bench/agent "$tailproof"
"$BUILD"/bench/proxy || row "the counting proxy" "-" "wrk is not installed (apt install wrk)"

# --- sampling ---------------------------------------------------------------------------------
BUILD=$BUILD bench/profile.sh
BUILD=$BUILD bench/stacks.sh
BUILD=$BUILD bench/adaptive.sh
BUILD=$BUILD bench/outside.sh

# --- what if a service were faster ------------------------------------------------------------
"$BUILD"/bench/throughput_sweep

# --- traces on several machines ---------------------------------------------------------------
# Two shards one after the other, and side by side: turns taken, the least of five, as load only adds. Of a machine that
# is busy with other things only the processor time says something: 2 over the second number is what a free one gains.
examples/cluster/shards.sh "$scratch/shards" 2 300000
fold() { "$tailproof" trace fold "$scratch/shards/shard-$1.json" --out "$scratch/$1.fold" >/dev/null; }
fold_both() { case $1 in after) fold 0 && fold 1 ;; beside) fold 0 & fold 1; wait ;; esac; }
export -f fold fold_both && export tailproof scratch
for turn in 1 2 3 4 5; do
  for way in after beside; do
    run bash -c "fold_both $way"
    wall >>"$scratch/fold.$way"
    processor >>"$scratch/fold.$way.processor"
  done
done
least() { sort -n "$1" | head -1; }
row "trace fold of 2 shards: one after the other, over side by side" \
  "$(ratio "$(least "$scratch/fold.after")" "$(least "$scratch/fold.beside")")" ">= 1.8"
row "  processor time: side by side over one after the other" \
  "$(ratio "$(least "$scratch/fold.beside.processor")" "$(least "$scratch/fold.after.processor")")" "<= 1.11"
run "$tailproof" trace fold "$scratch/shards/shard-0.json" --out "$scratch/0.fold"
row "  spans a second of processor time" "$(awk -v s="$(processor)" 'BEGIN { printf "%.2f million", 0.9 / s }')" ">= 1 million"
row "  memory, of a file of $(($(wc -c <"$scratch/shards/shard-0.json") / 1000000)) MB" "$(awk '{ printf "%.0f MB", $3 / 1024 }' "$scratch/time")" "< 200 MB"
row "  its summary" "$(awk -v b="$(wc -c <"$scratch/0.fold")" 'BEGIN { printf "%.0f kB", b / 1000 }')" "reported"

python=$(for p in python3 /usr/bin/python3; do "$p" -c 'import scipy' 2>/dev/null && echo "$p" && break; done || true)
if [ -n "$python" ]; then
  mkdir "$scratch/laws"
  ours=$("$BUILD"/bench/sum --write "$scratch/laws")
  OPENBLAS_NUM_THREADS=1 "$python" bench/peers.py "$scratch/laws" "$ours"
else
  row "scipy and distr beside ours" "-" "scipy is not installed (apt install python3-scipy r-cran-distr)"
fi
