#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A service in Go over Redis on this host, watched from outside while it takes requests, and held against go_redis.tp:
#
#   examples/go_redis/run.sh [SECONDS [RUNS [RATE]]]
#
# The recordings stay in $BUILD/examples/go_redis/run (those of the run before are replaced).
set -eu
cd "$(dirname "$0")/../.."
BUILD=${BUILD:-build}
name=go_redis
run=$BUILD/examples/go_redis/run
seconds=${1:-3} runs=${2:-10} rate=${3:-100}
stop() { stop_servers; }
. examples/common/outside.sh
data=$(mktemp -d)
rm -rf "$run"
mkdir -p "$run"

port=$(free_ports 2)
mkdir "$data/go_redis"
for part in client service; do
  HOME=$data GOCACHE=$data/cache GO111MODULE=off go build -o "$data/go_redis/$part" "examples/go_redis/$part/$part.go"
done
redis-server --port $((port + 1)) --bind 127.0.0.1 --save '' --dir "$data" --loglevel warning >"$data/log" &
servers+=($!)
"$data/go_redis/service" "127.0.0.1:$port" "127.0.0.1:$((port + 1))" &
servers+=($!)
await "redis-cli -p $((port + 1)) ping | grep -q PONG && (exec 3<>/dev/tcp/127.0.0.1/$port)"
for ((i = 0; i < seconds * rate; i++)); do printf 'SET item:%08d "%08d of many"\n' "$i" "$i"; done | redis-cli -p $((port + 1)) >/dev/null
client() { echo "$data/go_redis/client http://127.0.0.1:$port $1 $rate"; }
$(client "$rate")

sed "s/18080/$port/; s/18081/$((port + 1))/" examples/go_redis/go_redis.yaml >"$run/go_redis.yaml"
probes=$run/go_redis.yaml
# shellcheck disable=SC2046
record_runs "$runs" "${servers[@]}" -- $(client $((seconds * rate)))
hold_runs examples/go_redis/go_redis.tp item item
exit "$code"
