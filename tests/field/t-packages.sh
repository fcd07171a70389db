#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# record --node: programs on packages from npm do under the recorder what they do without it: they print the same, and end
# with the same exit code. With TEST_ALL, also the tests of two packages, with the same outcomes.
. "$(dirname "$0")/../cli/tap.sh"
sh tests/field/install.sh "$BUILD" || { echo "not ok 1 - the packages of tests/field are not there: see above"; exit 69; }
case $BUILD in /*) field=$BUILD/field ;; *) field=$PWD/$BUILD/field ;; esac
cp tests/field/apps/* "$scratch"
mkdir "$scratch/disk"
cd "$scratch" || exit 70
ln -s "$field/node_modules" node_modules

# As the table of `record` has it, whichever way it is printed.
answered() { tr -s '\n ' ' ' <err | grep -qE "$1 (process [0-9]+ [a-z]+ [0-9.]+( s)? answered|[0-9]+ [0-9.]+( s)?) $2 "; }

# A program, and how many requests it answers.
compare() {
  local app=$1 answered=$2 expected
  node "$app" >plain 2>plain.err
  expected=$?
  run record --node --out "log-$app" -- node "$app"
  cp out recorded
  { sed '/^$/,$d' err; } >recorded.err # before what `record` says
  check "$app" "exits $expected" '[ -s plain ]' 'diff plain recorded >&2' 'diff plain.err recorded.err >&2' \
    '! grep -q "stopped early" err' "answered $app $answered"
}
compare chalk.js 0
compare express.js 4
compare fastify.js 5
compare pino.js 0
compare koa.js 4
compare undici.mjs 3
if [ "$(node -p 'process.versions.node.split(".")[0]')" -ge 20 ]; then
  compare undici7.mjs 3
else
  echo "# undici 7 is left out: it needs Node.js 20, and this is $(node --version)"
fi

# A pool of connections, both of which a slow request holds: what waits for one of them is told so, also when they are made.
facts=$(dirname "$program")/tests/tools/event_log
pools() {
  local name=$1 waits=$2 made=$3
  until node pools.js "$name" >plain 2>plain.err || [ $? -ne 75 ]; do :; done
  until rm -rf "log-pools-$name" && run record --node --out "log-pools-$name" -- node pools.js "$name" && ! exits 75; do :; done
  cp out recorded
  EVENT_LOG_PARTS=1 "$facts" "log-pools-$name" >parts 2>&1
  check "a pool of $name" 'exits 0' '[ "$(wc -l <plain)" = 2 ]' 'diff plain recorded >&2' '[ ! -s plain.err ]' \
    "grep -q '^part GET /quick 0 [0-9]* waits for a connection of $waits\$' parts" '[ -z "$made" ] || grep -q "^part GET /first 0 [0-9]* waits for a connection of $made\$" parts'
}
pools generic-pool "generic-pool.s pool (2 of 2 in use)"
pools generic-pool-pipe "generic-pool.s pool (2 of 2 in use)"
pools undici "undici.s pool (all in use)" "undici's pool: one is made"
if [ -n "${TEST_ALL:-}" ]; then
  export PGHOST=$scratch/pg PGUSER=postgres MYSQL_SOCKET=$scratch/mysql.sock REDIS_SOCKET=$scratch/redis.sock
  if command -v initdb >/dev/null && [ "$(id -u)" = 0 ]; then
    install -d -o postgres pg
    chmod 755 .
    su postgres -c "initdb -A trust -D pg/data >pg/log 2>&1 && pg_ctl -D pg/data -o '-k $scratch/pg -c listen_addresses=' -l pg/log -w start >pg/started"
    pools pg "pg.s pool (2 of 2 in use)" "pg's pool: one is made"
    pools pg-client "pg.s pool (2 of 2 in use)" "pg's pool: one is made"
    pools knex "tarn.s pool (2 of 2 in use)" "tarn's pool: one is made"
    su postgres -c "pg_ctl -D pg/data -m immediate stop >pg/stopped"
  else
    echo "# skip: pools of PostgreSQL: as root, with it installed"
  fi
  if command -v redis-server >/dev/null; then
    redis-server --port 0 --unixsocket redis.sock --save "" >redis.log 2>&1 &
    server=$!
    for _ in $(seq 100); do [ -S redis.sock ] && break; sleep 0.1; done
    pools ioredis "ioredis: it is not ready (offline queue)"
    kill $server
  fi
  if command -v mariadbd mariadb-install-db >/dev/null; then
    mariadb-install-db --no-defaults --datadir="$scratch/mysql" --auth-root-authentication-method=normal >mysql.log 2>&1
    mariadbd --no-defaults --datadir="$scratch/mysql" --socket="$scratch/mysql.sock" --skip-networking --user="$(id -un)" >>mysql.log 2>&1 &
    server=$!
    for _ in $(seq 100); do [ -S mysql.sock ] && break; sleep 0.1; done
    pools mysql2 "mysql2.s pool (2 of 2 in use)" "mysql2's pool: one is made"
    pools mysql2-promise "mysql2.s pool (2 of 2 in use)" "mysql2's pool: one is made"
    kill $server
  else
    echo "# skip: pools of mysql2: mariadb-server is not installed"
  fi
fi

# The function that holds the loop, in TypeScript that is compiled in memory, and in bundles.
if [ -n "${TEST_ALL:-}" ]; then
  cp burn.ts burn.mts
  bin=$field/node_modules/.bin
  "$bin/esbuild" burn.ts --bundle --minify --platform=node --outfile=dist/min.js --sourcemap --log-level=warning
  "$bin/esbuild" burn.ts --bundle --minify --platform=node --outfile=dist/inline.js --sourcemap=inline --log-level=warning
  "$bin/esbuild" burn.ts --bundle --minify --platform=node --format=esm --outfile=dist/esm.mjs --sourcemap --log-level=warning
  "$bin/esbuild" burn.ts --bundle --minify --platform=node --outfile=dist/none.js --log-level=warning
  named() {
    local what=$1 wanted=$2
    shift 2
    TAILPROOF_NODE_WATCH=50 run record --node --out "log-burn-$what" -- "$@"
    check "$what: $wanted" 'exits 0' "grep -aqF '$wanted' log-burn-$what/*.tpn" "! grep -aqE 'burn\.m?ts:(1|2|3):' log-burn-$what/*.tpn"
  }
  named min "burn.ts:11:8 burnTheLoop" node dist/min.js
  named min-enabled "burn.ts:11:8 burnTheLoop" node --enable-source-maps dist/min.js
  named inline "burn.ts:11:8 burnTheLoop" node dist/inline.js
  named esm "burn.ts:11:8 burnTheLoop" node dist/esm.mjs
  named none "dist/none.js:1:" node dist/none.js
  named tsx "burn.ts:11:8 burnTheLoop" node "$bin/tsx" burn.ts
  named tsx-esm "burn.mts:11:8 burnTheLoop" node "$bin/tsx" burn.mts
fi

unset log # a variable of whoever runs this
# What goes wrong with the log, or happens to the program, changes nothing of what it does.
harsh() {
  local what=$1 deed=$2 said=$3 expected
  shift 3
  DO=$deed node "$@" harsh.js >plain 2>plain.err
  expected=$?
  DO=$deed run record --node --out "${log:-$scratch/log-$what}" -- node "$@" harsh.js
  check "$what" "exits $expected" '[ "$(wc -l <plain)" -ge 3 ]' 'diff plain out >&2' '! grep -qE "^    at |Error:" err' "tr -s '\n ' ' ' <err | grep -qE \"$said\""
}
harsh usual '' 'harsh.js (process [0-9]+ [a-z]+ [0-9.]+( s)? answered|[0-9]+ [0-9.]+( s)?) 4 '
harsh killed kill 'killed by signal 9'
harsh terminated term 'killed by signal 15'
permission=$(node --permission --allow-fs-read=\* -e 0 2>dev.null && echo --permission || echo --experimental-permission)
if node "$permission" --allow-fs-read=\* -e 0 2>dev.null; then
  harsh forbidden '' '(was not|nothing was) recorded' --no-warnings "$permission" --allow-fs-read=\*
fi
if [ "$(id -u)" = 0 ]; then
  chmod 755 .
  harsh another-user setuid 'harsh.js (process [0-9]+ [a-z]+ [0-9.]+( s)? answered|[0-9]+ [0-9.]+( s)?) 4 '
  mount -t tmpfs -o size=64k tmpfs disk || exit 70
  head -c 65536 /dev/zero >disk/zeros 2>dev.null
  log=$scratch/disk/log harsh full-disk '' 'No space left on device'
  umount disk
else
  echo "# skip: another user, and a full disk: as root"
fi

# The tests of two packages, file by file: one that injects requests into servers, and one whose modules proxyquire loads.
outcomes() { grep -E '^# (tests|pass|fail) ' "$1"; }
if [ -n "${TEST_ALL:-}" ] && [ "$(node -p 'process.versions.node.split(".")[0]')" -lt 20 ]; then
  echo "# tests of packages are left out: without the recorder, too, they fail before Node.js 20, and this is $(node --version)"
elif [ -n "${TEST_ALL:-}" ]; then
  for package in light-my-request find-my-way; do
    mkdir -p "$scratch/logs/$package"
    cp -r "$field/node_modules/$package" "$scratch/$package"
    cd "$scratch/$package" || exit 70
    for test in test/*.test.js; do
      node --test-reporter=tap "$test" >plain 2>&1
      expected=$?
      run record --node --out "$scratch/logs/$package/$(basename "$test")" -- node --test-reporter=tap "$test"
      cp "$scratch/out" recorded
      check "$test of $package" "exits $expected" 'diff <(outcomes plain) <(outcomes recorded) >&2' 'outcomes plain | grep -q "pass [1-9]"'
    done
  done
fi
finish
