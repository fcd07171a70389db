/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/statistics/plausible.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"

#define HOUR_NS UINT64_C(3600000000000)
enum { APART = 100000, OBSERVED_APART = 300, VALUES_LEAST = 5, STEPS_LEAST = 100 };

static const char *const units[] = {"ns", "us", "ms", "s"};
enum { UNITS = sizeof units / sizeof *units };

static const char *print_ns(char text[static 32], uint64_t ns) {
  double x = (double)ns;
  int unit = 0;
  for (; unit + 1 < UNITS && x >= 1000; unit++)
    x /= 1000;
  snprintf(text, 32, x < 10000 ? "%.4g %s" : "%.0f %s", x, units[unit]);
  return text;
}

/* Of a column of a table: it did not happen in a request, or was not measured. */
static bool is_unknown(const struct sample_bin *bin) {
  return bin->lower_ns == 0 && bin->upper_ns >= SAMPLE_NS_MAX;
}

/* Of what is known; false where that is infinite, or nothing. */
static bool median_of(uint64_t *median, const struct sample *sample) {
  uint64_t known = sample->total, seen = 0;
  for (size_t i = 0; i < sample->count; i++)
    known -= is_unknown(&sample->bins[i]) ? sample->bins[i].count : 0;
  for (size_t i = 0; i < sample->count && known > 0; i++) {
    seen += is_unknown(&sample->bins[i]) ? 0 : sample->bins[i].count;
    *median = sample->bins[i].upper_ns;
    if (seen >= known - known / 2)
      return *median < SAMPLE_NS_MAX;
  }
  return false;
}

static void warn(struct source_notes *warnings, const struct plausible_file *file,
                 struct text *text) {
  if (file->unit == NULL)
    text_append(text, "; is its unit right?");
  else
    text_format(text, "; its unit is stated to be %s: if that is wrong, correct it there",
                file->unit);
  source_notes_add(warnings, "%s", text_get(text));
  text_clear(text);
}

static bool warn_of_range(struct source_notes *warnings, const struct plausible_file *file,
                          uint64_t median) {
  if (median <= HOUR_NS)
    return false;
  char printed[32];
  struct text text;
  text_init(&text);
  text_format(&text, "%s: half of the observations are at least %s, which hardly is a latency",
              file->path, print_ns(printed, median));
  warn(warnings, file, &text);
  return true;
}

/* Against the largest and the smallest of all others. */
static bool warn_of_scale(struct source_notes *warnings, const struct plausible_file *files,
                          const uint64_t *medians, size_t count, size_t i) {
  uint64_t least = UINT64_MAX, most = 0;
  for (size_t j = 0; j < count; j++)
    if (j != i && medians[j] != 0 && medians[j] != UINT64_MAX) {
      least = medians[j] < least ? medians[j] : least;
      most = medians[j] > most ? medians[j] : most;
    }
  uint64_t mine = medians[i];
  if (most == 0 || mine == 0 || mine == UINT64_MAX)
    return false;
  bool large = mine / APART >= most, small = least / APART >= mine;
  if (!large && !(small && count != 2)) /* of two, the larger is suspected */
    return false;
  char printed[32], others[32];
  struct text text;
  text_init(&text);
  text_format(&text, "%s: its median is %s, %s %s of any other component", files[i].path,
              print_ns(printed, mine), large ? "over 100000 times the" : "under a 100000th of the",
              print_ns(others, large ? most : least));
  warn(warnings, &files[i], &text);
  return true;
}

/* The largest of 10^3, 10^6, 10^9 ns of which all values are multiples; 1 if none, or if they are
 * too few or known to ranges only. */
static uint64_t step_of(const struct sample *sample) {
  uint64_t step = 1000000000;
  if (sample->count < VALUES_LEAST)
    return 1;
  for (size_t i = 0; i < sample->count && step > 1; i++) {
    if (sample->bins[i].lower_ns != sample->bins[i].upper_ns)
      return 1;
    while (step > 1 && sample->bins[i].upper_ns % step != 0)
      step /= 1000;
  }
  return step;
}

/* The files whose values are multiples of such a step that it counts: the one where it counts most
 * is named, for all. */
struct coarse {
  uint64_t step, median;
  const struct plausible_file *file;
  size_t count;
};

static void look_for_steps(struct coarse *coarse, size_t kinds, const struct plausible_file *file,
                           uint64_t median) {
  uint64_t step = step_of(file->sample);
  for (size_t k = 0; k < kinds && median / STEPS_LEAST < step; k++)
    if (coarse[k].step == step) {
      if (coarse[k].count++ == 0 || median < coarse[k].median) {
        coarse[k].file = file;
        coarse[k].median = median;
      }
    }
}

static void warn_of_steps(struct source_notes *warnings, const struct coarse *coarse) {
  if (coarse->count == 0)
    return;
  char printed[32], at[32];
  struct text text;
  text_init(&text);
  text_format(&text, "%s", coarse->file->path);
  if (coarse->count > 1)
    text_format(&text, ", and %zu more like it", coarse->count - 1);
  text_format(&text,
              ": all values are whole multiples of %s, at a median of %s: a clock that cuts off "
              "the rest hides up to %s of each; record with a finer one, or check the unit",
              print_ns(printed, coarse->step), print_ns(at, coarse->median), printed);
  source_notes_add(warnings, "%s", text_get(&text));
  text_clear(&text);
}

static void warn_of_observed(struct source_notes *warnings, const struct plausible_file *observed,
                             double sum) {
  uint64_t median;
  if (observed->sample == NULL || !median_of(&median, observed->sample) || median == 0 || sum == 0)
    return;
  double ratio = sum / (double)median;
  if (ratio <= OBSERVED_APART && ratio >= 1.0 / OBSERVED_APART)
    return;
  char printed[32], all[32];
  struct text text;
  text_init(&text);
  text_format(&text,
              "%s: half of the observations end to end are within %s, but the medians of "
              "the components add up to %s",
              observed->path, print_ns(printed, median),
              print_ns(all, sum < 1e18 ? (uint64_t)sum : UINT64_MAX));
  warn(warnings, observed, &text);
}

void plausible_warn(struct source_notes *warnings, const struct plausible_file *files, size_t count,
                    const struct plausible_file *observed) {
  uint64_t *medians = mem_alloc(count, sizeof *medians);
  double sum = 0;
  struct coarse coarse[] = {{.step = 1000}, {.step = 1000000}, {.step = 1000000000}};
  const size_t kinds = sizeof coarse / sizeof *coarse;
  for (size_t i = 0; i < count; i++) {
    if (!median_of(&medians[i], files[i].sample))
      medians[i] = UINT64_MAX;
    else
      sum += (double)medians[i];
  }
  for (size_t i = 0; i < count; i++)
    if (medians[i] != UINT64_MAX && !warn_of_range(warnings, &files[i], medians[i]) &&
        !warn_of_scale(warnings, files, medians, count, i))
      look_for_steps(coarse, kinds, &files[i], medians[i]);
  for (size_t k = 0; k < kinds; k++)
    warn_of_steps(warnings, &coarse[k]);
  mem_free(medians);
  if (observed != NULL)
    warn_of_observed(warnings, observed, sum);
}
