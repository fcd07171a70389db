/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/core/poke.h"

#define AT_COUNT 4
#define AT_SEQUENCE 8
#define AT_EPOCH 16
#define AT_NUMBER 24
#define AT_VALUES 32
#define AT_TEXT 160

static void poke_put_half(uint8_t *bytes, uint64_t half) {
  bytes[0] = (uint8_t)(half % 256);
  bytes[1] = (uint8_t)(half / 256 % 256);
  bytes[2] = (uint8_t)(half / 65536 % 256);
  bytes[3] = (uint8_t)(half / 16777216);
}

static uint64_t poke_get_half(const uint8_t *bytes) {
  return bytes[0] + bytes[1] * (uint64_t)256 + bytes[2] * (uint64_t)65536 +
         bytes[3] * (uint64_t)16777216;
}

static void poke_put(uint8_t *bytes, uint64_t number) {
  poke_put_half(bytes, number % 4294967296);
  poke_put_half(bytes + 4, number / 4294967296);
}

static uint64_t poke_get(const uint8_t *bytes) {
  return poke_get_half(bytes) + poke_get_half(bytes + 4) * 4294967296;
}

/* Characters without blanks, then zeros, at least one. */
static int poke_text_valid(const uint8_t *text) {
  uint32_t used = 0;
  while (used < POKE_TEXT - 1 && text[used] > 32 && text[used] < 127)
    used++;
  for (uint32_t i = used; i < POKE_TEXT; i++)
    if (text[i] != 0)
      return 0;
  return 1;
}

int poke_check(const struct poke *poke) {
  if (poke->kind < POKE_HELLO || poke->kind > POKE_REFUSE || poke->count > POKE_VALUES)
    return 0;
  for (uint32_t i = poke->count; i < POKE_VALUES; i++)
    if (poke->values[i] != 0)
      return 0;
  return poke_text_valid((const uint8_t *)poke->text);
}

void poke_encode(uint8_t bytes[POKE_BYTES], const struct poke *poke) {
  bytes[0] = 'T';
  bytes[1] = 'K';
  bytes[2] = POKE_VERSION;
  bytes[3] = poke->kind;
  poke_put_half(bytes + AT_COUNT, poke->count);
  poke_put(bytes + AT_SEQUENCE, poke->sequence);
  poke_put(bytes + AT_EPOCH, poke->epoch);
  poke_put(bytes + AT_NUMBER, poke->number);
  for (uint32_t i = 0; i < POKE_VALUES; i++)
    poke_put(bytes + AT_VALUES + 8 * i, poke->values[i]);
  for (uint32_t i = 0; i < POKE_TEXT; i++)
    bytes[AT_TEXT + i] = (uint8_t)poke->text[i];
}

int poke_decode(struct poke *poke, const uint8_t *bytes, uint64_t size) {
  if (size != POKE_BYTES || bytes[0] != 'T' || bytes[1] != 'K' || bytes[2] != POKE_VERSION)
    return 0;
  poke->kind = bytes[3];
  poke->count = (uint32_t)poke_get_half(bytes + AT_COUNT);
  poke->sequence = poke_get(bytes + AT_SEQUENCE);
  poke->epoch = poke_get(bytes + AT_EPOCH);
  poke->number = poke_get(bytes + AT_NUMBER);
  for (uint32_t i = 0; i < POKE_VALUES; i++)
    poke->values[i] = poke_get(bytes + AT_VALUES + 8 * i);
  for (uint32_t i = 0; i < POKE_TEXT; i++)
    poke->text[i] = (char)bytes[AT_TEXT + i];
  return poke_check(poke);
}
