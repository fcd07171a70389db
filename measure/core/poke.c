/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/core/poke.h"

/* Four bytes at a place, the least significant first. */
static void poke_put_half(uint8_t *bytes, uint32_t at, uint64_t half) {
  uint8_t *place = bytes + at;
  place[0] = (uint8_t)(half % 256);
  place[1] = (uint8_t)(half / 256 % 256);
  place[2] = (uint8_t)(half / 65536 % 256);
  place[3] = (uint8_t)(half / 16777216);
}

static void poke_put(uint8_t *bytes, uint32_t at, uint64_t number) {
  poke_put_half(bytes, at, number % 4294967296);
  poke_put_half(bytes, at + 4, number / 4294967296);
}

static uint64_t poke_get_half(const uint8_t *bytes, uint32_t at) {
  return bytes[at] + bytes[at + 1] * (uint64_t)256 + bytes[at + 2] * (uint64_t)65536 +
         bytes[at + 3] * (uint64_t)16777216;
}

static uint64_t poke_get(const uint8_t *bytes, uint32_t at) {
  return poke_get_half(bytes, at) + poke_get_half(bytes, at + 4) * 4294967296;
}

static int poke_values_end(const uint64_t values[], uint32_t count) {
  for (uint32_t i = count; i < POKE_VALUES; i++)
    if (values[i] != 0)
      return 0;
  return 1;
}

static int poke_text_ends(const char text[]) {
  uint32_t used = 0;
  while (used < POKE_TEXT - 1 && text[used] > 32 && text[used] < 127)
    used++;
  for (uint32_t i = used; i < POKE_TEXT; i++)
    if (text[i] != 0)
      return 0;
  return 1;
}

int poke_check(const struct poke *poke) {
  return poke->kind >= POKE_HELLO && poke->kind <= POKE_REFUSE && poke->count <= POKE_VALUES &&
         poke_values_end(poke->values, poke->count) && poke_text_ends(poke->text);
}

static void poke_put_values(uint8_t *bytes, const uint64_t values[]) {
  for (uint32_t i = 0; i < POKE_VALUES; i++)
    poke_put(bytes, 32 + 8 * i, values[i]);
}

static void poke_put_text(uint8_t *bytes, const char text[]) {
  for (uint32_t i = 0; i < POKE_TEXT; i++)
    bytes[160 + i] = (uint8_t)text[i];
}

void poke_encode(uint8_t bytes[POKE_BYTES], const struct poke *poke) {
  bytes[0] = 'T';
  bytes[1] = 'K';
  bytes[2] = POKE_VERSION;
  bytes[3] = poke->kind;
  poke_put_half(bytes, 4, poke->count);
  poke_put(bytes, 8, poke->sequence);
  poke_put(bytes, 16, poke->epoch);
  poke_put(bytes, 24, poke->number);
  poke_put_values(bytes, poke->values);
  poke_put_text(bytes, poke->text);
}

static void poke_get_values(uint64_t values[], const uint8_t *bytes) {
  for (uint32_t i = 0; i < POKE_VALUES; i++)
    values[i] = poke_get(bytes, 32 + 8 * i);
}

/* A byte that is no ASCII becomes a 1, which no text may have. */
static void poke_get_text(char text[], const uint8_t *bytes) {
  for (uint32_t i = 0; i < POKE_TEXT; i++)
    text[i] = bytes[160 + i] < 128 ? (char)bytes[160 + i] : 1;
}

int poke_decode(struct poke *poke, const uint8_t *bytes, uint64_t size) {
  if (size != POKE_BYTES || bytes[0] != 'T' || bytes[1] != 'K' || bytes[2] != POKE_VERSION)
    return 0;
  poke->count = (uint32_t)poke_get_half(bytes, 4);
  poke->sequence = poke_get(bytes, 8);
  poke->epoch = poke_get(bytes, 16);
  poke->number = poke_get(bytes, 24);
  poke_get_values(poke->values, bytes);
  poke_get_text(poke->text, bytes);
  poke->kind = bytes[3];
  return poke_check(poke);
}
