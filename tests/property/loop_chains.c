/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Chains against an event loop whose true chains are known: random programs of I/O, timers and
 * promises (one after the other, all, any, race, allSettled), and a repeating timer that serves a
 * queue, run in a simulated loop. The simulation notes what each callback really followed from; the
 * log gets what a recorder would see. TEST_ALL=1: more of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/random.h"
#include "trace/event/row.h"
#include "trace/loop/chain.h"

enum op_kind { OP_IO, OP_TIMER, OP_QUEUE, OP_SEQUENCE, OP_ALL, OP_ANY, OP_RACE, OP_SETTLED };

/* A program: of the joins and sequences with up to 3 parts. */
struct op {
  enum op_kind kind;
  size_t parts;
  struct op *part[3];
};

/* What happens when something is done: in which row, at the loop's present time. */
struct sequel {
  void (*run)(void *context, uint32_t row);
  void *context;
};

/* Something that will run: a row to be. */
struct task {
  int64_t registered, ready;
  uint32_t registrar, releaser, resource;
  enum event_class class;
  uint32_t before; /* truth: the row that it follows from ... */
  int64_t stop;    /* ... and when */
  bool shared;
  struct sequel sequel;
};

struct truth {
  uint32_t before;
  int64_t stop, ready;
};

struct world {
  struct random random;
  struct event_log log;
  int64_t now;
  VECTOR(struct task) waiting; /* for I/O or time */
  VECTOR(struct task) ready;   /* microtasks */
  VECTOR(struct sequel) queued;
  VECTOR(struct truth) truths; /* by row */
  VECTOR(struct op *) ops;
  VECTOR(void *) blocks;
  uint32_t resources;
  size_t answered;
};

/* A promise with its parts, and what goes on when it is settled. */
struct join {
  struct world *world;
  enum op_kind kind;
  size_t open;
  bool settled, awaited;
  uint32_t releaser;
  int64_t at;
  struct task await;
};

struct chained {
  struct world *world;
  const struct op *op;
  size_t next;
  struct sequel sequel;
  struct join *join;
  size_t request;
};

static void *keep(struct world *world, size_t size) {
  void *block = mem_alloc(1, size);
  vector_push(&world->blocks, block);
  return block;
}

static int64_t draw(struct world *world, uint64_t most) {
  return (int64_t)random_below(&world->random, most);
}

static void pass(struct world *world) {
  world->now += draw(world, 50);
}

static void start(struct world *world, const struct op *op, uint32_t row, struct sequel sequel);

/* ---- waiting */

static void wait_for(struct world *world, enum event_class class, uint32_t row,
                     struct sequel sequel) {
  struct task task = {.registered = world->now,
                      .ready = world->now + draw(world, 5000),
                      .registrar = row,
                      .releaser = EVENT_NONE,
                      .resource = ++world->resources,
                      .class = class,
                      .before = row,
                      .stop = world->now,
                      .sequel = sequel};
  vector_push(&world->waiting, task);
}

/* The continuation runs when both have happened: it was awaited, and settled. */
static void go_on(struct join *join) {
  struct task *task = &join->await;
  if (!join->awaited || !join->settled)
    return;
  bool later = join->at > task->registered;
  task->releaser = join->releaser;
  task->ready = later ? join->at : task->registered;
  task->before = later ? join->releaser : task->registrar;
  task->stop = task->ready;
  vector_push(&join->world->ready, *task);
}

static void settle(void *context, uint32_t row) {
  struct chained *chained = context;
  struct join *join = chained->join;
  bool first = join->kind == OP_ANY || join->kind == OP_RACE;
  join->open--;
  if (join->settled || (join->open != 0 && !first))
    return;
  join->settled = true;
  join->releaser = row;
  join->at = join->world->now;
  pass(join->world);
  go_on(join);
}

static void await(struct join *join, uint32_t row, struct sequel sequel) {
  struct world *world = join->world;
  join->await = (struct task){.registered = world->now,
                              .registrar = row,
                              .resource = ++world->resources,
                              .class = EVENT_PROMISE,
                              .sequel = sequel};
  join->awaited = true;
  pass(world);
  go_on(join);
}

static struct chained *chain_of(struct world *world, struct join *join) {
  struct chained *chained = keep(world, sizeof *chained);
  chained->world = world;
  chained->join = join;
  return chained;
}

static void start_join(struct world *world, const struct op *op, uint32_t row,
                       struct sequel sequel) {
  struct join *join = keep(world, sizeof *join);
  *join = (struct join){.world = world, .kind = op->kind, .open = op->parts};
  for (size_t i = 0; i < op->parts; i++) {
    start(world, op->part[i], row, (struct sequel){settle, chain_of(world, join)});
    pass(world);
  }
  await(join, row, sequel);
}

/* Whoever serves the queue resolves the promise. */
static void start_queue(struct world *world, uint32_t row, struct sequel sequel) {
  struct join *join = keep(world, sizeof *join);
  *join = (struct join){.world = world, .kind = OP_ALL, .open = 1};
  await(join, row, sequel);
  vector_push(&world->queued, (struct sequel){settle, chain_of(world, join)});
}

static void next_part(void *context, uint32_t row) {
  struct chained *chained = context;
  size_t part = chained->next++;
  struct sequel again = {next_part, chained};
  bool last = chained->next == chained->op->parts;
  pass(chained->world);
  start(chained->world, chained->op->part[part], row, last ? chained->sequel : again);
}

static void start(struct world *world, const struct op *op, uint32_t row, struct sequel sequel) {
  struct chained *chained;
  switch (op->kind) {
  case OP_IO:
  case OP_TIMER:
    wait_for(world, op->kind == OP_IO ? EVENT_FILE : EVENT_TIMER, row, sequel);
    break;
  case OP_QUEUE:
    start_queue(world, row, sequel);
    break;
  case OP_SEQUENCE:
    chained = chain_of(world, NULL);
    chained->op = op;
    chained->sequel = sequel;
    next_part(chained, row);
    break;
  case OP_ALL:
  case OP_ANY:
  case OP_RACE:
  case OP_SETTLED:
    start_join(world, op, row, sequel);
    break;
  }
}

/* ---- the loop */

static void run_task(struct world *world, const struct task *task) {
  struct event_row row = {.registered = task->registered,
                          .ready_low = task->ready,
                          .ready_high = task->ready,
                          .begin = world->now,
                          .resource = task->resource,
                          .registrar = task->registrar,
                          .releaser = task->releaser,
                          .inside = EVENT_NONE,
                          .class = task->class};
  uint32_t number = event_log_add(&world->log, &row);
  vector_push(&world->truths, (struct truth){task->before, task->stop, task->ready});
  pass(world);
  task->sequel.run(task->sequel.context, number);
  pass(world);
  world->log.end.data[number] = world->now;
}

static void run_microtasks(struct world *world) {
  for (size_t i = 0; i < world->ready.count; i++) {
    struct task task = world->ready.data[i];
    pass(world);
    run_task(world, &task);
  }
  world->ready.count = 0;
}

/* Of what waits, what was ready first. */
static void run_turn(struct world *world) {
  size_t first = 0;
  for (size_t i = 1; i < world->waiting.count; i++)
    if (world->waiting.data[i].ready < world->waiting.data[first].ready)
      first = i;
  struct task task = world->waiting.data[first];
  world->waiting.data[first] = world->waiting.data[--world->waiting.count];
  world->now = task.ready > world->now ? task.ready : world->now;
  pass(world);
  run_task(world, &task);
  run_microtasks(world);
}

static void serve_queue(void *context, uint32_t row) {
  struct world *world = context;
  for (size_t i = 0; i < world->queued.count; i++) {
    pass(world);
    world->queued.data[i].run(world->queued.data[i].context, row);
  }
  world->queued.count = 0;
  wait_for(world, EVENT_TIMER, row, (struct sequel){serve_queue, world});
}

/* ---- requests */

static struct op *draw_op(struct world *world, int depth) {
  struct op *op = keep(world, sizeof *op);
  op->kind = (enum op_kind)random_below(&world->random, depth == 0 ? OP_SEQUENCE : OP_SETTLED + 1);
  if (op->kind < OP_SEQUENCE)
    return op;
  op->parts = 1 + (size_t)draw(world, 3);
  for (size_t i = 0; i < op->parts; i++)
    op->part[i] = draw_op(world, depth - 1);
  return op;
}

static void answer(void *context, uint32_t row) {
  struct chained *chained = context;
  struct event_request *request = &chained->world->log.requests.data[chained->request];
  pass(chained->world);
  request->sink = row;
  request->responded = chained->world->now;
  request->state = EVENT_ANSWERED;
  chained->world->answered++;
}

static void notice(void *context, uint32_t row) {
  struct chained *chained = context;
  struct world *world = chained->world;
  struct event_request *request = &world->log.requests.data[chained->request];
  request->source = row;
  request->noticed = world->now;
  pass(world);
  start(world, draw_op(world, 3), row, (struct sequel){answer, chained});
}

static void arrive(struct world *world) {
  struct chained *chained = chain_of(world, NULL);
  int64_t arrival = draw(world, 200000);
  struct task task = {.registered = -1,
                      .ready = arrival,
                      .registrar = EVENT_NONE,
                      .releaser = EVENT_NONE,
                      .resource = ++world->resources,
                      .class = EVENT_SOCKET,
                      .before = EVENT_NONE,
                      .sequel = {notice, chained}};
  chained->request = world->log.requests.count;
  vector_push(&world->log.requests, (struct event_request){.sink = EVENT_NONE,
                                                           .source = EVENT_NONE,
                                                           .arrived_low = arrival,
                                                           .arrived_high = arrival,
                                                           .responded = EVENT_NEVER,
                                                           .state = EVENT_OPEN});
  vector_push(&world->waiting, task);
}

static struct world *world_new(uint64_t seed, size_t requests) {
  struct world *world = mem_alloc(1, sizeof *world);
  world->random.state = seed;
  event_log_init(&world->log);
  for (size_t i = 0; i < requests; i++)
    arrive(world);
  struct task timer = {.registered = -1,
                       .registrar = EVENT_NONE,
                       .releaser = EVENT_NONE,
                       .resource = ++world->resources,
                       .class = EVENT_TIMER,
                       .before = EVENT_NONE,
                       .sequel = {serve_queue, world}};
  vector_push(&world->waiting, timer);
  for (int turns = 0; turns < 100000 && world->answered < requests; turns++)
    run_turn(world);
  return world;
}

static void world_free(struct world *world) {
  for (size_t i = 0; i < world->blocks.count; i++)
    mem_free(world->blocks.data[i]);
  event_log_clear(&world->log);
  vector_clear(&world->blocks);
  vector_clear(&world->waiting);
  vector_clear(&world->ready);
  vector_clear(&world->queued);
  vector_clear(&world->truths);
  mem_free(world);
}

/* ---- held against the truth */

/* From the sink back: the rows and moments that the simulation noted. What the queue's timer did
 * was not begun by the request: that is one link, since the request awaited it. */
static void check_chain(const struct world *world, const struct event_chains *chains,
                        const struct event_chain *chain) {
  const struct event_request *request = &world->log.requests.data[chain->request];
  uint32_t row = request->sink;
  int64_t stop = request->responded, sum = 0;
  assert_int_equal(chain->state, CHAIN_COMPLETE);
  for (uint32_t i = chain->count; i-- > 0;) {
    const struct event_link link = event_link_at(chains, &world->log, chain, i);
    struct link_parts parts = event_link_parts(&link);
    const struct truth *truth = &world->truths.data[link.row];
    assert_int_equal(link.row, row);
    assert_int_equal(link.stop, stop);
    assert_int_equal(link.begin, world->log.begin.data[row]);
    sum += parts.io + parts.queue + parts.either + parts.run;
    if (link.shared) {
      uint32_t before = event_link_row(chains, chain, i - 1);
      uint32_t after = event_link_row(chains, chain, i + 1);
      assert_int_equal(link.registered, world->log.registered.data[after]);
      assert_int_equal(before, world->log.registrar.data[after]);
      row = before;
      stop = link.registered;
    } else if (i != 0) {
      assert_int_equal(link.registered, truth->stop);
      assert_int_equal(parts.io, truth->ready - truth->stop);
      row = truth->before;
      stop = truth->stop;
    }
  }
  assert_int_equal(row, request->source);
  assert_int_equal(sum, request->responded - request->arrived_high);
}

static size_t worlds(size_t few, size_t many) {
  return getenv("TEST_ALL") != NULL ? many : few;
}

static void test_truth(void **state) {
  (void)state;
  size_t complete = 0, links = 0, shared = 0;
  for (uint64_t seed = 1; seed <= worlds(100, 5000); seed++) {
    struct world *world = world_new(seed, 40);
    struct event_chains chains;
    print_message("seed %llu\r", (unsigned long long)seed);
    assert_int_equal(world->answered, 40);
    event_chains_make(&chains, &world->log);
    for (size_t i = 0; i < chains.chains.count; i++)
      check_chain(world, &chains, &chains.chains.data[i]);
    complete += chains.chains.count;
    links += chains.rows.count;
    shared += chains.shared;
    event_chains_clear(&chains);
    world_free(world);
  }
  print_message("%zu requests, %zu links, %zu requests with a shared one\n", complete, links,
                shared);
  assert_true(shared > complete / 10 && shared < complete);
}

/* Where a row of the true chain has no record of what it followed from, that is said. */
static void test_lost(void **state) {
  (void)state;
  size_t lost = 0;
  for (uint64_t seed = 1; seed <= worlds(50, 1000); seed++) {
    struct world *world = world_new(seed, 20);
    struct event_chains before, after;
    event_chains_make(&before, &world->log);
    uint32_t row = (uint32_t)random_below(&world->random, event_log_rows(&world->log));
    bool matters = world->log.registered.data[row] >= 0;
    world->log.registrar.data[row] = world->log.releaser.data[row] = EVENT_NONE;
    event_chains_make(&after, &world->log);
    for (size_t i = 0; i < before.chains.count; i++) {
      const struct event_chain *chain = &before.chains.data[i];
      bool within = false;
      for (uint32_t j = 1; j < chain->count && matters; j++)
        within |= event_link_row(&before, chain, j) == row &&
                  !event_link_at(&before, &world->log, chain, j).shared;
      if (within || !chain->shared) /* whether a lost row was shared nobody can know */
        assert_int_equal(after.chains.data[i].state, within ? CHAIN_LOST : CHAIN_COMPLETE);
      lost += within;
    }
    event_chains_clear(&before);
    event_chains_clear(&after);
    world_free(world);
  }
  assert_true(lost > 5);
}

/* Any numbers at all in the columns: no chain that is complete has a residual. */
static void test_any_columns(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= worlds(300, 20000); seed++) {
    struct world *world = world_new(seed, 5);
    struct event_log *log = &world->log;
    struct event_chains chains;
    uint32_t rows = event_log_rows(log);
    for (int i = 0; i < 30; i++) {
      uint32_t row = (uint32_t)random_below(&world->random, rows);
      int64_t any = (int64_t)random_bits(&world->random) >> random_below(&world->random, 64);
      uint32_t other = (uint32_t)random_below(&world->random, rows + 2);
      int64_t *times[] = {log->registered.data, log->ready_low.data, log->ready_high.data,
                          log->begin.data, log->end.data};
      uint32_t *others[] = {log->registrar.data, log->releaser.data, log->inside.data};
      times[random_below(&world->random, 5)][row] = any;
      others[random_below(&world->random, 3)][row] = other;
    }
    event_chains_make(&chains, log);
    for (size_t i = 0; i < chains.chains.count; i++) {
      const struct event_chain *chain = &chains.chains.data[i];
      int64_t sum = 0;
      for (uint32_t j = 0; j < chain->count; j++) {
        const struct event_link link = event_link_at(&chains, log, chain, j);
        struct link_parts parts = event_link_parts(&link);
        assert_true(parts.io >= 0 && parts.queue >= 0 && parts.either >= 0 && parts.run >= 0);
        sum += parts.io + parts.queue + parts.either + parts.run;
      }
      assert_int_equal(sum, chain->answer - chain->arrived);
    }
    event_chains_clear(&chains);
    world_free(world);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_truth),
      cmocka_unit_test(test_lost),
      cmocka_unit_test(test_any_columns),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
