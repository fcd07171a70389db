/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/core/sample_record.h"

/* No places. Returns 0. */
/*@ requires storage: \valid(places);
    assigns *places;
    ensures refused: \result == 0;
    ensures nothing: places->chain_count == 0 && places->registers == 0 && places->stack == 0 &&
      places->stack_bytes == 0;
*/
static int sample_refuse(struct sample_places *places) {
  places->chain_count = 0;
  places->registers = 0;
  places->stack = 0;
  places->stack_bytes = 0;
  return 0;
}

int sample_locate(struct sample_places *places, const uint64_t *words, uint64_t count,
                  uint32_t registers) {
  if (count < SAMPLE_CHAIN || words[3] > count - SAMPLE_CHAIN)
    return sample_refuse(places);
  uint64_t chain_count = words[3], at = SAMPLE_CHAIN + chain_count;
  uint64_t registers_at = 0, stack = 0, stack_bytes = 0;
  if (registers != 0) {
    if (at >= count)
      return sample_refuse(places);
    uint64_t abi = words[at];
    at++;
    if (abi != 0) {
      registers_at = at;
      at += registers;
    }
    if (at >= count)
      return sample_refuse(places);
    uint64_t size = words[at];
    at++;
    if (size != 0) {
      if (size % 8 != 0 || size / 8 >= count - at)
        return sample_refuse(places);
      uint64_t used = words[at + size / 8];
      stack = at;
      stack_bytes = used < size ? used : size;
    }
  }
  places->chain_count = chain_count;
  places->registers = registers_at;
  places->stack = stack;
  places->stack_bytes = stack_bytes;
  return 1;
}
