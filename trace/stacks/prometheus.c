/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Writes a profile as metrics (trace/stacks/write.h).
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "measure/core/share_interval.h"

#include "base/shown.h"
#include "base/hash.h"
#include "trace/stacks/frame.h"
#include "trace/stacks/hot.h"
#include "trace/stacks/write.h"

struct metric_row {
  struct slice name; /* of the function */
  uint64_t weight;
};

struct metrics {
  const struct stack_profile *profile;
  VECTOR(struct metric_row) rows;
  uint64_t other; /* weight of all functions that have no row */
  struct text *out;
};

static int compare_rows(const void *a, const void *b) {
  const struct metric_row *x = a, *y = b;
  if (x->weight != y->weight)
    return x->weight < y->weight ? 1 : -1;
  size_t least = x->name.length < y->name.length ? x->name.length : y->name.length;
  int order = memcmp(x->name.start, y->name.start, least);
  return order != 0 ? order : (x->name.length > y->name.length) - (x->name.length < y->name.length);
}

/* A name as a label's value, escaped and not longer than it may be. */
static void append_label(struct text *out, struct slice name) {
  struct text clean = {0};
  shown_append(&clean, name.start, name.length);
  size_t length = clean.length;
  if (length > STACK_METRIC_NAME_MAX) {
    length = STACK_METRIC_NAME_MAX - 20;
    while (((unsigned char)clean.data[length] & 0xc0) == 0x80)
      length--;
  }
  for (size_t i = 0; i < length; i++) {
    if (clean.data[i] == '"' || clean.data[i] == '\\')
      text_append(out, "\\");
    text_append_bytes(out, &clean.data[i], 1);
  }
  if (length < clean.length)
    text_format(out, "...%016" PRIx64, hash_bytes(0, name));
  text_clear(&clean);
}

static void begin(struct metrics *metrics, const char *name, const char *help) {
  text_format(metrics->out, "# HELP tailproof_profile_%s %s\n# TYPE tailproof_profile_%s gauge\n",
              name, help, name);
}

static void put(struct metrics *metrics, const char *name, const struct metric_row *row,
                double value) {
  text_format(metrics->out, "tailproof_profile_%s{function=\"", name);
  append_label(metrics->out, row->name);
  text_format(metrics->out, "\"} %.9g\n", value);
}

static double share(const struct metrics *metrics, uint64_t weight) {
  return metrics->profile->total == 0 ? 0 : (double)weight / (double)metrics->profile->total;
}

/* An end of the share's interval: of as many samples as were taken and count in full, or as the
 * proved interval takes of them; from 0 to 1 where that is not known. */
static double end_of(const struct metrics *metrics, uint64_t weight, bool upper) {
  struct stack_evidence evidence = stack_evidence_of(metrics->profile, 0, 0);
  double worth = evidence.samples;
  uint64_t samples = metrics->profile->assumed ? 0 : (uint64_t)worth;
  samples = samples > SHARE_SAMPLES_MAX ? SHARE_SAMPLES_MAX : samples;
  if (samples == 0)
    return upper;
  double hits = share(metrics, weight) * (double)samples;
  uint64_t whole = (uint64_t)(hits + 0.5);
  whole = whole > samples ? samples : whole;
  double end = (upper ? share_upper_ppm(whole, samples, SHARE_Z2_99)
                      : share_lower_ppm(whole, samples, SHARE_Z2_99)) /
               1e6;
  return end * (1 - evidence.unseen) + (upper ? evidence.unseen : 0);
}

static void put_all(struct metrics *metrics) {
  begin(metrics, "function_weight", "Weight of samples whose innermost function it is.");
  for (size_t i = 0; i < metrics->rows.count; i++)
    put(metrics, "function_weight", &metrics->rows.data[i], (double)metrics->rows.data[i].weight);
  begin(metrics, "function_share", "Its part of the weight of all samples.");
  for (size_t i = 0; i < metrics->rows.count; i++)
    put(metrics, "function_share", &metrics->rows.data[i],
        share(metrics, metrics->rows.data[i].weight));
  begin(metrics, "function_share_lower", "Lower end of the share's 99 % interval.");
  for (size_t i = 0; i < metrics->rows.count; i++)
    put(metrics, "function_share_lower", &metrics->rows.data[i],
        end_of(metrics, metrics->rows.data[i].weight, false));
  begin(metrics, "function_share_upper", "Upper end of the share's 99 % interval.");
  for (size_t i = 0; i < metrics->rows.count; i++)
    put(metrics, "function_share_upper", &metrics->rows.data[i],
        end_of(metrics, metrics->rows.data[i].weight, true));
}

static void put_one(struct metrics *metrics, const char *name, const char *help, uint64_t value) {
  begin(metrics, name, help);
  text_format(metrics->out, "tailproof_profile_%s %" PRIu64 "\n", name, value);
}

static void choose_rows(struct metrics *metrics, const struct stack_profile *by_text, size_t top) {
  struct stack_hot_list hot = {0};
  stack_hot_find(&hot, by_text);
  for (size_t i = 0; i < hot.list.count; i++)
    if (hot.list.data[i].self != 0) {
      const struct stack_frame *frame = &by_text->frames.data[hot.list.data[i].frame];
      vector_push(&metrics->rows, (struct metric_row){by_text->names.texts.data[frame->function],
                                                      hot.list.data[i].self});
    }
  if (metrics->rows.count != 0)
    qsort(metrics->rows.data, metrics->rows.count, sizeof *metrics->rows.data, compare_rows);
  metrics->other = by_text->total;
  metrics->rows.count = metrics->rows.count > top ? top : metrics->rows.count;
  for (size_t i = 0; i < metrics->rows.count; i++)
    metrics->other -= metrics->rows.data[i].weight;
  stack_hot_clear(&hot);
}

void stack_write_prometheus(const struct stack_profile *profile, size_t top, struct text *out) {
  struct stack_profile by_text;
  stack_profile_init(&by_text);
  stack_profile_by_function(&by_text, profile);
  struct metrics metrics = {.profile = &by_text, .out = out};
  choose_rows(&metrics, &by_text, top);
  put_all(&metrics);
  put_one(&metrics, "other_weight", "Weight of all functions that are not listed.", metrics.other);
  put_one(&metrics, "weight", "Weight of all samples.", profile->total);
  put_one(&metrics, "samples", "Samples taken.", profile->count);
  put_one(&metrics, "lost", "Samples for which there was no space.", profile->lost);
  put_one(&metrics, "throttled", "Times that the kernel stopped sampling.", profile->throttled);
  vector_clear(&metrics.rows);
  stack_profile_clear(&by_text);
}
