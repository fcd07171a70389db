/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How long an occurrence took in one recorded request, by its spans (span_map.h); for span_table.c.
 */
#ifndef CLI_QUESTION_LAW_SPAN_CELL_H
#define CLI_QUESTION_LAW_SPAN_CELL_H

#include "base/ledger.h"
#include "cli/question/law/span_map.h"

enum cell_state { CELL_VALUE, CELL_MISSING /* not measured */, CELL_ABSENT /* did not happen */ };

struct span_cell {
  enum cell_state state;
  int64_t lower, upper; /* ns, 0 <= lower <= upper; of a VALUE */
};

struct span_cells {
  const struct span_store *store;
  const struct span_map *map;
  VECTOR(uint32_t) found; /* rows of the span that is looked for, by their start */
  uint64_t lacking, contradicting, unfinished, across; /* cells: without a span; of clocks that
                              contradict each other; of spans without an end; from host to host */
  struct text message;
};

/* Store and map must outlive it. */
void span_cells_init(struct span_cells *cells, const struct span_store *store,
                     const struct span_map *map);
void span_cells_clear(struct span_cells *cells);

/* False, with "LINE: what" in the message, where a span of the map that is no "maybe" is in no
 * request. */
bool span_cells_check(struct span_cells *cells);

/* How many rounds the request has of an occurrence with k. */
uint32_t span_cell_rounds(struct span_cells *cells, const struct span_occurrence *occurrence,
                          uint32_t request);

/* That of round k, or of the only one. False, with what is wrong in the message, where the request
 * has several spans and the map does not say which is meant. */
bool span_cell_of(struct span_cell *cell, struct span_cells *cells,
                  const struct span_occurrence *occurrence, uint32_t request, uint32_t k);

/* What was found odd. */
void span_cells_note(const struct span_cells *cells, struct ledger *ledger);

#endif
