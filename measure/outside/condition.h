/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which event is meant, by what was read at its probe:
 *
 *   thread == asked.thread and lsn >= flushing.lsn
 *
 * Comparisons joined by `and`. A side is a sum of numbers, of fields of the event, and of fields of
 * events that were found before: MOMENT.FIELD, of a family MOMENT[r].FIELD. Every event has the
 * fields `thread` and `process`. In a family, `r` is the member's number. A text ("in quotes", or a
 * field) is compared by its hash (64 bits), with == and != alone.
 *
 * Sums are taken modulo 2^64, and the order is that of the difference as a signed number: positions
 * in a log may wrap around.
 */
#ifndef MEASURE_OUTSIDE_CONDITION_H
#define MEASURE_OUTSIDE_CONDITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CONDITION_ITEMS = 4, CONDITION_COMPARISONS = 6, CONDITION_NAME = 63 };

/* What stands for an event's thread and process among its fields. */
enum { CONDITION_THREAD = 0x100, CONDITION_PROCESS = 0x101 };

struct condition_item {
  bool negative;
  bool named;                      /* else a number */
  bool member;                     /* the number of the family's member */
  bool of_member;                  /* MOMENT[r] */
  uint64_t number;                 /* or the hash of a text */
  char moment[CONDITION_NAME + 1]; /* "": the event itself */
  char field[CONDITION_NAME + 1];
  /* set by whoever knows the names: */
  uint32_t moment_id, field_id;
};

struct condition_sum {
  size_t count;
  struct condition_item items[CONDITION_ITEMS];
};

enum condition_order {
  CONDITION_EQUAL,
  CONDITION_DIFFERS,
  CONDITION_LEAST,
  CONDITION_MOST,
  CONDITION_MORE,
  CONDITION_LESS,
};

struct condition_comparison {
  enum condition_order order;
  struct condition_sum left, right;
};

struct condition {
  size_t count;
  struct condition_comparison comparisons[CONDITION_COMPARISONS];
};

/* Reads a condition; `index` is the letter of a family, "r". False with one line in `message`. */
bool condition_parse(struct condition *condition, const char *text, const char *index,
                     char *message, size_t size);

/* What a text is compared by. */
uint64_t condition_hash(const uint8_t *text, size_t length);

/* Whether two values are as the comparison wants. */
bool condition_holds(enum condition_order order, uint64_t left, uint64_t right);

#endif
