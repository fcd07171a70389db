#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What watching etcd by the probes of its example, and three more, costs: puts a second of three members on this host, in windows
# of one load: bare, recorded, bare, each recorded one over the mean of its neighbours; and the same of the processor time of a
# put, which other work on the machine changes less. Prints rows of bench/run.sh: the median, and the middle half of the windows.
#   bench/outside_etcd.sh [WINDOWS [SECONDS [CLIENTS...]]]
# RATES=1 prints each rate, too; IN_MEMORY=1: etcd's data is in memory, so that no disk hides what watching costs.
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
[ -z "${IN_MEMORY:-}" ] || export TMPDIR=/dev/shm
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
spent() { awk '{ ticks += $14 + $15 } END { print ticks }' "${members[@]/%//stat}" "$load/stat" ${recorder:+"$recorder/stat"}; }
window() { # puts a second, for some seconds, and the processor time of one, of all that run, in us
  local first second begin end before after
  first=$(puts) begin=$EPOCHREALTIME before=$(cd /proc && spent)
  sleep "$seconds"
  second=$(puts) end=$EPOCHREALTIME after=$(cd /proc && spent)
  awk -v puts="$((second - first))" -v begin="${begin/,/.}" -v end="${end/,/.}" -v ticks="$((after - before))" \
    -v hertz="$(getconf CLK_TCK)" 'BEGIN { print puts / (end - begin), ticks / hertz / puts * 1e6 }'
}
watched() {
  rm -rf "$run/store" "$run/ready"
  local pids=()
  for pid in "${members[@]}" $load; do pids+=(--pid "$pid"); done
  "$program" record --probes "$probes" "${pids[@]}" --out "$run/store" --ready-file "$run/ready" >"$run/log" 2>&1 &
  recorder=$!
  await "[ -e $run/ready ] || ! kill -0 $recorder"
  kill -0 "$recorder" || { cat "$run/log" >&2; exit 70; }
  window
  kill -INT "$recorder"
  wait "$recorder" || true
  recorder=''
  sleep 0.5
}

first=1
for clients in "${@:-1}"; do
  client --puts 300 --clients "$clients" --first $first # the first are slower
  # not a shell that waits for it, as its calls are probed
  "$BUILD/examples/etcd/etcd" --port $leader_port --puts 2000000 --clients "$clients" --first $((first + 300)) >/dev/null 2>&1 &
  load=$!
  for ((round = 0; round < windows; round++)); do
    echo "$(window) $(watched) $(window)"
  done >"$run/rates"
  kill $load
  wait $load 2>/dev/null || true
  first=$((first + 3000000))
  [ -z "${RATES:-}" ] || cat "$run/rates"
  quotients() { # COLUMN: the watched window's over the mean of its neighbours
    awk -v c="$1" '{ print 2 * $(c + 2) / ($c + $(c + 4)) }' "$run/rates" | sort -n | awk '{ v[NR] = $1 } END {
      printf "%.3f (%.2f..%.2f)", (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2, v[int((NR + 3) / 4)], v[int((3 * NR + 3) / 4)] }'
  }
  row "probes: etcd's puts a second, watched over bare, $clients clients" "$(quotients 1)" ">= 0.97"
  row "  processor time of a put, with the recorder's" "$(quotients 2)" "reported"
done
