/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/loop/unusual.h"

#include "dist/statistics/special.h"

/* Octaves in all, and those above the fullest that are told apart; the last takes the rest. */
enum { OCTAVES = 63, APART = 8, PAIRS = APART * (APART + 1) / 2 };

/* By octave: in how many stretches the longest time was of it. */
struct counts {
  uint64_t all[OCTAVES];
};

/* Of value >= 1: 2^octave <= value. */
static size_t octave_of(int64_t value) {
  size_t octave = 0;
  for (; value > 1; value >>= 1)
    octave++;
  return octave;
}

/* Which request of a stretch counts. */
enum unusual_look { LOOK_LONGEST, LOOK_FIRST, LOOKS };

static void count_octaves(struct counts *counts, const struct unusual_time *times, size_t count,
                          int64_t stretch, enum unusual_look look) {
  *counts = (struct counts){0};
  for (size_t i = 0; i < count;) {
    int64_t end = times[i].arrived + stretch, value = times[i].value;
    for (; i < count && times[i].arrived < end; i++)
      if (look == LOOK_LONGEST && times[i].value > value)
        value = times[i].value;
    if (value > 0)
      counts->all[octave_of(value)]++;
  }
}

static size_t fullest_of(const struct counts *counts) {
  size_t fullest = 0;
  for (size_t o = 1; o < OCTAVES; o++)
    if (counts->all[o] > counts->all[fullest])
      fullest = o;
  return fullest;
}

/* What is farther up than is told apart counts as the last. */
static void fold(struct counts *counts, size_t last) {
  for (size_t o = last + 1; o < OCTAVES; o++)
    counts->all[last] += counts->all[o];
}

static bool is_hump(const struct counts *counts, size_t fullest, size_t octave, double level) {
  uint64_t more = counts->all[octave];
  for (size_t before = fullest; before < octave; before++) {
    uint64_t fewer = counts->all[before];
    if (more > fewer && special_binomial_from(more, 0.5, more + fewer) * PAIRS <= level)
      return true;
  }
  return false;
}

/* The start of the octave with the fewest, from the fullest to before the hump. */
static int64_t valley_of(const struct counts *counts, size_t fullest, size_t hump) {
  size_t valley = fullest;
  for (size_t o = fullest + 1; o < hump; o++)
    if (counts->all[o] < counts->all[valley])
      valley = o;
  return (int64_t)1 << valley;
}

static int64_t apart_in(struct counts *counts, int64_t least, double level) {
  size_t fullest = fullest_of(counts);
  size_t last = fullest + APART < OCTAVES ? fullest + APART : OCTAVES - 1;
  fold(counts, last);
  for (size_t octave = fullest + 1; octave <= last; octave++)
    if (((int64_t)1 << octave) >= least && is_hump(counts, fullest, octave, level))
      return valley_of(counts, fullest, octave);
  return INT64_MAX;
}

int64_t loop_unusual_apart(const struct unusual_time *times, size_t count, int64_t stretch,
                           int64_t least, double level) {
  int64_t apart = INT64_MAX;
  for (unsigned look = 0; look < LOOKS && apart == INT64_MAX; look++) {
    struct counts counts;
    count_octaves(&counts, times, count, stretch, (enum unusual_look)look);
    apart = apart_in(&counts, least, level / LOOKS);
  }
  return apart;
}
