/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/statistics/token_bucket.h"

__extension__ typedef unsigned __int128 wide;

/* How early the earliest arrival is; the arrivals at both ends of the window that shows it. TAT is
 * kept as ns since the first arrival. */
static wide earliest(size_t *first, size_t *last, const int64_t *times_ns, size_t count,
                     uint64_t every_ns) {
  wide theoretical = 0, most = 0;
  size_t begun = 0; /* the arrival since which the bucket was never full */
  *first = *last = 0;
  for (size_t i = 0; i < count; i++) {
    wide now = (wide)(uint64_t)(times_ns[i] - times_ns[0]);
    if (now >= theoretical) {
      theoretical = now;
      begun = i;
    } else if (theoretical - now > most) {
      most = theoretical - now;
      *first = begun;
      *last = i;
    }
    theoretical += every_ns;
  }
  return most;
}

static uint64_t burst_of(wide tolerance, size_t count, uint64_t every_ns) {
  return count == 0 ? 0 : 1 + (uint64_t)((tolerance + every_ns - 1) / every_ns);
}

static uint64_t fitted(const int64_t *times_ns, size_t count, uint64_t every_ns) {
  size_t first, last;
  return burst_of(earliest(&first, &last, times_ns, count, every_ns), count, every_ns);
}

void token_bucket_fit(struct token_bucket *bucket, const int64_t *times_ns, size_t count,
                      uint64_t every_ns) {
  *bucket = (struct token_bucket){.every_ns = every_ns};
  wide most = earliest(&bucket->first, &bucket->last, times_ns, count, every_ns);
  bucket->burst = burst_of(most, count, every_ns);
  bucket->tolerance_ns = most > UINT64_MAX ? UINT64_MAX : (uint64_t)most;
  bucket->halves_burst[0] = fitted(times_ns, count / 2, every_ns);
  bucket->halves_burst[1] = fitted(times_ns + count / 2, count - count / 2, every_ns);
}

/* The least burst does not fall when T grows, so that the largest T is found by halving. */
uint64_t token_bucket_slowest(const int64_t *times_ns, size_t count, uint64_t burst) {
  if (count <= burst)
    return UINT64_MAX;
  uint64_t good = 0, bad = (uint64_t)(times_ns[count - 1] - times_ns[0]) + 1;
  while (bad - good > 1) {
    uint64_t middle = good + (bad - good) / 2;
    if (fitted(times_ns, count, middle) <= burst)
      good = middle;
    else
      bad = middle;
  }
  return good;
}
