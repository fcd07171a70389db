#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The contracts of the proved functions as checks at run time: every `requires` has its check, a call
# that breaks one ends there, and calls that keep them all do not. tests/sanitize runs the tests with them.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
proved=(measure/core/*.[ch] measure/throughput/core/*.[ch])

proofs/requires.py "$scratch/checked" "${proved[@]}" 2>"$scratch/log"
report $? "all contracts are understood"
written=$(grep -ohE '^ +requires \w+:|/\*@ +requires \w+:' "${proved[@]}" | wc -l)
checks=$(cat "$scratch"/checked/measure/core/* "$scratch"/checked/measure/throughput/core/* | grep -o 'REQUIRES("' | wc -l)
echo "$written in the sources, $checks checks" >"$scratch/log"
[ "$written" -gt 100 ] && [ "$written" -eq "$checks" ]
report $? "every requires has its check"

# What cannot be checked is said, and not left out.
mistake() { # name, words, contract with its function
  printf '%s\n' "$3" >"$scratch/bad.c"
  ! (cd "$scratch" && "$OLDPWD/proofs/requires.py" out bad.c) >/dev/null 2>"$scratch/log" && grep -q "$2" "$scratch/log"
  report $? "$1"
}
mistake "an expression that is not understood" 'f: odd: .*not understood' '/*@ requires odd: \exists integer i; i == a; */
int f(int a) {
}'
mistake "a requires without a label" 'bad.c:1: .*not understood' '/*@ requires a > 0; */
int f(int a) {
}'
mistake "a function that is nowhere" 'definition was not found' '/*@ requires range: a > 0; */
int f(int a);'
mistake "another name of the parameter" 'other names' '/*@ requires range: a > 0; */
int f(int a);
int f(int b) {
}'

cat >"$scratch/calls.c" <<'C'
#include "measure/core/histogram.h"
#include "measure/core/probe.h"
#include "measure/core/quantile.h"
#include "measure/core/ring.h"
#include "measure/core/ticks.h"
#include "measure/throughput/core/pause.h"
#include "measure/throughput/core/poke.h"
#include "measure/throughput/core/predict.h"
#include <string.h>

int main(int argc, char **argv) {
  static struct histogram one, two;
  struct pause_ledger ledger = {5, 3, 2};
  struct poke poke = {.kind = POKE_HELLO, .text = "a"}, read;
  struct probe probe = {0};
  uint64_t y[3] = {3, 1, 2}, reversed = 0, *nowhere = NULL;
  uint8_t bytes[POKE_BYTES], *few = malloc(3);
  int call = argc > 1 ? atoi(argv[1]) : 0;
  histogram_init(&one);
  histogram_init(&two);
  histogram_record(&one, 7);
  switch (call) {
  case 0:
    ticks_to_ns_up(UINT64_MAX, TICKS_RATE_ONE);
    ticks_between(1, 2, &reversed);
    ring_first(3, 1);
    histogram_merge(&two, &one);
    pause_owe(&ledger, 1, 1);
    poke_encode(bytes, &poke);
    poke_decode(&read, bytes, sizeof bytes);
    probe_decode(&probe, bytes, 3);
    predict_isotonic(y, 3);
    predict_isotonic(NULL, 0);
    break;
  case 1: ticks_to_ns_up(1, (uint64_t)TICKS_RATE_ONE + 1); break;
  case 2: ticks_between(1, 2, nowhere); break;
  case 3: ring_first(3, 0); break;
  case 4: one.total = 9; histogram_record(&one, 7); break;
  case 5: histogram_merge(&one, &one); break;
  case 6: ledger.carried_ns = 3; pause_owe(&ledger, 1, 1); break;
  case 7: poke.text[0] = ' '; poke_encode(bytes, &poke); break;
  case 8: poke.kind = 99; poke_encode(bytes, &poke); break;
  case 9: poke_encode((uint8_t *)&poke, &poke); break;
  case 10: y[1] = UINT64_MAX; predict_isotonic(y, 3); break;
  case 11: predict_isotonic(y, PREDICT_LEVELS + 1); break;
  case 12: histogram_upper_edge_ns(HISTOGRAM_BUCKETS); break;
  case 13: probe_encode(few, &probe); break;
  }
  free(few);
  return 0;
}
C
expected=(- 'ticks_to_ns_up requires rate_range' 'ticks_between requires storage' 'ring_first requires capacity_range'
  'histogram_record requires conserved' 'histogram_merge requires distinct' 'pause_owe requires balanced' 'poke_encode requires fits'
  'poke_encode requires fits' 'poke_encode requires distinct' 'predict_isotonic requires values'
  'predict_isotonic requires storage' 'histogram_upper_edge_ns requires bucket_exists' 'probe_encode requires storage')
if gcc -std=c11 -D_POSIX_C_SOURCE=200809L -g -fsanitize=address -I"$scratch/checked" -I. -o "$scratch/calls" \
  "$scratch/calls.c" "$scratch"/checked/measure/core/*.c "$scratch"/checked/measure/throughput/core/*.c 2>"$scratch/log"; then
  "$scratch/calls" 0 2>"$scratch/log"
  report $? "calls that keep the contracts"
  for call in $(seq 1 $((${#expected[@]} - 1))); do
    ! { "$scratch/calls" "$call"; } 2>"$scratch/log" && grep -q "internal error: .*${expected[call]}" "$scratch/log"
    report $? "a call that breaks one: ${expected[call]}"
  done
else
  report 1 "the checked sources compile"
fi
finish
