#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What watching etcd by the probes of its example, and three more, costs: puts a second of three members on this host, in windows
# of one load: bare, recorded, bare, each recorded one over the mean of its neighbours. Prints rows of bench/run.sh: the
# median, and the middle half of the windows.  bench/outside_etcd.sh [WINDOWS [SECONDS [CLIENTS...]]]
# RATES=1 prints each rate, too.
set -eu
cd "$(dirname "$0")/.."
BUILD=${BUILD:-build}
row() { printf '%-58s %14s   %s\n' "$1" "$2" "$3"; }
for tool in etcd etcdctl; do
  command -v $tool >/dev/null || { row "probes: etcd is not installed (apt-get install etcd-server etcd-client)" "-" ">= 0.97"; exit 0; }
done
windows=${1:-12} seconds=${2:-2}
shift $(($# < 2 ? $# : 2))
name=etcd
run=$(mktemp -d)
. examples/common/outside.sh
. examples/etcd/cluster.sh
# Three more on the way of each put, so that there are twelve.
more() { # NAME FUNCTION
  probes_more+="  $1: {uprobe: '/usr/bin/etcd:go.etcd.io/etcd/$2', abi: go, children: no, read: {g: goroutine}}"$'\n'
  moments_more+="  at_$1: {probe: $1, at: leader, after: called, shared: yes, optional: yes}"$'\n'
}
probes_more='' moments_more=''
more save 'wal.(*WAL).Save'
more sync 'wal.(*WAL).sync'
more advance 'raft.(*node).Advance'
probes=$run/twelve.yaml
awk -v probes="$probes_more" -v moments="$moments_more" '
  /^# Which process/ { print probes }
  /^request:/ { print moments }
  { print }' examples/etcd/etcd.yaml >"$probes"

leave() { finish; rm -rf "$run"; }
trap leave EXIT

leader_port=$((base + 11))
client() { "$BUILD/examples/etcd/etcd" --port $leader_port "$@" >/dev/null; }
puts() { # how many the leader has taken
  exec 3<>/dev/tcp/127.0.0.1/$leader_port
  printf 'GET /metrics HTTP/1.0\r\n\r\n' >&3
  awk '/^etcd_(debugging_)?mvcc_put_total / { print $2; exit }' <&3
  exec 3>&-
}
window() { # puts a second, for some seconds
  local first second begin end
  first=$(puts) begin=$EPOCHREALTIME
  sleep "$seconds"
  second=$(puts) end=$EPOCHREALTIME
  awk -v puts="$((second - first))" -v begin="${begin/,/.}" -v end="${end/,/.}" 'BEGIN { print puts / (end - begin) }'
}
watched() {
  rm -rf "$run/store"
  local pids=()
  for pid in "${members[@]}" $load; do pids+=(--pid "$pid"); done
  "$program" record --probes "$probes" "${pids[@]}" --out "$run/store" >"$run/log" 2>&1 &
  recorder=$!
  await "[ \$(readlink /proc/$recorder/fd/* | grep -c perf_event) -ge 4 ] || ! kill -0 $recorder"
  kill -0 "$recorder" || { cat "$run/log" >&2; exit 70; }
  sleep 1 # for the last of the probes
  window
  kill -INT "$recorder"
  wait "$recorder" || true
  recorder=''
  sleep 0.5
}

first=1
for clients in "${@:-1}"; do
  client --puts 300 --clients "$clients" --first $first # the first are slower
  client --puts 2000000 --clients "$clients" --first $((first + 300)) 2>/dev/null &
  load=$!
  for ((round = 0; round < windows; round++)); do
    echo "$(window) $(watched) $(window)"
  done >"$run/rates"
  kill $load
  wait $load 2>/dev/null || true
  first=$((first + 3000000))
  [ -z "${RATES:-}" ] || cat "$run/rates"
  row "probes: etcd's puts a second, watched over bare, $clients clients" \
    "$(awk '{ print 2 * $2 / ($1 + $3) }' "$run/rates" | sort -n |
      awk '{ v[NR] = $1 } END { printf "%.3f (%.2f..%.2f)", (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2, v[int(NR / 4) + 1], v[int(3 * NR / 4) + 1] }')" ">= 0.97"
done
