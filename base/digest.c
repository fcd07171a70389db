/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/digest.h"

#include <nettle/sha2.h>
#include <stdint.h>
#include <stdio.h>

void digest_bytes(char digest[DIGEST_LENGTH + 1], const void *bytes, size_t length) {
  struct sha256_ctx context;
  uint8_t raw[SHA256_DIGEST_SIZE];
  sha256_init(&context);
  sha256_update(&context, length, bytes);
  sha256_digest(&context, sizeof raw, raw);
  for (size_t i = 0; i < sizeof raw; i++)
    snprintf(digest + 2 * i, 3, "%02x", raw[i]);
}
