#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What watching etcd by the probes of its example, and three more, costs: puts a second of three members on this host, bare and recorded
# in turn. Prints rows of bench/run.sh.  bench/outside_etcd.sh [PUTS [ROUNDS [CLIENTS...]]]
# RATES=1 prints each rate, too.
set -eu
cd "$(dirname "$0")/.."
BUILD=${BUILD:-build}
row() { printf '%-58s %14s   %s\n' "$1" "$2" "$3"; }
for tool in etcd etcdctl; do
  command -v $tool >/dev/null || { row "probes: etcd is not installed (apt-get install etcd-server etcd-client)" "-" ">= 0.97"; exit 0; }
done
puts=${1:-1500} rounds=${2:-5}
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

first=0
load() { # the command that puts new keys with $1 clients
  first=$((first + puts))
  command=("$BUILD/examples/etcd/etcd" --port $((base + 11)) --puts "$puts" --clients "$1" --first $first)
}
rate() { sed -n 's/.* puts in .*: \([0-9]*\)\/s.*/\1/p'; }
bare() {
  load "$1"
  "${command[@]}" | rate >>"$run/bare.$1"
}
watched() {
  load "$1"
  rm -rf "$run/store" "$run/go"
  record "${members[@]}" -- "${command[@]}" >"$run/said"
  rate <"$run/said" >>"$run/watched.$1"
}
median() { sort -n "$run/$1" | awk '{ v[NR] = $1 } END { print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'; }

for clients in "${@:-1}"; do
  load "$clients"
  "${command[@]}" >/dev/null # the first is slower
  for ((round = 0; round < rounds; round++)); do
    bare "$clients"
    watched "$clients"
  done
  [ -z "${RATES:-}" ] || paste -d' ' "$run/bare.$clients" "$run/watched.$clients"
  row "probes: etcd's puts a second, watched over bare ($(median bare.$clients)), $clients clients" \
    "$(awk -v a="$(median watched.$clients)" -v b="$(median bare.$clients)" 'BEGIN { printf "%.3f", a / b }')" ">= 0.97"
done
