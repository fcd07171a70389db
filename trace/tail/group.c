/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/tail/group.h"

#include <stdlib.h>
#include <string.h>

struct cause_excess {
  uint32_t place; /* among the findings */
  uint32_t cause;
  int64_t ns;
};

static int by_excess(const void *a, const void *b) {
  const struct cause_excess *x = a, *y = b;
  if (x->ns != y->ns)
    return x->ns < y->ns ? 1 : -1;
  return (x->place > y->place) - (x->place < y->place);
}

static int by_place(const void *a, const void *b) {
  const struct cause_excess *x = a, *y = b;
  return (x->place > y->place) - (x->place < y->place);
}

/* The significant causes that took longer than usual. */
static size_t find_excesses(struct cause_excess *excesses, const struct tail_report *report,
                            const struct tail_causes *causes, size_t request) {
  size_t count = 0;
  for (uint32_t i = 0; i < report->findings.count; i++) {
    const struct tail_finding *finding = &report->findings.data[i];
    const struct tail_cause *cause = &causes->causes.data[finding->cause];
    int64_t ns = cause->parts[request] - cause->usual;
    if (finding->significant && ns > 0)
      excesses[count++] = (struct cause_excess){i, finding->cause, ns};
  }
  qsort(excesses, count, sizeof *excesses, by_excess);
  return count;
}

static struct tail_group group_of(const struct tail_report *report,
                                  const struct tail_causes *causes, const struct tail_split *split,
                                  size_t request, struct cause_excess *excesses) {
  struct tail_group group = {0};
  size_t count = find_excesses(excesses, report, causes, request);
  uint32_t set[TAIL_TOGETHER];
  for (size_t i = 0; i < count && i < TAIL_TOGETHER; i++) {
    set[i] = excesses[i].cause;
    if (causes->replay.without(causes, request, set, i + 1) > split->threshold)
      continue;
    group.count = i + 1;
    break;
  }
  qsort(excesses, group.count, sizeof *excesses, by_place);
  for (size_t i = 0; i < group.count; i++)
    group.causes[i] = excesses[i].cause;
  return group;
}

static void add_group(struct tail_report *report, const struct tail_group *group) {
  for (size_t i = 0; i < report->groups.count; i++) {
    struct tail_group *known = &report->groups.data[i];
    if (known->count == group->count &&
        memcmp(known->causes, group->causes, sizeof group->causes) == 0) {
      known->share.count++;
      return;
    }
  }
  vector_push(&report->groups, *group);
  report->groups.data[report->groups.count - 1].share.count = 1;
}

static int by_count(const void *a, const void *b) {
  const struct tail_group *x = a, *y = b;
  if (x->share.count != y->share.count)
    return x->share.count < y->share.count ? 1 : -1;
  return memcmp(x->causes, y->causes, sizeof x->causes);
}

void tail_groups_find(struct tail_report *report, const struct tail_causes *causes,
                      const struct tail_split *split, double level) {
  struct cause_excess *excesses = mem_alloc(report->findings.count, sizeof *excesses);
  size_t of = 0;
  for (size_t i = 0; i < split->requests; i++)
    if (split->sides[i] == TAIL_SLOW && causes->latency[i] > split->threshold) {
      struct tail_group group = group_of(report, causes, split, i, excesses);
      add_group(report, &group);
      of++;
    }
  mem_free(excesses);
  qsort(report->groups.data, report->groups.count, sizeof *report->groups.data, by_count);
  for (size_t i = 0; i < report->groups.count; i++)
    report->groups.data[i].share = tail_share_of(report->groups.data[i].share.count, of, level);
}
