/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Evidence as lines of a file, and read again (evidence.h).
 */
#include "base/evidence.h"

#include <inttypes.h>
#include <string.h>

#include "base/decimal.h"

static const char *const lost_names[EVIDENCE_LOST] = {"failed", "cut-off", "left-out"};
static const char *const edges_names[] = {"exact", "open-below", "between"};

/* A set of texts, its members' word and that of the whole. */
static const struct texts_row {
  const char *one, *all;
  size_t offset;
} texts_rows[] = {{"kind", "kinds", offsetof(struct evidence, kinds)},
                  {"clock", "clocks", offsetof(struct evidence, clocks)},
                  {"tool", "tools", offsetof(struct evidence, tools)}};
enum { TEXTS_ROWS = sizeof texts_rows / sizeof *texts_rows };

static const struct range_row {
  const char *name;
  size_t offset;
  bool negative; /* may be */
} range_rows[] = {{"resolution-ns", offsetof(struct evidence, resolution_ns), false},
                  {"offset-ns", offsetof(struct evidence, offset_ns), true},
                  {"rate-mhz", offsetof(struct evidence, rate_mhz), false},
                  {"reached-mhz", offsetof(struct evidence, reached_mhz), false}};
enum { RANGE_ROWS = sizeof range_rows / sizeof *range_rows };

static struct evidence_texts *texts_of(struct evidence *e, const struct texts_row *row) {
  return (struct evidence_texts *)(void *)((char *)e + row->offset);
}

static struct evidence_range *range_of(struct evidence *e, const struct range_row *row) {
  return (struct evidence_range *)(void *)((char *)e + row->offset);
}

static void print_texts(struct text *text, const struct evidence_texts *texts,
                        const struct texts_row *row, const char *prefix) {
  for (size_t i = 0; i < texts->list.count; i++)
    text_format(text, "%sevidence %s %s\n", prefix, row->one, texts->list.data[i]);
  if (texts->known || texts->more)
    text_format(text, "%sevidence %s %s%s\n", prefix, row->all, texts->known ? "known" : "unknown",
                texts->more ? " more" : "");
}

void evidence_print(struct text *text, const struct evidence *evidence, const char *prefix) {
  struct evidence *e = (struct evidence *)(uintptr_t)evidence; /* only read */
  if (e->runs != 0)
    text_format(text, "%sevidence runs %" PRIu64 "%s\n", prefix, e->runs,
                e->compared ? " compared" : "");
  for (int i = 0; i < EVIDENCE_LOST; i++)
    if (e->lost[i].known || e->lost[i].least != 0)
      text_format(text, "%sevidence %s %" PRIu64 "%s\n", prefix, lost_names[i], e->lost[i].least,
                  e->lost[i].known ? "" : " or-more");
  for (size_t i = 0; i < TEXTS_ROWS; i++)
    print_texts(text, texts_of(e, &texts_rows[i]), &texts_rows[i], prefix);
  for (size_t i = 0; i < RANGE_ROWS; i++) {
    const struct evidence_range *range = range_of(e, &range_rows[i]);
    if (range->known)
      text_format(text, "%sevidence %s %" PRId64 " %" PRId64 "\n", prefix, range_rows[i].name,
                  range->lower, range->upper);
  }
  if (e->edges < EDGES_UNKNOWN)
    text_format(text, "%sevidence edges %s\n", prefix, edges_names[e->edges]);
}

/* --- read ------------------------------------------------------------------------------------- */

static bool read_lost(struct evidence *e, enum evidence_lost which, struct slice rest) {
  struct slice number, more = {0};
  struct evidence_count count = {.known = true};
  if (!slice_field(&number, &rest, ' ') || decimal_whole(&count.least, number) != DECIMAL_OK)
    return false;
  if (slice_field(&more, &rest, ' ')) {
    if (!slice_is(more, "or-more") || slice_field(&more, &rest, ' '))
      return false;
    count.known = false;
  }
  e->lost[which] = count;
  return true;
}

static bool read_signed(int64_t *value, struct slice word) {
  uint64_t whole;
  bool negative = word.length > 1 && word.start[0] == '-';
  if (negative)
    word = (struct slice){word.start + 1, word.length - 1};
  if (decimal_whole(&whole, word) != DECIMAL_OK || whole > INT64_MAX)
    return false;
  *value = negative ? -(int64_t)whole : (int64_t)whole;
  return true;
}

static bool read_range(struct evidence_range *range, bool negative, struct slice rest) {
  struct slice lower, upper, more;
  struct evidence_range found = {.known = true};
  if (!slice_field(&lower, &rest, ' ') || !slice_field(&upper, &rest, ' ') ||
      slice_field(&more, &rest, ' ') || !read_signed(&found.lower, lower) ||
      !read_signed(&found.upper, upper) || found.lower > found.upper ||
      (found.lower < 0 && !negative))
    return false;
  *range = found;
  return true;
}

static bool read_all(struct evidence_texts *texts, struct slice rest) {
  struct slice word, more;
  if (!slice_field(&word, &rest, ' ') || !(slice_is(word, "known") || slice_is(word, "unknown")))
    return false;
  if (slice_field(&more, &rest, ' ')) {
    if (!slice_is(more, "more") || slice_field(&more, &rest, ' ') ||
        texts->list.count != EVIDENCE_KINDS)
      return false;
    texts->more = true;
  }
  texts->known = slice_is(word, "known");
  return true;
}

static bool read_one(struct evidence_texts *texts, struct slice rest) {
  rest = slice_trim(rest);
  if (rest.length == 0 || memchr(rest.start, '\0', rest.length) != NULL ||
      memchr(rest.start, '\n', rest.length) != NULL)
    return false;
  evidence_add_text(texts, rest.start, rest.length);
  return true;
}

static bool read_edges(struct evidence *e, struct slice rest) {
  rest = slice_trim(rest);
  for (size_t i = 0; i < sizeof edges_names / sizeof *edges_names; i++)
    if (slice_is(rest, edges_names[i])) {
      e->edges = (enum evidence_edges)i;
      return true;
    }
  return false;
}

static bool read_runs(struct evidence *e, struct slice rest) {
  struct slice number, word;
  uint64_t runs = 0;
  if (!slice_field(&number, &rest, ' ') || decimal_whole(&runs, number) != DECIMAL_OK || runs == 0)
    return false;
  bool compared = slice_field(&word, &rest, ' ');
  if (compared && (!slice_is(word, "compared") || runs < 2 || slice_field(&word, &rest, ' ')))
    return false;
  e->runs = runs;
  e->compared = compared;
  return true;
}

bool evidence_read(struct evidence *evidence, struct slice line) {
  struct slice key, rest = line;
  if (!slice_field(&key, &rest, ' ') || rest.start == NULL)
    return false;
  for (int i = 0; i < EVIDENCE_LOST; i++)
    if (slice_is(key, lost_names[i]))
      return read_lost(evidence, (enum evidence_lost)i, rest);
  for (size_t i = 0; i < TEXTS_ROWS; i++) {
    struct evidence_texts *texts = texts_of(evidence, &texts_rows[i]);
    if (slice_is(key, texts_rows[i].one))
      return (texts != &evidence->kinds || texts->list.count < EVIDENCE_KINDS) &&
             read_one(texts, rest);
    if (slice_is(key, texts_rows[i].all))
      return read_all(texts, rest);
  }
  for (size_t i = 0; i < RANGE_ROWS; i++)
    if (slice_is(key, range_rows[i].name))
      return read_range(range_of(evidence, &range_rows[i]), range_rows[i].negative, rest);
  if (slice_is(key, "edges"))
    return read_edges(evidence, rest);
  return slice_is(key, "runs") && read_runs(evidence, rest);
}

/* --- what is missing -------------------------------------------------------------------------- */

void evidence_print_unknown(struct text *text, const struct evidence *e) {
  const struct {
    bool unknown;
    const char *what;
  } parts[] = {{!e->kinds.known, "of what kinds of requests they are"},
               {!e->lost[EVIDENCE_FAILED].known, "how many failed"},
               {!e->lost[EVIDENCE_CUT_OFF].known, "how many were cut off"},
               {!e->lost[EVIDENCE_LEFT_OUT].known, "how many requests were left out"},
               {!e->resolution_ns.known, "the steps of the clock"},
               {e->edges == EDGES_UNKNOWN, "which edge belongs to a bucket"}};
  bool first = true;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (parts[i].unknown) {
      text_format(text, "%s%s", first ? "" : ", ", parts[i].what);
      first = false;
    }
}
