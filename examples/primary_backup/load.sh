#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The primary and its backups under an open loop of requests at 30, 60 and 85 % of their capacity, each with constant gaps and as a
# Poisson process, held against the work ahead of each request (specs/work_ahead.tp):
#
#   examples/primary_backup/load.sh [REQUESTS [LOAD]...]
#
# REQUESTS of each run (default 3000); LOAD in percent. What was measured stays in $BUILD/examples/primary_backup/load.
set -eu
cd "$(dirname "$0")/../.."
BUILD=${BUILD:-build}
program=$BUILD/tailproof
out=$BUILD/examples/primary_backup/load
requests=${1:-3000}
shares=("${@:2}")
[ "${#shares[@]}" != 0 ] || shares=(30 60 85)
for number in "$requests" "${shares[@]}"; do
  [[ $number =~ ^[1-9][0-9]{0,5}$ ]] || { echo "examples/primary_backup/load.sh: $number is no whole number from 1 to 999999" >&2; exit 64; }
done
command -v jq >/dev/null || { echo "examples/primary_backup/load.sh: jq is missing (apt-get install jq)" >&2; exit 69; }
rm -rf "$out"
mkdir -p "$out"

of() { # FILE, KIND, what of it
  jq -rs "map(select(.kind == \"$2\")) | $3" "$1"
}
ms() { awk -v ns="$1" 'BEGIN { if (ns == "infinite") print ns; else printf "%.3f", ns / 1e6 }'; }
over() { awk -v a="$1" -v b="$2" 'BEGIN { if (a == "infinite") print "-"; else printf "%.2f", a / b }'; }
# NAME, options: a run, each request of which has to be an execution of the protocol within its bound.
system() {
  local name=$1
  shift
  "$BUILD/examples/primary_backup/primary_backup" --out "$name" --requests "$requests" "$@" >"$name.log"
  "$program" replay specs/primary_backup.tp "$name/store" --set n=3 --out "$name.joint.csv" >"$name.replay"
}
# The run as a stream. Serve of a request is the proved bound of primary_backup.tp for it, with the times of that request, and what is in
# no component: the way to the primary and back, and the client's own part. d is 0, as the request is where the client is.
stream() { # NAME [TABLE.csv: Serve comes from this stream instead, in its order, again from the start where it ends]
  awk -F, -v other="${2:-}" -v joint="$1.joint.csv" '
    function most(text, ends) { return split(text, ends, /\.\./) == 2 ? ends[2] + 0 : text + 0 }
    function took(name) { return most(cell[column[name "_ns"]]) }
    function round(b, all, way) {
      for (b = 0; b < 3; b++) {
        way = took("d.Request." b) + took("Queuing.Request." b) + took("BackupRequest." b) + took("d.Ack." b) + took("Queuing.Ack." b) + took("PrimaryAck." b)
        all = way > all ? way : all
      }
      return took("PrimaryRequest") + all
    }
    BEGIN {
      while (other != "" && (getline line <other) > 0) if (split(line, f, ",") == 4 && f[2] ~ /^[0-9]+$/) serve[n++] = f[2]
      getline line <joint
      for (i = split(line, f, ","); i > 0; i--) column[f[i]] = i
    }
    NR == 1 { print "Gap_ns,Serve_ns,d.Request_ns,request_ns"; next }
    {
      getline line <joint
      split(line, cell, ",")
      begin = $1 > answered ? $1 : answered
      spent = round() + ($3 - begin) - took("request.reply") # the rest of the time from when it could begin is in no component
      if (spent < 0) { print "row " NR - 1 ": the reply took longer than the client waited" >"/dev/stderr"; exit 70 }
      printf "%d,%d,0,%d\n", $1 - before, other == "" ? spent : serve[k++ % n], $3 - $1
      before = $1; answered = $3
    }' "$1/requests.csv"
}
ahead() { # TABLE, ANSWER, observation, options
  local code=0
  "$program" percentiles specs/work_ahead.tp --stream "$1" --observed "$3" -p 50,90 --json "${@:4}" >"$2.json" || code=$?
  [ $code -le 2 ] || exit $code
}
at() { # FILE.json, percentile, what of it
  of "$1" percentile "map(select(.p == \"$2\"))[0].$3"
}

# Capacity: a request as soon as the one before is answered.
system "$out/full" --pause-us 0
capacity=$(awk '/requests per second/ { for (i = 1; i < NF; i++) if ($(i + 1) == "requests" && $(i + 2) == "per") print $i }' "$out/full.log")
echo "capacity $capacity requests a second"
echo
# Each ratio is that of the bound before it to the observation. Ahead: by the work ahead of each request, of these; at most: of such
# requests, with confidence 0.99. Foretold: with Serve from the first run of these. Within: requests that took no longer than the bound
# evaluated for each.
echo "load  gaps      requests  T/ms     B    percentile  observed/ms  ahead/ms  ratio  at most/ms  ratio  foretold/ms  ratio  within  dominates"
first=
for share in "${shares[@]}"; do
  for gaps in constant poisson; do
    name=$out/$gaps-$share
    every=$(awk -v c="$capacity" -v s="$share" 'BEGIN { printf "%d", 1e8 / (c * s) }')
    [ $gaps = constant ] && options=(--steady) || options=()
    system "$name" --every-us "$every" "${options[@]}"
    stream "$name" >"$name.stream.csv"
    first=${first:-$name.stream.csv}
    stream "$name" "$first" >"$name.foretold.csv"
    cut -d, -f1 "$name/requests.csv" >"$name.due.csv"
    longest=$(awk -F, 'NR > 1 && $2 > most { most = $2 } END { printf "%d", most }' "$name.stream.csv")
    "$program" arrivals "$name.due.csv" --every "${longest}ns" --json >"$name.bucket.json"
    ahead "$name.stream.csv" "$name.most" request
    ahead "$name.stream.csv" "$name.ahead" request --confidence 0
    ahead "$name.foretold.csv" "$name.told" request --confidence 0
    for p in 50 90; do
      observed=$(at "$name.ahead.json" $p observed_ns)
      printf '%-4s  %-8s  %8s  %-7s  %-3s  p%-9s  %11s' "$share%" "$gaps" "$requests" "$(ms "$longest")" \
        "$(of "$name.bucket.json" token_bucket '.[0].burst')" $p "$(ms "$observed")"
      for bound in ahead:8 most:10 told:11; do
        value=$(at "$name.${bound%:*}.json" $p upper_ns)
        printf '  %*s  %-5s' "${bound#*:}" "$(ms "$value")" "$(over "$value" "$observed")"
      done
      above=$(of "$name.most.json" comparison '.[0].requests_above')
      printf '  %6s  %s\n' $((requests - above)) "$(at "$name.most.json" $p observation)"
    done
  done
done
