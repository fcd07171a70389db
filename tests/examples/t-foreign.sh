#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# TAP: a ring whose nodes are written in other languages hands the lock around on generated C steps, refuses what is no
# message, and takes no step for an old token. By default in C++; with TEST_ALL in Go and Rust, too.
set -u
# shellcheck source=tests/examples/common.sh
. "$(dirname "$0")/common.sh"
mkdir -p "$scratch/build/examples/foreign"
ln -s "$(realpath "$tailproof")" "$scratch/build/tailproof"
[ -z "${TEST_ALL:-}" ] || export GOCACHE=$scratch/build/go.cache
ring() { BUILD=$scratch/build examples/foreign/run.sh "$@" >"$scratch/log" 2>&1; }

# says NODE LANGUAGE LINE...: these lines of the node, in this order, and no others
says() {
  local node=$1 language=$2
  shift 2
  [ "$(sed -n "s/^node $node, $language: //p" "$scratch/log")" = "$(printf '%s\n' "$@")" ]
}

# A ring of three with two turns each, in the languages named.
three() {
  says 0 "$1" 'passes the lock on, epoch 1' 'refuses what is no message' 'takes no step for an old token' \
    'has the lock, epoch 3' 'passes the lock on, epoch 4' &&
    says 1 "$2" 'refuses what is no message' 'takes no step for an old token' 'has the lock, epoch 1' 'passes the lock on, epoch 2' \
      'has the lock, epoch 4' 'passes the lock on, epoch 5' &&
    says 2 "$3" 'refuses what is no message' 'takes no step for an old token' 'has the lock, epoch 2' 'passes the lock on, epoch 3' \
      'has the lock, epoch 5' 'passes the lock on, epoch 6' &&
    [ "$(tail -n 1 "$scratch/log")" = 'the last token says 6: 6 hops' ]
}

ring cpp cpp cpp && three C++ C++ C++
result $? "three nodes in C++ hand the lock around, and refuse what is none"
[ -z "$(find "$scratch/build/examples/foreign" -name 'run.*')" ]
result $? "no pipe is left"
node=$scratch/build/examples/foreign/cpp
echo 'not 36 bytes' | "$node" 1 2 1 >"$scratch/log" 2>&1
[ $? -eq 1 ] && grep -qx 'node: the node before is gone' "$scratch/log"
result $? "a node whose neighbour is gone says so"
"$node" 2 2 1 >"$scratch/log" 2>&1 </dev/null
[ $? -eq 1 ] && grep -qx 'node: 2: a whole number from 0 to 1' "$scratch/log"
result $? "a node that is none of the ring says so"
for wrong in pascal '--turns 0' '--turns'; do
  # shellcheck disable=SC2086
  ring $wrong
  [ $? -eq 64 ] && [ "$(wc -l <"$scratch/log")" -eq 1 ]
  result $? "run.sh $wrong: refused"
done

if [ -n "${TEST_ALL:-}" ]; then
  ring && three C++ Go Rust
  result $? "a ring of C++, Go and Rust"
  ring rust go cpp && three Rust Go C++
  result $? "and of Rust, Go and C++"
  for language in go rust; do
    echo 'not 36 bytes' | "$scratch/build/examples/foreign/$language" 1 2 1 >"$scratch/log" 2>&1
    [ $? -eq 1 ] && grep -qx 'node: the node before is gone' "$scratch/log"
    result $? "a node in $language whose neighbour is gone says so"
    "$scratch/build/examples/foreign/$language" 2 2 1 >"$scratch/log" 2>&1 </dev/null
    [ $? -eq 1 ] && grep -qx 'node: 2: a whole number from 0 to 1' "$scratch/log"
    result $? "a node in $language that is none of the ring says so"
  done
  cp -r examples/foreign/rust "$scratch/rust" && sed -i 's/pub epoch: i32/pub epoch: i64/' "$scratch/rust/steps.rs" &&
    sed -i 's/self.this.epoch)/self.this.epoch as i32)/' "$scratch/rust/node.rs" && place=$scratch/build/examples/foreign &&
    rustc --edition 2021 -C link-arg="$place/layout.o" -L "native=$place/steps" -l static=steps -o "$scratch/shifted" "$scratch/rust/node.rs" &&
    ! "$scratch/shifted" 0 1 1 2>"$scratch/log" </dev/null && grep -q 'steps.rs is not what the headers say' "$scratch/log"
  result $? "a struct of another layout in Rust stops the program"
else
  echo "# Go and Rust: make test-all"
fi
echo "1..$count"
