#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What `make check ONLY=...` builds and runs. Nothing is built here: make only says what it would do.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
unset MAKEFLAGS MFLAGS MAKELEVEL

# WORD, the words that the runner gets, a test that is built, and one that is not
takes() {
  make -n check ONLY="$1" BUILD="$scratch/build" >"$scratch/out" 2>&1
  grep -q "tests/run.sh $2\$" "$scratch/out" && grep -qE "build/tests/$3( |\$)" "$scratch/out" &&
    ! grep -qE "build/tests/$4( |\$)" "$scratch/out"
  report $? "check ONLY=$1"
}

takes dist dist unit/dist/t-sum unit/lang/t-check
takes dist/t-sum dist/t-sum unit/dist/t-sum unit/dist/t-form
takes cli/present unit/cli unit/cli/t-confirm unit/dist/t-form
takes solver/encode unit/solver unit/solver/t-encoder unit/cli/t-confirm
takes measure/throughput/proxy unit/measure unit/measure/t-invariants unit/solver/t-encoder
takes "lang cli/t-slo" "lang cli/t-slo" unit/lang/t-check unit/dist/t-form

! make -s check ONLY= BUILD="$scratch/build" >"$scratch/out" 2>&1 && grep -q 'make check ONLY=WORD' "$scratch/out"
report $? "without a word it says how"
finish
