#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Three members of etcd on this host, watched from outside while they take puts, and held against etcd_put.tp:
#
#   examples/etcd/run.sh [PUTS [CLIENTS [RATE]]]
#
# RATE: puts a second; 0: as many as the clients can. Spread over minutes, puts meet many slow stretches of the disk
# instead of one, and say more about percentiles.
# The recording stays in $BUILD/examples/etcd/run (that of the run before is replaced).
set -eu
cd "$(dirname "$0")/../.."
BUILD=${BUILD:-build}
name=etcd
run=$BUILD/examples/etcd/run
puts=${1:-6000} clients=${2:-1} rate=${3:-50}
. examples/common/outside.sh
rm -rf "$run"
mkdir -p "$run"
. examples/etcd/cluster.sh

"$BUILD/examples/etcd/etcd" --port $((base + 11)) --puts 200 --first 80000000 >/dev/null
echo "Without probes: $("$BUILD/examples/etcd/etcd" --port $((base + 11)) --puts 1000 --clients "$clients" --first 80001000)"
echo
record "${members[@]}" -- "$BUILD/examples/etcd/etcd" --port $((base + 11)) --puts "$puts" --clients "$clients" --rate "$rate"
hold examples/etcd/etcd_put.tp put put --set n=3 --set q=1
exit "$code"
