/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which spans of recorded requests are which occurrences of a protocol that was written by hand: a
 * YAML file (docs/manual.md, "Traces as measurements").
 *
 *     request: web/checkout
 *     occurrences:
 *       Handle: own pay/charge                      # without the calls that it makes
 *       d(Ask): web/ask start -> pay/charge start   # from one moment to another
 *       Fetch[k]:                                   # the first, the second, ... by their start
 *         - before item/get [k]                     # since its caller began, or had an answer
 *         - item/get [k]
 *       Refill: maybe cache/refill                  # not in each request
 *       Send: client web/GET                        # of the client's and the server's span
 *
 * A list is a sum of what stands in it.
 */
#ifndef CLI_QUESTION_LAW_SPAN_MAP_H
#define CLI_QUESTION_LAW_SPAN_MAP_H

#include "base/text.h"
#include "trace/span/store.h"

enum span_moment { SPAN_STARTS, SPAN_ENDS };

struct span_name {
  char *service, *operation; /* owned */
  enum span_kind kind;       /* SPAN_UNKNOWN: any */
  uint32_t number;           /* 1: the first by its start, ...; 0: the only one, or: */
  bool last;
  bool each; /* [k], for all k */
};

enum span_part { SPAN_WHOLE, SPAN_OWN, SPAN_BEFORE, SPAN_BETWEEN };

/* What a term of an occurrence takes: the span, what of it is its own, what its caller does before
 * it, or from one moment to another. */
struct span_term {
  enum span_part part;
  struct span_name from, to; /* of a span both are the same */
  enum span_moment from_moment, to_moment;
};

struct span_occurrence {
  char *name; /* "Fetch[k]", as bounds write it */
  unsigned line;
  VECTOR(struct span_term) terms; /* at least one */
  bool maybe; /* a request without the spans did not have it; else it was not measured */
  bool each;  /* k stands for 1, 2, ... */
};

struct span_map {
  char *service, *operation; /* of a request's root; NULL: any */
  VECTOR(struct span_occurrence) occurrences;
};

/* Reads the file. False with one line in `message` that begins with the path. To be cleared in any
 * case. */
bool span_map_read(struct span_map *map, const char *path, struct text *message);
void span_map_clear(struct span_map *map);

/* Forgets the occurrences. */
void span_map_keep_request(struct span_map *map);

/* Appends the occurrence's name with k in place of the letter. */
void span_occurrence_say(struct text *text, const struct span_occurrence *occurrence, uint32_t k);

#endif
