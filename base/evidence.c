/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/evidence.h"
#include "base/vector.h"

#include <string.h>

void evidence_init(struct evidence *evidence) {
  *evidence = (struct evidence){0};
}

static void clear_texts(struct evidence_texts *texts) {
  for (size_t i = 0; i < texts->list.count; i++)
    mem_free(texts->list.data[i]);
  vector_clear(&texts->list);
}

void evidence_clear(struct evidence *evidence) {
  mem_free(evidence->order);
  clear_texts(&evidence->kinds);
  clear_texts(&evidence->clocks);
  clear_texts(&evidence->sources);
  clear_texts(&evidence->tools);
  evidence_init(evidence);
}

void evidence_set_unknown(struct evidence *evidence, uint64_t draws) {
  evidence_clear(evidence);
  evidence->parts = 1;
  evidence->draws = draws;
  evidence->edges = EDGES_UNKNOWN;
}

/* --- texts ------------------------------------------------------------------------------------ */

/* Where it is, or where it belongs. */
static size_t place_of(const struct evidence_texts *texts, const char *text, size_t length,
                       bool *there) {
  size_t low = 0, high = texts->list.count;
  *there = false;
  while (low < high && !*there) {
    size_t middle = low + (high - low) / 2;
    const char *other = texts->list.data[middle];
    int order = strncmp(other, text, length);
    if (order == 0 && other[length] != '\0')
      order = 1;
    *there = order == 0;
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return high;
}

/* A place for it, unless it is there or does not fit. */
static void add_clean(struct evidence_texts *texts, const char *text, size_t length, size_t most) {
  bool there;
  size_t place = place_of(texts, text, length, &there);
  if (there)
    return;
  if (texts->list.count == most) {
    texts->more = true;
    if (place == most)
      return;
    mem_free(texts->list.data[--texts->list.count]);
  }
  vector_push(&texts->list, NULL);
  char **at = texts->list.data + place;
  memmove(at + 1, at, (texts->list.count - 1 - place) * sizeof *at);
  *at = mem_copy_text(text, length);
}

/* Foreign labels may have anything in them: what a line of a file cannot hold becomes a blank. */
static void add(struct evidence_texts *texts, const char *text, size_t length, size_t most) {
  char *clean = mem_copy_text(text, length);
  for (size_t i = 0; i < length; i++)
    if (clean[i] == '\n' || clean[i] == '\r' || clean[i] == '\t' || clean[i] == '\0')
      clean[i] = ' ';
  const char *start = clean;
  for (; length > 0 && *start == ' '; length--)
    start++;
  while (length > 0 && start[length - 1] == ' ')
    length--;
  if (length > 0)
    add_clean(texts, start, length, most);
  mem_free(clean);
}

void evidence_add_text(struct evidence_texts *texts, const char *text, size_t length) {
  add(texts, text, length, SIZE_MAX);
}

void evidence_add_kind(struct evidence *evidence, const char *labels, size_t length) {
  bool blank = true;
  for (size_t i = 0; i < length; i++)
    blank = blank && labels[i] == ' '; /* as what is no letter became (reader_blank) */
  if (blank)
    labels = "{}", length = 2;
  add(&evidence->kinds, labels, length, EVIDENCE_KINDS);
}

bool evidence_has_text(const struct evidence_texts *texts, const char *text) {
  bool there;
  place_of(texts, text, strlen(text), &there);
  return there;
}

static void merge_texts(struct evidence_texts *to, const struct evidence_texts *from, size_t most) {
  for (size_t i = 0; i < from->list.count; i++)
    add(to, from->list.data[i], strlen(from->list.data[i]), most);
  to->known = to->known && from->known;
  to->more = to->more || from->more;
}

/* --- the rest --------------------------------------------------------------------------------- */

void evidence_keep_order(struct evidence *evidence, const struct source_order *order) {
  if (evidence->order == NULL)
    evidence->order = mem_alloc(1, sizeof *evidence->order);
  *evidence->order = *order;
}

void evidence_forget_order(struct evidence *evidence) {
  evidence->compared = false;
  mem_free(evidence->order);
  evidence->order = NULL;
}

void evidence_set_lost(struct evidence *evidence, enum evidence_lost which, uint64_t count) {
  evidence->lost[which] = (struct evidence_count){count, true};
}

void evidence_set_range(struct evidence_range *range, int64_t lower, int64_t upper) {
  *range = (struct evidence_range){true, lower, upper};
}

static void copy_texts(struct evidence_texts *to, const struct evidence_texts *from) {
  *to = (struct evidence_texts){.known = from->known, .more = from->more};
  for (size_t i = 0; i < from->list.count; i++)
    vector_push(&to->list, mem_copy_text(from->list.data[i], strlen(from->list.data[i])));
}

void evidence_copy(struct evidence *to, const struct evidence *from) {
  evidence_clear(to);
  *to = *from;
  to->order = NULL;
  if (from->order != NULL)
    evidence_keep_order(to, from->order);
  copy_texts(&to->kinds, &from->kinds);
  copy_texts(&to->clocks, &from->clocks);
  copy_texts(&to->sources, &from->sources);
  copy_texts(&to->tools, &from->tools);
}

static uint64_t sum(uint64_t a, uint64_t b) {
  return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static void merge_range(struct evidence_range *to, const struct evidence_range *from) {
  if (!to->known || !from->known) {
    *to = (struct evidence_range){0};
    return;
  }
  to->lower = from->lower < to->lower ? from->lower : to->lower;
  to->upper = from->upper > to->upper ? from->upper : to->upper;
}

static void merge_order(struct evidence *to, const struct evidence *from) {
  if (to->order == NULL || from->order == NULL)
    evidence_forget_order(to);
  else
    order_join(to->order, to->draws, from->order, from->draws);
  to->runs = to->runs == 0 || from->runs == 0 ? 0 : sum(to->runs, from->runs);
  to->compared = to->compared && from->compared && to->order != NULL && to->runs > 1;
}

void evidence_merge(struct evidence *to, const struct evidence *from) {
  if (from->parts == 0)
    return;
  if (to->parts == 0) {
    evidence_copy(to, from);
    return;
  }
  merge_order(to, from);
  to->parts = sum(to->parts, from->parts);
  to->draws = sum(to->draws, from->draws);
  if (to->unit == NULL || from->unit == NULL || strcmp(to->unit, from->unit) != 0)
    to->unit = NULL;
  to->halved = to->halved || from->halved;
  for (int i = 0; i < EVIDENCE_LOST; i++)
    to->lost[i] = (struct evidence_count){sum(to->lost[i].least, from->lost[i].least),
                                          to->lost[i].known && from->lost[i].known};
  merge_texts(&to->kinds, &from->kinds, EVIDENCE_KINDS);
  merge_texts(&to->clocks, &from->clocks, SIZE_MAX);
  merge_texts(&to->sources, &from->sources, SIZE_MAX);
  merge_texts(&to->tools, &from->tools, SIZE_MAX);
  merge_range(&to->resolution_ns, &from->resolution_ns);
  merge_range(&to->offset_ns, &from->offset_ns);
  merge_range(&to->rate_mhz, &from->rate_mhz);
  merge_range(&to->reached_mhz, &from->reached_mhz);
  to->edges = from->edges > to->edges ? from->edges : to->edges;
}

/* --- what holds of each ----------------------------------------------------------------------- */

static bool texts_are_valid(const struct evidence_texts *texts) {
  for (size_t i = 0; i < texts->list.count; i++) {
    const char *text = texts->list.data[i];
    if (*text == '\0' || *text == ' ' || text[strlen(text) - 1] == ' ' ||
        strchr(text, '\n') != NULL || (i != 0 && strcmp(texts->list.data[i - 1], text) >= 0))
      return false;
  }
  return true;
}

static bool range_is_valid(const struct evidence_range *range, int64_t least) {
  return range->known ? range->lower <= range->upper && range->lower >= least
                      : range->lower == 0 && range->upper == 0;
}

static bool worth_is_valid(const struct order_worth *worth, uint64_t draws) {
  return worth->upper >= 1 && worth->upper <= draws && worth->lower >= 1 && worth->lower <= draws;
}

static bool order_is_valid(const struct source_order *order, uint64_t draws) {
  bool valid = worth_is_valid(&order->all, draws);
  for (size_t i = 0; i < ORDER_LEVELS; i++)
    valid = valid && worth_is_valid(&order->at[i], draws);
  return valid;
}

bool evidence_is_valid(const struct evidence *e) {
  if (e->parts == 0)
    return e->draws == 0 && e->order == NULL && e->runs == 0;
  return (e->order == NULL || order_is_valid(e->order, e->draws)) && e->runs <= e->draws &&
         (!e->compared || (e->order != NULL && e->runs > 1)) && e->edges <= EDGES_UNKNOWN &&
         texts_are_valid(&e->kinds) && e->kinds.list.count <= EVIDENCE_KINDS &&
         (!e->kinds.more || e->kinds.list.count == EVIDENCE_KINDS) && texts_are_valid(&e->clocks) &&
         texts_are_valid(&e->sources) && texts_are_valid(&e->tools) &&
         range_is_valid(&e->resolution_ns, 0) && range_is_valid(&e->offset_ns, INT64_MIN) &&
         range_is_valid(&e->rate_mhz, 0) && range_is_valid(&e->reached_mhz, 0);
}
