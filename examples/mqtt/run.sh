#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Two brokers of mosquitto on this host, joined by a bridge, watched from outside while messages go from a publisher at the
# one to a subscriber at the other, and held against mqtt.tp:
#
#   examples/mqtt/run.sh [--nodelay] [SECONDS [RUNS [RATE]]]
#
# --nodelay: the publisher turns Nagle's algorithm off, as both brokers do. What p99 consists of is asked in either case.
# The recordings stay in $BUILD/examples/mqtt/run (those of the run before are replaced).
set -eu
cd "$(dirname "$0")/../.."
BUILD=${BUILD:-build}
name=mqtt
run=$BUILD/examples/mqtt/run
nodelay=()
[ "${1:-}" != --nodelay ] || { nodelay=(--nodelay) && shift; }
seconds=${1:-3} runs=${2:-10} rate=${3:-100}
stop() { stop_servers; }
. examples/common/outside.sh
data=$(mktemp -d)
rm -rf "$run"
mkdir -p "$run"

port=$(free_ports 2)
broker() { # NAME PORT, further lines on stdin
  { printf 'listener %d 127.0.0.1\nallow_anonymous true\nset_tcp_nodelay true\nlog_type error\n' "$2" && cat; } >"$data/$1.conf"
  mosquitto -c "$data/$1.conf" &
  servers+=($!)
}
broker hub $((port + 1)) </dev/null
await "(exec 3<>/dev/tcp/127.0.0.1/$((port + 1)))"
broker edge "$port" <<END
connection bridge
address 127.0.0.1:$((port + 1))
topic sensor/# out 0
keepalive_interval 3600
END
mosquitto_sub --host 127.0.0.1 --port $((port + 1)) --id subscriber --keepalive 3600 --topic sensor/# >"$data/received" &
servers+=($!)
await "[ -s $data/received ] || examples/mqtt/publish.sh $port 1 100 && [ -s $data/received ]" # the bridge and the subscriber are there

sed "s/18830/$port/; s/18831/$((port + 1))/" examples/mqtt/mqtt.yaml >"$run/mqtt.yaml"
probes=$run/mqtt.yaml
record_runs "$runs" "${servers[@]}" -- examples/mqtt/publish.sh "$port" $((seconds * rate)) "$rate" "${nodelay[@]}"
hold_runs examples/mqtt/mqtt.tp reading reading
held=$code
show "$program" percentiles "${recorded[@]}" --confidence 0 -p 99 --contributions 99
exit "$held"
