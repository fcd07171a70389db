#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Three members of etcd on this host, watched from outside while they take puts, and held against etcd_put.tp:
#
#   examples/etcd/run.sh [PUTS [CLIENTS]]
#
# The recording stays in $BUILD/examples/etcd/run (that of the run before is replaced).
set -eu
cd "$(dirname "$0")/../.."
BUILD=${BUILD:-build}
name=etcd
run=$BUILD/examples/etcd/run
puts=${1:-5000} clients=${2:-1}
members=()
data=$(mktemp -d)
stop() {
  [ "${#members[@]}" = 0 ] || kill "${members[@]}" 2>/dev/null || true
  [ "${#members[@]}" = 0 ] || wait "${members[@]}" 2>/dev/null || true
  rm -rf "$data"
}
. examples/common/outside.sh
rm -rf "$run"
mkdir -p "$run"

base=$((20000 + $$ % 10000)) # ports that another run is not likely to have
cluster=m1=http://127.0.0.1:$((base + 1)),m2=http://127.0.0.1:$((base + 2)),m3=http://127.0.0.1:$((base + 3))
for i in 1 2 3; do
  peer=http://127.0.0.1:$((base + i)) public=http://127.0.0.1:$((base + 10 + i))
  etcd --name m$i --data-dir "$data/m$i" --listen-peer-urls $peer --initial-advertise-peer-urls $peer \
    --listen-client-urls $public --advertise-client-urls $public --initial-cluster "$cluster" \
    --initial-cluster-state new --log-level error >"$data/m$i.log" 2>&1 &
  members+=($!)
done

export ETCDCTL_API=3
ctl() { etcdctl --endpoints="127.0.0.1:$((base + 10 + $1))" "${@:2}"; }
leader() { # the number of the member that leads
  for i in 1 2 3; do ctl $i endpoint status 2>/dev/null | awk -F', ' -v i=$i '$5 == "true" { print i; exit }'; done
}
await '[ -n "$(leader)" ]'
if [ "$(leader)" != 1 ]; then # the probe file takes the first for the leader
  ctl "$(leader)" move-leader "$(ctl 1 endpoint status | awk -F', ' '{ print $2 }')" >/dev/null
  await '[ "$(leader)" = 1 ]'
fi

"$BUILD/examples/etcd/etcd" --port $((base + 11)) --puts 200 --first 80000000 >/dev/null
echo "Without probes: $("$BUILD/examples/etcd/etcd" --port $((base + 11)) --puts 1000 --clients "$clients" --first 80001000)"
echo
record "${members[@]}" -- "$BUILD/examples/etcd/etcd" --port $((base + 11)) --puts "$puts" --clients "$clients"
hold examples/etcd/etcd_put.tp put put --set n=3 --set q=1
exit "$code"
