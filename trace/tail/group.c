/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/tail/group.h"

#include <stdlib.h>
#include <string.h>

struct group_excess {
  uint32_t place; /* among the members */
  int64_t ns;
};

static int by_excess(const void *a, const void *b) {
  const struct group_excess *x = a, *y = b;
  if (x->ns != y->ns)
    return x->ns < y->ns ? 1 : -1;
  return (x->place > y->place) - (x->place < y->place);
}

static int by_place(const void *a, const void *b) {
  const struct group_excess *x = a, *y = b;
  return (x->place > y->place) - (x->place < y->place);
}

/* What is significant: a cause, or all of a service none of whose causes is. */
struct member {
  uint32_t number; /* as in tail_group.causes */
  uint32_t *set;   /* owned */
  size_t count;
};
typedef VECTOR(struct member) members;

static void add_cause(members *of, uint32_t cause) {
  uint32_t *set = mem_alloc(1, sizeof *set);
  *set = cause;
  vector_push(of, (struct member){cause, set, 1});
}

static void find_members(members *of, const struct tail_report *report,
                         const struct tail_causes *causes) {
  for (size_t i = 0; i < report->findings.count; i++)
    if (report->findings.data[i].significant)
      add_cause(of, report->findings.data[i].cause);
  for (size_t i = 0; i < report->services.count; i++) {
    uint32_t service = report->services.data[i].service;
    bool told = !report->services.data[i].significant;
    for (size_t c = 0; c < report->findings.count && !told; c++)
      told = report->findings.data[c].significant &&
             causes->causes.data[report->findings.data[c].cause].service == service;
    if (told)
      continue;
    struct member member = {.number = (uint32_t)causes->causes.count + service};
    member.set = tail_service_causes(&member.count, causes, service);
    vector_push(of, member);
  }
}

/* Those that took longer than usual. */
static size_t find_excesses(struct group_excess *excesses, const members *of,
                            const struct tail_causes *causes, size_t request) {
  size_t count = 0;
  for (uint32_t i = 0; i < of->count; i++) {
    int64_t ns = 0;
    for (size_t c = 0; c < of->data[i].count; c++) {
      const struct tail_cause *cause = &causes->causes.data[of->data[i].set[c]];
      ns += cause->parts[request] > cause->usual ? cause->parts[request] - cause->usual : 0;
    }
    if (ns > 0)
      excesses[count++] = (struct group_excess){i, ns};
  }
  qsort(excesses, count, sizeof *excesses, by_excess);
  return count;
}

/* Room for a request's work. */
struct grouping {
  members members;
  struct group_excess *excesses;
  uint32_t *set;
};

static struct tail_group group_of(const struct grouping *g, const struct tail_causes *causes,
                                  const struct tail_split *split, size_t request) {
  struct tail_group group = {0};
  size_t count = find_excesses(g->excesses, &g->members, causes, request), size = 0;
  for (size_t i = 0; i < count && i < TAIL_TOGETHER; i++) {
    const struct member *member = &g->members.data[g->excesses[i].place];
    memcpy(g->set + size, member->set, member->count * sizeof *g->set);
    size += member->count;
    if (causes->replay.without(causes, request, g->set, size) >
        tail_split_threshold(split, request))
      continue;
    group.count = i + 1;
    break;
  }
  qsort(g->excesses, group.count, sizeof *g->excesses, by_place);
  for (size_t i = 0; i < group.count; i++)
    group.causes[i] = g->members.data[g->excesses[i].place].number;
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
  struct grouping g = {.set = mem_alloc(causes->causes.count, sizeof *g.set)};
  size_t of = 0;
  find_members(&g.members, report, causes);
  g.excesses = mem_alloc(g.members.count, sizeof *g.excesses);
  for (size_t i = 0; i < split->requests; i++)
    if (split->sides[i] == TAIL_SLOW && causes->latency[i] > tail_split_threshold(split, i)) {
      struct tail_group group = group_of(&g, causes, split, i);
      add_group(report, &group);
      of++;
    }
  for (size_t i = 0; i < g.members.count; i++)
    mem_free(g.members.data[i].set);
  vector_clear(&g.members);
  mem_free(g.excesses);
  mem_free(g.set);
  qsort(report->groups.data, report->groups.count, sizeof *report->groups.data, by_count);
  for (size_t i = 0; i < report->groups.count; i++)
    report->groups.data[i].share = tail_share_of(report->groups.data[i].share.count, of, level);
}
