/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/throughput/poker/seal.h"

#include <nettle/hmac.h>
#include <nettle/memops.h>

_Static_assert(SEAL_BYTES == SHA256_DIGEST_SIZE, "the whole code is sent");

void seal_compute(uint8_t seal[SEAL_BYTES], const void *key, size_t key_size, const void *first,
                  size_t first_size, const void *second, size_t second_size) {
  struct hmac_sha256_ctx context;
  hmac_sha256_set_key(&context, key_size, key);
  hmac_sha256_update(&context, first_size, first);
  hmac_sha256_update(&context, second_size, second);
  hmac_sha256_digest(&context, SEAL_BYTES, seal);
}

bool seal_equal(const uint8_t a[SEAL_BYTES], const uint8_t b[SEAL_BYTES]) {
  return memeql_sec(a, b, SEAL_BYTES) != 0;
}
