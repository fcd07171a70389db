#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Three members of ZooKeeper on this host, watched from outside while their leader takes writes, and held against
# zookeeper_write.tp:
#
#   examples/zookeeper/run.sh [WRITES]
#
# The recording stays in $BUILD/examples/zookeeper/run (that of the run before is replaced).
set -eu
cd "$(dirname "$0")/../.."
BUILD=${BUILD:-build}
name=zookeeper
run=$BUILD/examples/zookeeper/run
writes=${1:-3000}
members=()
data=
stop() {
  [ "${#members[@]}" = 0 ] || kill "${members[@]}" 2>/dev/null || true
  [ "${#members[@]}" = 0 ] || wait "${members[@]}" 2>/dev/null || true
  rm -rf "$data"
}
. examples/common/outside.sh
data=$(mktemp -d)
rm -rf "$run"
mkdir -p "$run"

base=$((20000 + $$ % 10000)) # ports that another run is not likely to have
start() {
  mkdir "$data/$1"
  echo "$1" >"$data/$1/myid"
  cat >"$data/$1.cfg" <<END_OF_CONFIGURATION
tickTime=2000
initLimit=10
syncLimit=5
dataDir=$data/$1
clientPort=$((base + $1))
clientPortAddress=127.0.0.1
admin.enableServer=false
4lw.commands.whitelist=srvr
server.1=127.0.0.1:$((base + 11)):$((base + 21))
server.2=127.0.0.1:$((base + 12)):$((base + 22))
server.3=127.0.0.1:$((base + 13)):$((base + 23))
END_OF_CONFIGURATION
  java -Xmx256m -cp /usr/share/java/zookeeper.jar org.apache.zookeeper.server.quorum.QuorumPeerMain "$data/$1.cfg" \
    >"$data/$1.log" 2>&1 &
  members+=($!)
}
mode() { # of a member: leader, follower, or nothing
  (exec 3<>"/dev/tcp/127.0.0.1/$((base + $1))" && echo srvr >&3 && sed -n 's/^Mode: //p' <&3) 2>/dev/null
}
start 1
start 3 # of two members that know nothing the one with the higher number leads
await '[ "$(mode 3)" = leader ] && [ "$(mode 1)" = follower ]'
start 2
await '[ "$(mode 2)" = follower ]'

client() { echo "python3 examples/zookeeper/client.py --port $((base + 3)) --writes $1"; }
await '[ "$(mode 3)" = leader ] && $(client 2000)' # for Java's compiler, too
# shellcheck disable=SC2046
record "${members[@]}" -- $(client "$writes")
hold examples/zookeeper/zookeeper_write.tp write write --set n=3 --set q=2
exit "$code"
