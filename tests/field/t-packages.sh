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
if [ -n "${TEST_ALL:-}" ]; then
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
