/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Names kept once: a service, an operation or a tag occurs in millions of spans, and each is then a
 * number. Number 0 is the empty name. Numbers are given in the order of first mention.
 */
#ifndef TRACE_SPAN_NAMES_H
#define TRACE_SPAN_NAMES_H

#include <stdint.h>

#include "base/arena.h"
#include "base/index.h"
#include "base/slice.h"
#include "base/vector.h"

enum { NAMES_RECENT = 256 };

struct span_names {
  struct arena arena;
  uint32_t recent[NAMES_RECENT]; /* by the address of a name's own text: what it is the number of */
  VECTOR(struct slice) texts;    /* by number; each with a NUL behind it */
  struct index index;            /* of texts */
};

void names_init(struct span_names *names);
void names_clear(struct span_names *names);

/* The number of a text; a new one when it was never mentioned. The text is copied, with U+FFFD for
 * what is never shown (base/shown.h); so are those that are looked for. */
uint32_t names_number(struct span_names *names, struct slice text);

/* The number of a text, or 0 when it was never mentioned. */
uint32_t names_find(const struct span_names *names, struct slice text);

/* The text of a number; lives as long as the names. */
const char *names_text(const struct span_names *names, uint32_t number);

#endif
