/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/law/span_cell.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What is known of a time, in ns. */
struct span_range {
  int64_t lower, upper;
};

void span_cells_init(struct span_cells *cells, const struct span_store *store,
                     const struct span_map *map) {
  *cells = (struct span_cells){.store = store, .map = map};
  text_init(&cells->message);
}

void span_cells_clear(struct span_cells *cells) {
  vector_clear(&cells->found);
  text_clear(&cells->message);
}

/* ---- which spans */

static uint32_t number_of(const struct span_store *store, const char *text) {
  return names_find(&store->names, (struct slice){text, strlen(text)});
}

static bool is_called(const struct span_store *store, uint32_t row, const struct span_name *name,
                      uint32_t service, uint32_t operation) {
  return store->service.data[row] == service && store->operation.data[row] == operation &&
         (name->kind == SPAN_UNKNOWN || store->kind.data[row] == name->kind);
}

static void sort_found(struct span_cells *cells) {
  const int64_t *start = cells->store->start.data;
  uint32_t *rows = cells->found.data;
  for (size_t i = 1; i < cells->found.count; i++)
    for (size_t j = i; j > 0 && start[rows[j]] < start[rows[j - 1]]; j--) {
      uint32_t row = rows[j];
      rows[j] = rows[j - 1];
      rows[j - 1] = row;
    }
}

/* Fills cells->found with the request's spans of the name. */
static void find(struct span_cells *cells, const struct span_name *name, uint32_t request) {
  const struct span_store *store = cells->store;
  const struct request *of = &store->requests.data[request];
  uint32_t service = number_of(store, name->service);
  uint32_t operation = number_of(store, name->operation);
  cells->found.count = 0;
  for (uint32_t row = of->first; row < of->first + of->count; row++)
    if (is_called(store, row, name, service, operation))
      vector_push(&cells->found, row);
  sort_found(cells);
}

/* The span's row, or SPAN_NONE. False where it is not said which of several. */
static bool choose(uint32_t *row, struct span_cells *cells, const struct span_name *name,
                   uint32_t request, uint32_t k) {
  find(cells, name, request);
  uint32_t number = name->each ? k : name->number;
  if (name->last)
    number = cells->found.count == 0 ? 1 : (uint32_t)cells->found.count;
  if (number == 0 && cells->found.count > 1) {
    struct slice id = cells->store->requests.data[request].id;
    text_format(
        &cells->message,
        "%s/%s: request %.*s has %zu of them; say which is meant with [1], [2], ... or [last] "
        "behind "
        "the name, or all with [k]; or whose span, with \"client \" or \"server \" before it",
        name->service, name->operation, (int)id.length, id.start, cells->found.count);
    return false;
  }
  uint32_t at = number == 0 ? 0 : number - 1;
  *row = at < cells->found.count ? cells->found.data[at] : SPAN_NONE;
  return true;
}

/* Whether any request has the span. */
static bool is_anywhere(const struct span_store *store, const struct span_name *name) {
  uint32_t service = number_of(store, name->service);
  uint32_t operation = number_of(store, name->operation);
  for (uint32_t row = 0; row < store->start.count; row++)
    if (is_called(store, row, name, service, operation))
      return true;
  return false;
}

bool span_cells_check(struct span_cells *cells) {
  for (size_t o = 0; o < cells->map->occurrences.count; o++) {
    const struct span_occurrence *occurrence = &cells->map->occurrences.data[o];
    for (size_t t = 0; t < occurrence->terms.count && !occurrence->maybe; t++) {
      const struct span_name *names[] = {&occurrence->terms.data[t].from,
                                         &occurrence->terms.data[t].to};
      for (size_t i = 0; i < 2; i++)
        if (!is_anywhere(cells->store, names[i])) {
          text_format(&cells->message,
                      "%u: no request has a span %s/%s; \"tailproof trace path TRACES\" lists what "
                      "there is, and \"maybe\" before it says that it need not be there",
                      occurrence->line, names[i]->service, names[i]->operation);
          return false;
        }
    }
  }
  return true;
}

uint32_t span_cell_rounds(struct span_cells *cells, const struct span_occurrence *occurrence,
                          uint32_t request) {
  size_t rounds = 0;
  for (size_t t = 0; t < occurrence->terms.count; t++) {
    const struct span_name *names[] = {&occurrence->terms.data[t].from,
                                       &occurrence->terms.data[t].to};
    for (size_t i = 0; i < 2; i++) {
      if (!names[i]->each)
        continue;
      find(cells, names[i], request);
      rounds = cells->found.count > rounds ? cells->found.count : rounds;
    }
  }
  return (uint32_t)rounds;
}

/* ---- how long */

static bool is_cut(const struct span_store *store, uint32_t row) {
  return (store->mark.data[row] & (SPAN_CUT | SPAN_TIED)) != 0;
}

/* A span that is cut lies too early as a whole, by at most so much: what is its own is exact, and a
 * time between two spans is not. */
static struct span_range between(const struct span_store *store, uint32_t from, uint32_t to,
                                 int64_t start, int64_t end) {
  struct span_range range = {end - start, end - start};
  if (from != to && is_cut(store, from))
    range.lower -= SPAN_CUT_NS;
  if (from != to && is_cut(store, to))
    range.upper += SPAN_CUT_NS;
  return range;
}

struct stretch {
  int64_t start, end;
};

static int stretch_compare(const void *a, const void *b) {
  const struct stretch *x = a, *y = b;
  return x->start < y->start ? -1 : x->start > y->start;
}

/* The span's time in which none of the calls that it makes is under way. */
static struct span_range own_time(const struct span_store *store, uint32_t row) {
  int64_t start = store->start.data[row], end = store->end.data[row], busy = 0, until = start;
  uint32_t below = store->below.data[row];
  struct stretch *calls = mem_alloc(below, sizeof *calls);
  size_t count = 0;
  int64_t unsure = 0;
  for (uint32_t r = row + 1; r <= row + below; r++)
    if (store->parent.data[r] == row) {
      calls[count++] = (struct stretch){store->start.data[r], store->end.data[r]};
      unsure += is_cut(store, r) != is_cut(store, row) ? SPAN_CUT_NS : 0;
    }
  if (count > 1)
    qsort(calls, count, sizeof *calls, stretch_compare);
  for (size_t i = 0; i < count; i++) {
    int64_t from = calls[i].start > until ? calls[i].start : until;
    int64_t to = calls[i].end < end ? calls[i].end : end;
    if (to > from) {
      busy += to - from;
      until = to;
    }
  }
  mem_free(calls);
  int64_t own = end - start - busy;
  return (struct span_range){own - unsure, own + unsure < end - start ? own + unsure : end - start};
}

/* What of its caller's calls had ended last when the span started, or the caller itself if none had.
 */
static uint32_t latest_before(const struct span_store *store, uint32_t row) {
  uint32_t caller = store->parent.data[row], latest = caller;
  for (uint32_t r = caller + 1; r <= caller + store->below.data[caller]; r++)
    if (store->parent.data[r] == caller && r != row &&
        store->end.data[r] <= store->start.data[row] &&
        (latest == caller || store->end.data[r] > store->end.data[latest]))
      latest = r;
  return latest;
}

static uint32_t host_of(const struct span_store *store, uint32_t row) {
  return span_host(store->service.data[row], store->instance.data[row]);
}

static int64_t moment_of(const struct span_store *store, uint32_t row, enum span_moment moment) {
  return moment == SPAN_STARTS ? store->start.data[row] : store->end.data[row];
}

/* Whether the time between two spans says nothing: a clock was moved, or would have to be. */
static bool contradicts(const struct span_store *store, uint32_t from, uint32_t to) {
  unsigned marks = store->mark.data[from] | store->mark.data[to];
  return (marks & SPAN_SKEWED) != 0 ||
         ((marks & SPAN_MOVED) != 0 && host_of(store, from) != host_of(store, to));
}

static struct span_range time_of(struct span_cells *cells, const struct span_term *term,
                                 uint32_t from, uint32_t to) {
  const struct span_store *store = cells->store;
  if (term->part == SPAN_OWN)
    return own_time(store, from);
  cells->across += host_of(store, from) != host_of(store, to);
  bool of_caller = term->part == SPAN_BEFORE && from == store->parent.data[to];
  enum span_moment first = of_caller                   ? SPAN_STARTS
                           : term->part == SPAN_BEFORE ? SPAN_ENDS
                                                       : term->from_moment;
  return between(store, from, to, moment_of(store, from, first),
                 moment_of(store, to, term->part == SPAN_BEFORE ? SPAN_STARTS : term->to_moment));
}

static enum cell_state add_term(struct span_cell *cell, struct span_cells *cells,
                                const struct span_term *term, uint32_t from, uint32_t to) {
  const struct span_store *store = cells->store;
  if (((store->mark.data[from] | store->mark.data[to]) & SPAN_UNFINISHED) != 0) {
    cells->unfinished++;
    return CELL_MISSING;
  }
  if (from != to && contradicts(store, from, to)) {
    cells->contradicting++;
    return CELL_MISSING;
  }
  struct span_range range = time_of(cells, term, from, to);
  if (range.upper < 0) {
    cells->contradicting++;
    return CELL_MISSING;
  }
  cell->lower += range.lower > 0 ? range.lower : 0;
  cell->upper += range.upper;
  return CELL_VALUE;
}

bool span_cell_of(struct span_cell *cell, struct span_cells *cells,
                  const struct span_occurrence *occurrence, uint32_t request, uint32_t k) {
  *cell = (struct span_cell){CELL_VALUE, 0, 0};
  if (occurrence->each && k > span_cell_rounds(cells, occurrence, request)) {
    cell->state = CELL_ABSENT;
    return true;
  }
  size_t lacking = 0;
  for (size_t t = 0; t < occurrence->terms.count; t++) {
    const struct span_term *term = &occurrence->terms.data[t];
    uint32_t from, to;
    if (!choose(&from, cells, &term->from, request, k) ||
        !choose(&to, cells, &term->to, request, k))
      return false;
    if (term->part == SPAN_BEFORE && to != SPAN_NONE)
      from =
          cells->store->parent.data[to] == SPAN_NONE ? SPAN_NONE : latest_before(cells->store, to);
    bool there = from != SPAN_NONE && to != SPAN_NONE;
    lacking += !there;
    enum cell_state state = there ? add_term(cell, cells, term, from, to) : CELL_VALUE;
    cell->state = state != CELL_VALUE ? state : cell->state;
  }
  if (lacking == occurrence->terms.count && occurrence->maybe) {
    cell->state = CELL_ABSENT;
  } else if (lacking > 0 && !occurrence->maybe) {
    cell->state = CELL_MISSING;
    cells->lacking++;
  }
  return true;
}

static void note(struct ledger *ledger, uint64_t count, const char *what) {
  if (count > 0)
    ledger_note(ledger, LEDGER_DATA, "%" PRIu64 " %s", count, what);
}

void span_cells_note(const struct span_cells *cells, struct ledger *ledger) {
  note(
      ledger, cells->lacking,
      "times are not measured, as their requests lack the spans; where these do not happen in each "
      "request, write \"maybe\" before them");
  note(ledger, cells->contradicting,
       "times between hosts are not measured, as their clocks contradict each other");
  note(ledger, cells->unfinished, "times are not measured, as their spans were never ended");
  note(
      ledger, cells->across,
      "times are from a span of one host to one of another: the clocks of both are taken to agree");
}
