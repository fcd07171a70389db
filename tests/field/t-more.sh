#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# record --node: frameworks, protocols and clients of others do under the recorder what they do without it, and each request
# has a complete chain. With TEST_ALL.
. "$(dirname "$0")/../cli/tap.sh"
if [ -z "${TEST_ALL:-}" ]; then
  echo "ok 1 - left out: frameworks of others (TEST_ALL=1, or make test-all)"
  echo "1..1"
  exit 0
fi
sh tests/field/install.sh "$BUILD" more || { echo "not ok 1 - the packages of tests/field/more are not there: see above"; exit 69; }
case $BUILD in /*) field=$BUILD/field-more ;; *) field=$PWD/$BUILD/field-more ;; esac
facts=$PWD/$BUILD/tests/tools/event_log
case $BUILD in /*) facts=$BUILD/tests/tools/event_log ;; esac
cp tests/field/more/apps/* tests/field/apps/ask.js "$scratch"
cd "$scratch" || exit 70
ln -s "$field/node_modules" node_modules

# A program, and how many requests it answers, each of which has a complete chain.
compare() {
  local app=$1 answered=$2 expected
  node "$app" >plain 2>plain.err
  expected=$?
  run record --node --out "log-$app" -- node "$app"
  cp out recorded
  { sed '/^$/,$d' err; } >recorded.err # before what `record` says
  "$facts" "log-$app" >facts
  check "$app" "exits $expected" '[ -s plain ]' 'diff plain recorded >&2' 'diff plain.err recorded.err >&2' '! grep -q "stopped early" err' \
    "grep -qx 'state 0 $answered answered' facts" '! grep "^state" facts | grep -vE " answered$| another protocol$" >&2'
}
compare express5.js 4
compare fastify5.js 5
compare hapi.js 4
compare nest.js 4
compare yoga.js 4
compare sockets.js '[2-5]' # it may ask once more before it is upgraded
compare grpc.js 4
compare piscina.js 4
if command -v redis-server >/dev/null; then
  export REDIS_PORT=$((20000 + $$ % 20000))
  redis-server --port $REDIS_PORT --bind 127.0.0.1 --save "" --appendonly no >redis.out 2>&1 &
  for ((i = 0; i < 100; i++)); do grep -q "Ready to accept" redis.out && break; sleep 0.05; done
  compare redis.js 3
  kill %1
else
  echo "# redis.js is left out: redis-server is missing"
fi
finish
