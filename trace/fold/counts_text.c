/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Counts as lines of a fold's file, and back (counts.h).
 */
#include <inttypes.h>
#include <string.h>

#include "trace/fold/counts.h"
#include "trace/fold/request.h"

static void print_histogram(struct text *text, const struct fold_histogram *histogram) {
  struct fold_bin bin = {0};
  while (fold_histogram_next(&bin, histogram))
    text_format(text, " %" PRId64 ":%" PRIu64, bin.upper, bin.count);
  text_append(text, "\n");
}

static void print_call(struct text *text, const struct fold_counts *counts, size_t p) {
  const struct call_counts *call = &counts->of_call[p];
  if (call->outlived != 0 || call->follows != 0 || call->failed != 0)
    text_format(text, "events %zu %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", p, call->outlived,
                call->follows, call->failed);
  text_format(text, "durations %zu", p);
  print_histogram(text, &call->durations);
}

static bool any(const uint64_t *pair) {
  uint64_t all = 0;
  for (size_t i = 0; i < PAIR_COUNTS; i++)
    all |= pair[i];
  return all != 0;
}

static void print_pairs(struct text *text, const struct fold_counts *counts, uint32_t a) {
  for (uint32_t b = counts->next[a]; b != 0; b = counts->next[b]) {
    const uint64_t *pair = fold_counts_pair(counts, a, b);
    if (pair == NULL || !any(pair))
      continue;
    text_format(text, "pair %" PRIu32 " %" PRIu32 " %" PRIu64 " %" PRIu64, a, b, pair[0], pair[1]);
    if (pair[2] != 0 || pair[3] != 0)
      text_format(text, " %" PRIu64 " %" PRIu64, pair[2], pair[3]);
    text_append(text, "\n");
  }
}

void fold_counts_print(struct text *text, const struct fold_counts *counts) {
  if (counts->clipped != 0 || counts->others != 0)
    text_format(text, "beside %" PRIu64 " %" PRIu64 "\n", counts->clipped, counts->others);
  text_append(text, "latencies");
  print_histogram(text, &counts->latencies);
  for (uint32_t p = 0; p < counts->calls; p++) {
    print_call(text, counts, p);
    if (p > 0)
      print_pairs(text, counts, p);
  }
}

/* ---- back */

static bool word(struct slice *rest, const char *name) {
  size_t length = strlen(name);
  if (rest->length < length || memcmp(rest->start, name, length) != 0)
    return false;
  rest->start += length;
  rest->length -= length;
  return true;
}

/* " 12", at most `most`. */
static bool number(uint64_t *value, struct slice *rest, uint64_t most) {
  int64_t read;
  if (!word(rest, " ") || !fold_number(&read, rest) || read < 0 || (uint64_t)read > most)
    return false;
  *value = (uint64_t)read;
  return true;
}

static bool parse_histogram(struct fold_histogram *histogram, struct slice rest) {
  int64_t before = -1;
  while (rest.length > 0) {
    int64_t edge, count;
    if (!word(&rest, " ") || !fold_number(&edge, &rest) || edge <= before || !word(&rest, ":") ||
        !fold_number(&count, &rest) || count <= 0 ||
        !fold_histogram_add(histogram, edge, (uint64_t)count))
      return false;
    before = edge;
  }
  return before >= 0;
}

static bool parse_events(struct fold_counts *counts, struct slice rest, uint64_t requests) {
  uint64_t p;
  struct call_counts *call;
  if (!number(&p, &rest, counts->calls - 1))
    return false;
  call = &counts->of_call[p];
  return number(&call->outlived, &rest, requests) && number(&call->follows, &rest, requests) &&
         number(&call->failed, &rest, requests) && rest.length == 0 &&
         (p > 0 || call->outlived == 0);
}

static bool parse_pair(struct fold_counts *counts, struct slice rest, uint64_t requests) {
  uint64_t a, b;
  if (!number(&a, &rest, counts->calls - 1) || !number(&b, &rest, counts->calls - 1) || a == 0 ||
      b <= a || counts->parent[a] != counts->parent[b])
    return false;
  uint64_t *pair = fold_counts_pair(counts, (uint32_t)a, (uint32_t)b);
  if (pair == NULL || any(pair) || !number(&pair[0], &rest, requests) ||
      !number(&pair[1], &rest, requests))
    return false;
  return rest.length == 0 || (number(&pair[2], &rest, requests - pair[0]) &&
                              number(&pair[3], &rest, requests - pair[1]) && rest.length == 0);
}

bool fold_counts_parse(struct fold_counts *counts, struct slice line, uint64_t requests) {
  uint64_t p;
  if (word(&line, "beside"))
    return number(&counts->clipped, &line, INT64_MAX) &&
           number(&counts->others, &line, INT64_MAX) && line.length == 0;
  if (word(&line, "latencies"))
    return parse_histogram(&counts->latencies, line);
  if (word(&line, "durations"))
    return number(&p, &line, counts->calls - 1) &&
           parse_histogram(&counts->of_call[p].durations, line);
  if (word(&line, "events"))
    return parse_events(counts, line, requests);
  if (word(&line, "pair"))
    return parse_pair(counts, line, requests);
  return false;
}
