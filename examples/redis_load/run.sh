#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A Redis server on loopback under an open loop of commands at 30, 60 and 85 % of its capacity, each with constant gaps and
# as a Poisson process, held against redis_load.tp and, by the work ahead of each command, specs/work_ahead.tp:
#
#   examples/redis_load/run.sh [SECONDS [BYTES [LOAD]...]]
#
# SECONDS for each run (default 20); each command counts the bits of BYTES bytes (default 16 MB, a few ms); LOAD in percent. What
# was measured stays in $BUILD/examples/redis_load/run (that of the run before is replaced).
set -eu
cd "$(dirname "$0")/../.."
BUILD=${BUILD:-build}
program=$BUILD/tailproof
run=$BUILD/examples/redis_load/run
protocol=examples/redis_load/redis_load.tp
seconds=${1:-20} bytes=${2:-16000000}
shares=("${@:3}")
[ "${#shares[@]}" != 0 ] || shares=(30 60 85)
for number in "$seconds" "$bytes" "${shares[@]}"; do
  # at most 512 MB, what Redis keeps in a value
  [[ $number =~ ^[1-9][0-9]{0,8}$ && $number -le 512000000 ]] || { echo "examples/redis_load/run.sh: $number is no whole number from 1 to 512000000" >&2; exit 64; }
done
for tool in redis-server redis-cli jq; do
  command -v $tool >/dev/null || { echo "examples/redis_load/run.sh: $tool is missing (apt-get install redis-server jq)" >&2; exit 69; }
done
data=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null || true; wait; rm -rf "$data"' EXIT
trap 'exit 130' INT TERM HUP
rm -rf "$run"
mkdir -p "$run/data" "$run/alone"

port=$((20000 + $$ % 10000)) # one that another run is not likely to have
redis-server --bind 127.0.0.1 --port $port --save '' --appendonly no --dir "$data" >"$data/log" 2>&1 &
server=$!
for ((tries = 0; ; tries++)); do
  [ "$(redis-cli -p $port SETBIT bits $((bytes * 8 - 1)) 1 2>/dev/null)" = 0 ] && break
  if ! kill -0 $server 2>/dev/null || [ $tries = 600 ]; then
    tail -n 1 "$data/log" >&2
    echo "examples/redis_load/run.sh: redis-server did not start" >&2
    exit 70
  fi
  sleep 0.1
done

failed() { echo "examples/redis_load/run.sh: $1" >&2; exit 70; }
# NAME, options: a run of commands. 2: this machine is so busy that part of the latency is the sender's; that is said.
load() {
  local name=$1 code=0
  shift
  "$program" load redis://127.0.0.1:$port/ --send 'BITCOUNT bits' --timeout 600 --connections 1000000 --json --out "$name.csv" "$@" \
    >"$name.json" || code=$?
  [ $code = 0 ] || [ $code = 2 ] || exit $code
  jq -se 'map(select(.kind == "load"))[0] | .good == .requests' "$name.json" >/dev/null || failed "$name: commands failed"
}
of() { # FILE, KIND, what of it
  jq -rs "map(select(.kind == \"$2\")) | $3" "$1"
}
ms() { awk -v ns="$1" 'BEGIN { if (ns == "infinite") print ns; else printf "%.3f", ns / 1e6 }'; }
over() { awk -v a="$1" -v b="$2" 'BEGIN { if (a == "infinite") print "-"; else printf "%.2f", a / b }'; }

# Capacity: commands a second when there is always one to work on.
load "$run/full" --rate 100000 --constant --requests 200
capacity=$(awk -F, 'NR > 1 { t = $1 + $4 / 1e9; if (t > end) end = t; n++ } END { printf "%.3f", n / end }' "$run/full.csv")
# Serve: a command alone, at a tenth of it.
load "$run/data/Serve" --rate "$(awk -v c="$capacity" 'BEGIN { print c / 10 }')" --constant --seconds $((seconds * 2))
mv "$run/data/Serve.json" "$run/alone/"
longest=$(awk -F, 'NR > 1 && $4 > most { most = $4 } END { printf "%d", most }' "$run/data/Serve.csv")
echo "capacity $capacity commands a second; $(($(wc -l <"$run/data/Serve.csv") - 1)) alone took at most $(ms "$longest") ms"
echo "(this program was late for $(of "$run/alone/Serve.json" load '.[0].late') of them)"
echo
# The file that `tailproof load` wrote as a stream (specs/work_ahead.tp): Serve is what passed from when the server could begin,
# as the command was due and the one before was answered, to its answer. The way there and back is in it, so d is 0.
stream() { # FILE.csv [TABLE.csv: Serve comes from this stream instead, in its order, again from the start where it ends]
  awk -F, -v other="${2:-}" 'BEGIN { while (other != "" && (getline line <other) > 0) if (split(line, f, ",") == 4 && f[2] ~ /^[0-9]+$/) serve[n++] = f[2] }
    NR == 1 { print "Gap_ns,Serve_ns,d.Request_ns,request_ns"; next }
    { split($1, t, "."); due = t[1] * 1e9 + t[2]; begin = due > answer ? due : answer; answer = due + $4
      printf "%d,%d,0,%d\n", due - before, other == "" ? answer - begin : serve[k++ % n], $4; before = due }' "$1"
}
ahead() { # NAME of the table, NAME of the answer, observation, options
  local code=0
  "$program" percentiles specs/work_ahead.tp --stream "$1.csv" --observed "$3" -p 50,90 --json "${@:4}" >"$2.json" || code=$?
  [ $code -le 2 ] || exit $code
}
at() { # FILE.json, percentile, what of it
  of "$1" percentile "map(select(.p == \"$2\"))[0].$3"
}

# Each ratio is that of the bound before it to the observation. Bucket: T and B alone. Ahead: by the work ahead of each command, of
# these; at most: of such commands, with confidence 0.99. Foretold: with Serve from the first run of these, which no other run knows of.
# Dominates is said of the work ahead.
echo "load  gaps      commands  late  B     percentile  observed/ms  simulated/ms  bucket/ms  ratio    ahead/ms  ratio  at most/ms  ratio  foretold/ms  ratio  dominates"
first=

for share in "${shares[@]}"; do
  for gaps in constant poisson; do
    name=$run/$gaps-$share
    rate=$(awk -v c="$capacity" -v s="$share" 'BEGIN { print c * s / 100 }')
    [ $gaps = constant ] && options=(--constant) || options=(--seed "$share")
    load "$name" --rate "$rate" --seconds "$seconds" "${options[@]}"
    awk -F, 'NR == 1 { print "due_s" } NR > 1 { print $1 }' "$name.csv" >"$name-due.csv"
    # T must not be below what a command needs; the bucket is the least for it that these arrivals satisfy.
    "$program" arrivals "$name-due.csv" --every "${longest}ns" --json >"$name-bucket.json"
    burst=$(of "$name-bucket.json" token_bucket '.[0].burst')
    settings=(--set "T=${longest}ns" --set "B=$burst" --data "$run/data")
    code=0
    "$program" percentiles $protocol "${settings[@]}" --observed "$name.csv" --json >"$name-bound.json" || code=$?
    [ $code -le 2 ] || exit $code
    "$program" simulate $protocol "${settings[@]}" --always d=0ns --arrivals "$name-due.csv" \
      --requests $(($(wc -l <"$name-due.csv") - 1)) --json >"$name-simulated.json" || code=$?
    [ $code -le 2 ] || exit $code
    stream "$name.csv" >"$name-ahead.csv"
    first=${first:-$name-ahead.csv}
    ahead "$name-ahead" "$name-most" request
    ahead "$name-ahead" "$name-ahead" request --confidence 0
    stream "$name.csv" "$first" >"$name-foretold.csv"
    ahead "$name-foretold" "$name-foretold" "$name.csv" --confidence 0
    for p in 50 90; do
      observed=$(at "$name-bound.json" $p observed_ns)
      simulated=$(of "$name-simulated.json" simulated_percentile "map(select(.p == \"$p\"))[0].ns")
      printf '%-4s  %-8s  %8s  %4s  %-4s  p%-9s  %11s  %12s' "$share%" "$gaps" "$(of "$name.json" load '.[0].requests')" \
        "$(of "$name.json" load '.[0].late')" "$burst" $p "$(ms "$observed")" "$(ms "$simulated")"
      for bound in bound:9:7 ahead:8:5 most:10:5 foretold:11:5; do
        IFS=: read -r bound width digits <<<"$bound"
        value=$(at "$name-$bound.json" $p upper_ns)
        printf '  %*s  %-*s' "$width" "$(ms "$value")" "$digits" "$(over "$value" "$observed")"
      done
      printf '  %s\n' "$(at "$name-most.json" $p observation)"
    done
  done
done
