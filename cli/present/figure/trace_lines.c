/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/figure/trace_lines.h"

#include <stdlib.h>

#include "trace/span/store.h"

struct choosing {
  struct trace_lines *lines;
  const struct nested_call *calls;
  uint32_t count;
  bool *kept;
  uint32_t *above; /* by call: the nearest with a line, itself or a caller; SPAN_NONE: none */
  uint32_t *end;   /* by call: behind the last one below it */
};

static int by_weight(const void *a, const void *b) {
  const struct nested_call *const *x = a, *const *y = b;
  if ((*x)->weight != (*y)->weight)
    return (*x)->weight > (*y)->weight ? -1 : 1;
  if ((*x)->lesser != (*y)->lesser)
    return (*x)->lesser > (*y)->lesser ? -1 : 1;
  return *x < *y ? -1 : 1;
}

/* Calls without a line from this one upwards; more than `most`: many. */
static size_t unkept_above(const struct choosing *c, uint32_t call, size_t most) {
  size_t count = 0;
  for (; call != SPAN_NONE && !c->kept[call] && count <= most; call = c->calls[call].caller)
    count++;
  return count;
}

static void keep_heaviest(struct choosing *c, size_t most) {
  const struct nested_call **heaviest = mem_alloc(c->count, sizeof *heaviest);
  for (uint32_t i = 0; i < c->count; i++)
    heaviest[i] = &c->calls[i];
  qsort(heaviest, c->count, sizeof *heaviest, by_weight);
  size_t kept = 1;
  c->kept[0] = true;
  for (uint32_t i = 0; i < c->count && kept < most; i++) {
    uint32_t call = (uint32_t)(heaviest[i] - c->calls);
    size_t more = unkept_above(c, call, most);
    if (kept + more > most)
      continue;
    kept += more;
    for (; call != SPAN_NONE && !c->kept[call]; call = c->calls[call].caller)
      c->kept[call] = true;
  }
  mem_free(heaviest);
}

static void find_neighbours(struct choosing *c) {
  for (uint32_t i = 0; i < c->count; i++) {
    uint32_t caller = c->calls[i].caller;
    c->above[i] = c->kept[i] ? i : caller == SPAN_NONE ? SPAN_NONE : c->above[caller];
    c->end[i] = i + 1;
  }
  for (uint32_t i = c->count; i-- > 0;) {
    uint32_t caller = c->calls[i].caller;
    if (caller != SPAN_NONE && c->end[i] > c->end[caller])
      c->end[caller] = c->end[i];
  }
}

static void add_line(struct choosing *c, uint32_t call, size_t depth) {
  c->lines->line_of[call] = (uint32_t)c->lines->lines.count;
  vector_push(&c->lines->lines, (struct trace_line){.index = call, .depth = (uint32_t)depth});
}

/* One line for the calls without one, of index from .. end - 1, whose nearest caller with one is
 * `caller`. */
static void add_fold(struct choosing *c, uint32_t caller, uint32_t from, uint32_t end,
                     size_t depth) {
  size_t line = c->lines->lines.count;
  for (uint32_t i = from; i < end; i++) {
    if (c->kept[i] || c->above[i] != caller)
      continue;
    if (c->lines->lines.count == line)
      add_line(c, i, depth);
    c->lines->line_of[i] = (uint32_t)line;
    c->lines->lines.data[line].folded++;
  }
}

/* In preorder; after the last call below a caller the line of its folded calls. */
static void add_lines(struct choosing *c) {
  VECTOR(uint32_t) open = {0};
  for (uint32_t i = 0; i <= c->count; i++) {
    while (open.count != 0 && (i == c->count || c->end[open.data[open.count - 1]] <= i)) {
      uint32_t caller = open.data[open.count - 1];
      add_fold(c, caller, caller + 1, c->end[caller], open.count);
      open.count--;
    }
    if (i == c->count || !c->kept[i])
      continue;
    add_line(c, i, open.count);
    vector_push(&open, i);
  }
  add_fold(c, SPAN_NONE, 0, c->count, 0);
  vector_clear(&open);
}

void trace_lines_make(struct trace_lines *lines, const struct nested_call *calls, uint32_t count,
                      size_t most) {
  *lines = (struct trace_lines){.line_of = mem_alloc(count, sizeof *lines->line_of)};
  struct choosing choosing = {
      .lines = lines,
      .calls = calls,
      .count = count,
      .kept = mem_alloc(count, sizeof *choosing.kept),
      .above = mem_alloc(count, sizeof *choosing.above),
      .end = mem_alloc(count, sizeof *choosing.end),
  };
  keep_heaviest(&choosing, most);
  find_neighbours(&choosing);
  add_lines(&choosing);
  mem_free(choosing.kept);
  mem_free(choosing.above);
  mem_free(choosing.end);
}

void trace_lines_clear(struct trace_lines *lines) {
  vector_clear(&lines->lines);
  mem_free(lines->line_of);
}
