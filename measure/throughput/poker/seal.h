/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * HMAC-SHA256 (RFC 2104, FIPS 180-4) over what pokers say. measure/throughput/poker/seal.c is the
 * only file here that knows the library.
 */
#ifndef MEASURE_THROUGHPUT_POKER_SEAL_H
#define MEASURE_THROUGHPUT_POKER_SEAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SEAL_BYTES 32

/* The code of `first` followed by `second`, under a key of any length, also none. */
void seal_compute(uint8_t seal[SEAL_BYTES], const void *key, size_t key_size, const void *first,
                  size_t first_size, const void *second, size_t second_size);

/* Whether they are equal; takes as long whether they are or not. */
bool seal_equal(const uint8_t a[SEAL_BYTES], const uint8_t b[SEAL_BYTES]);

#endif
