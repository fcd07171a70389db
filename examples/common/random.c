/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "examples/common/random.h"

#include <math.h>

static const uint64_t golden = 0x9e3779b97f4a7c15u;

struct random random_seeded(uint64_t seed, uint64_t stream) {
  struct random random = {seed};
  random.state = random_bits(&random) + stream * golden;
  random.state = random_bits(&random);
  return random;
}

uint64_t random_upto(struct random *random, uint64_t limit) {
  uint64_t bits = random_bits(random);
  return limit == UINT64_MAX ? bits : bits % (limit + 1);
}

uint64_t random_exponential(struct random *random, uint64_t mean) {
  double uniform = ((double)(random_bits(random) >> 11) + 0.5) * 0x1p-53;
  return (uint64_t)(-log(uniform) * (double)mean);
}
