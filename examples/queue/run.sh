#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# beanstalkd with two workers on this host, which keeps its jobs on disk, watched from outside while a client puts jobs and
# takes their results, and held against queue.tp:
#
#   examples/queue/run.sh [SECONDS [RUNS [RATE]]]
#
# The recordings stay in $BUILD/examples/queue/run (those of the run before are replaced).
set -eu
cd "$(dirname "$0")/../.."
BUILD=${BUILD:-build}
name=queue
run=$BUILD/examples/queue/run
seconds=${1:-5} runs=${2:-10} rate=${3:-20}
stop() { stop_servers; }
. examples/common/outside.sh
data=$(mktemp -d)
rm -rf "$run"
mkdir -p "$run"

port=$(free_ports 1)
mkdir "$data/log"
beanstalkd -l 127.0.0.1 -p "$port" -b "$data/log" -f 0 & # -f 0: each job is on disk before anybody has it
servers+=($!)
await "(exec 3<>/dev/tcp/127.0.0.1/$port)"
for worker in 0 1; do
  examples/queue/client.py --port "$port" --work --number $worker &
  servers+=($!)
done
client() { echo "examples/queue/client.py --port $port --jobs $1 --rate $rate"; }
$(client "$rate")

sed "s/11300/$port/" examples/queue/queue.yaml >"$run/queue.yaml"
probes=$run/queue.yaml
# shellcheck disable=SC2046
record_runs "$runs" "${servers[@]}" -- $(client $((seconds * rate)))
hold_runs examples/queue/queue.tp job job --set n=2
exit "$code"
