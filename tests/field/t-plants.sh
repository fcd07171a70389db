#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# tail on services in express, fastify, koa and hapi with one thing in each that makes pages slow, or with none: with TEST_ALL
# alone, as that takes a quarter of an hour. Another program may be what was slow, so each plant has three tries.
. "$(dirname "$0")/../cli/tap.sh"
if [ -z "${TEST_ALL:-}" ]; then
  echo "ok 1 - left out: services with plants (TEST_ALL=1, or make test-all)"
  echo "1..1"
  exit 0
fi
sh tests/field/install.sh "$BUILD" || { echo "not ok 1 - the packages of tests/field are not there: see above"; exit 69; }
first=()
[ "$(id -u)" = 0 ] && first=(--first)
BUILD=$BUILD tests/field/plants.py --tries 3 --nulls 20 "${first[@]}" --keep "$scratch/kept" >"$scratch/out" 2>"$scratch/err"
status=$?
grep '^#' "$scratch/out"
check "24 plants are named first, by route and function, but two" 'exits 0' 'grep -q "^ok 1 - " "$scratch/out"'
check "beside four busy programs nothing is named but that there was no processor" 'grep -q "^ok 2 - " "$scratch/out"'
finish
