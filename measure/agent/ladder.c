/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/agent/ladder.h"

const struct ladder_edge ladder_edges[LADDER_EDGES] = {
    {1000, "0.000001"},    {2000, "0.000002"},    {5000, "0.000005"},    {10000, "0.00001"},
    {20000, "0.00002"},    {50000, "0.00005"},    {100000, "0.0001"},    {200000, "0.0002"},
    {500000, "0.0005"},    {1000000, "0.001"},    {2000000, "0.002"},    {5000000, "0.005"},
    {10000000, "0.01"},    {20000000, "0.02"},    {50000000, "0.05"},    {100000000, "0.1"},
    {200000000, "0.2"},    {500000000, "0.5"},    {1000000000, "1.0"},   {2000000000, "2.0"},
    {5000000000, "5.0"},   {10000000000, "10.0"}, {20000000000, "20.0"}, {30000000000, "30.0"},
    {60000000000, "60.0"},
};

void ladder_add(struct ladder *ladder, uint64_t value_ns) {
  uint32_t i = 0;
  while (i < LADDER_EDGES && ladder_edges[i].ns < value_ns)
    i++;
  ladder->counts[i]++;
  ladder->sum_ns = value_ns > UINT64_MAX - ladder->sum_ns ? UINT64_MAX : ladder->sum_ns + value_ns;
}

void ladder_add_lost(struct ladder *ladder, uint64_t count) {
  ladder->counts[LADDER_EDGES] += count;
}
