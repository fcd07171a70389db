/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/budget/curves.h"

#include "base/memory.h"
#include "cli/question/budget/parts.h"
#include "dist/budget/confirm.h"

enum { COARSE = 3, HALVINGS = 8, ROOM_MOST = 1000 };

/* Down to so many digits: what is printed is what suffices. */
static uint64_t shortened(uint64_t x, uint64_t digits) {
  uint64_t unit = 1, most = 1;
  for (uint64_t i = 0; i < digits; i++)
    most *= 10;
  while (x / unit >= most)
    unit *= 10;
  return x / unit * unit;
}

/* Not below what the part takes without any room, where there is room: else it is not kept today. */
static uint64_t limit_at(const struct budget *b, double base_ns, double factor) {
  uint64_t ns = (uint64_t)(base_ns * factor), limit = 0, digits = b->request->round ? 2 : 4;
  if (ns < 1) /* no promise says that something takes no time at all */
    return 1;
  do
    limit = shortened(ns, digits++);
  while (factor >= 1 && limit < ns && (double)limit < base_ns);
  return limit;
}

static void lessen(double *room, double base_ns, uint64_t limit_ns, double weight) {
  double own = base_ns > 0 && weight > 0 ? ((double)limit_ns / base_ns - 1) / weight : *room;
  *room = own < *room ? own : *room;
}

static bool some_get_room(const struct budget *b) {
  for (size_t g = 0; g < b->parts.count; g++)
    if (!b->parts.data[g].is_fixed && b->parts.data[g].weight > 0)
      return true;
  return false;
}

void curves_set(struct budget *b, double room) {
  b->room_left = some_get_room(b) ? room : 0;
  for (size_t g = 0; g < b->parts.count; g++) {
    struct budget_part *part = &b->parts.data[g];
    double factor = 1 + part->weight * room;
    factor = factor > 0 ? factor : 0;
    if (part->is_fixed)
      continue;
    double ns = part->base_ns * factor;
    uint64_t edge = parts_edge(b, part, (uint64_t)ns);
    part->is_edge = edge != 0 && (double)edge >= part->base_ns;
    part->promise.limit_ns = part->is_edge ? edge : limit_at(b, part->base_ns, factor);
    lessen(&b->room_left, part->base_ns, part->promise.limit_ns, part->weight);
    for (size_t i = 0; i < part->also.count; i++) {
      part->also.data[i].limit_ns = limit_at(b, part->also_ns.data[i], factor);
      lessen(&b->room_left, part->also_ns.data[i], part->also.data[i].limit_ns, part->weight);
    }
  }
}

static enum status add_points(struct budget *b) {
  wanted_list wanted = {0};
  enum status status = wanted_read(&wanted, b->request->also, b->request->of.asker);
  for (size_t g = 0; g < b->parts.count && status == STATUS_OK; g++) {
    struct budget_part *part = &b->parts.data[g];
    struct survival law;
    survival_init(&law, &b->calculation.laws.grid);
    parts_law(&law, b, part, 0);
    for (size_t i = 0; i < wanted.count && !part->is_fixed; i++) {
      uint64_t miss = 0, ns = 0;
      survival_tail_of(&miss, &wanted.data[i].share);
      if (miss == part->promise.miss || !survival_quantile(&ns, &law, miss))
        continue;
      vector_push(&part->also, (struct promise){0, miss});
      vector_push(&part->also_ns, (double)ns);
    }
    survival_clear(&law);
  }
  wanted_clear(&wanted);
  return status;
}

enum status curves_confirm(uint64_t *above, const struct budget *b, unsigned coarse) {
  struct promise *promises = mem_alloc(b->parts.count + 1, sizeof *promises);
  struct promise_points *also = mem_alloc(b->parts.count + 1, sizeof *also);
  for (size_t g = 0; g < b->parts.count; g++) {
    promises[g] = b->parts.data[g].promise;
    also[g] = (struct promise_points){b->parts.data[g].also.data, b->parts.data[g].also.count};
  }
  struct text message;
  text_init(&message);
  const struct confirm_request request = {.expression = b->calculation.expression,
                                          .part_of = b->part_of.data,
                                          .promises = promises,
                                          .also = also,
                                          .part_count = b->parts.count,
                                          .objective_ns = &b->slos.data[0].limit_ns,
                                          .strict = b->slos.data[0].strict,
                                          .independent = b->request->independent,
                                          .coarse = coarse,
                                          .jobs = b->request->of.effort.jobs};
  enum status status = confirm(above, &request, &message);
  if (status != STATUS_OK)
    asker_fail(b->request->of.asker, status, "%s", text_get(&message));
  text_clear(&message);
  mem_free(promises);
  mem_free(also);
  return status;
}

static bool suffices(struct budget *b, double room, unsigned coarse, enum status *status) {
  uint64_t above = SURVIVAL_ONE;
  curves_set(b, room);
  *status = curves_confirm(&above, b, coarse);
  return *status == STATUS_OK && above <= b->chance;
}

enum status curves_widen(struct budget *b) {
  enum status status = add_points(b);
  double good = b->room, step = 1 + b->room;
  while (status == STATUS_OK && good < ROOM_MOST && suffices(b, good + step, COARSE, &status))
    good += step;
  for (int i = 0; i < HALVINGS && status == STATUS_OK; i++) {
    step /= 2;
    good += suffices(b, good + step, COARSE, &status) ? step : 0;
  }
  if (status == STATUS_OK && good > b->room && suffices(b, good, 0, &status)) {
    b->room = good;
    b->by_curves = true;
  }
  curves_set(b, b->room);
  return status;
}
