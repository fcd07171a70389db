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
  sample_refuse(places);
  if (count < SAMPLE_CHAIN || words[3] > count - SAMPLE_CHAIN)
    return 0;
  places->chain_count = words[3];
  if (registers == 0)
    return 1;
  uint64_t at = SAMPLE_CHAIN + words[3];
  if (at == count)
    return sample_refuse(places);
  uint64_t abi = words[at];
  at++;
  if (abi != 0 && registers > count - at)
    return sample_refuse(places);
  if (abi != 0) {
    places->registers = at;
    at += registers;
  }
  if (at == count)
    return sample_refuse(places);
  uint64_t size = words[at];
  at++;
  if (size == 0)
    return 1;
  if (size % 8 != 0 || size / 8 >= count - at)
    return sample_refuse(places);
  uint64_t used = words[at + size / 8];
  places->stack = at;
  places->stack_bytes = used < size ? used : size;
  return 1;
}
