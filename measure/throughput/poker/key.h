/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The key that pokers and who directs them share: the bytes of a file, without line ends at its
 * end.
 */
#ifndef MEASURE_THROUGHPUT_POKER_KEY_H
#define MEASURE_THROUGHPUT_POKER_KEY_H

#include <stddef.h>
#include <stdint.h>

#define KEY_LEAST 16
#define KEY_MOST 4096
#define KEY_MESSAGE 512

struct poker_key {
  uint8_t bytes[KEY_MOST];
  size_t size; /* 0: no key */
};

/* 0; or ENOENT and the like when the file cannot be read, EBADMSG when it is none that can be used:
 * fewer than KEY_LEAST bytes, more than KEY_MOST, or readable by others than its owner. Then there
 * is no key, and `message` names file, fault and remedy, in one line. */
int key_read(struct poker_key *key, const char *path, char message[KEY_MESSAGE]);

#endif
