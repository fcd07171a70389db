#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Records one of the servers of this folder under an open loop of requests, and asks why some of them were slow:
#
#   examples/node/run.sh files|fanout|alloc [RATE [SECONDS]]
#
# The recording stays in $BUILD/examples/node/NAME (that of the run before is replaced).
set -eu
cd "$(dirname "$0")/../.."
. examples/node/servers.sh
BUILD=${BUILD:-build}
name=$1 rate=${2:-150} seconds=${3:-12}
run=$BUILD/examples/node/$name
rm -rf "$run"
mkdir -p "$run"
server=''
stop() {
  [ -z "$server" ] || kill "$server" 2>/dev/null || true
  helpers_stop
}
trap stop EXIT
show() { # the command as a user would type it, then what it says
  printf '$ %s\n' "$*"
  "$@"
  echo
}

helpers_start "$name"
PORT=$(port_free)
export PORT KEEP=${KEEP:-0}
echo "\$ PORT=$PORT tailproof record --node --out $run/store -- node examples/node/$name.js &"
"$BUILD/tailproof" record --node --out "$run/store" -- node "examples/node/$name.js" >"$run/log" 2>&1 &
server=$!
port_wait "$PORT" "$server" || { cat "$run/log" >&2; exit 70; }
show "$BUILD/tailproof" load "http://127.0.0.1:$PORT/" --routes "$(routes_of "$name")" --rate "$rate" --seconds "$seconds" --warmup 2 --out "$run/latencies.csv" || true
kill -TERM "$server"
wait "$server" || true
server=''
cat "$run/log"
code=0
show "$BUILD/tailproof" tail "$run/store" || code=$?
case $name in
files) change='io: *0.5' ;;        # a disk twice as fast
fanout) change='processes: 2' ;;   # a second process behind the port
alloc) change='gc: rarer 2' ;;     # half as many collections
esac
show "$BUILD/tailproof" whatif latency "$run/store" --change "$change" || code=$?
exit "$code"
