/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Answers that are held: the clock against one that is looked at in each nanosecond; and a service
 * with workers behind the proxy, that nothing stops, against the same service really stopped in
 * every pause. Users ask again as soon as they are answered. All in simulated time: to the
 * nanosecond.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "measure/throughput/proxy/holding.h"
#include "tests/unit/measure/core_random.h"

/* --- the clock ----------------------------------------------------------------------------------- */

static void clock_stands_in_pauses(void **state) {
  (void)state;
  for (int i = 0; i < 200; i++) {
    struct hold_clock clock;
    uint64_t left = 0, shown = 0, from = 0;
    hold_init(&clock);
    for (uint64_t now = 0; now < 500; now++) {
      if (core_random() % 40 == 0) {
        uint64_t ns = core_random() % 50;
        assert_int_equal(hold_pause(&clock, now, ns), 1);
        left += ns;
        from = clock.from_ns;
      }
      assert_true(hold_time(&clock, now) == shown && hold_paused(&clock, now) == now - shown);
      uint64_t then = hold_moment(&clock, shown + 7); /* while nothing is added */
      assert_true(hold_time(&clock, then) == shown + 7);
      assert_true(then == from || hold_time(&clock, then - 1) < shown + 7);
      if (left > 0)
        left--;
      else
        shown++;
    }
  }
}

static void clock_ends(void **state) {
  (void)state;
  struct hold_clock clock, before;
  hold_init(&clock);
  assert_int_equal(hold_pause(&clock, 10, HOLD_TIME_MAX - 10), 1);
  before = clock;
  assert_int_equal(hold_pause(&clock, 20, 1), 0);
  assert_int_equal(hold_pause(&clock, 9, 0), 0);
  assert_memory_equal(&clock, &before, sizeof before);
  assert_true(hold_moment(&clock, UINT64_MAX) == UINT64_MAX);
  assert_true(hold_end(5, 7, UINT64_MAX - 7) == UINT64_MAX &&
              hold_end(7, 5, UINT64_MAX) == UINT64_MAX);
  assert_true(hold_share(10, 5, 5) == 10 && hold_share(10, 1, 4) == 2 && hold_share(0, 1, 4) == 0);
}

/* --- a service with workers ---------------------------------------------------------------------- */

enum { USERS_MOST = 40, ANSWERS = 400, PAUSES = 60 };

struct world {
  uint32_t users, workers;
  bool any_order;                           /* who waits is taken in any order */
  uint64_t work[ANSWERS + USERS_MOST];      /* of each request, in the order in which they come */
  uint64_t pauses[PAUSES], lengths[PAUSES]; /* moments; they may overlap, and then add up */
  uint64_t answers[ANSWERS];                /* moments: what is to be found */
};

static void make_world(struct world *world) {
  memset(world, 0, sizeof *world);
  world->users = 1 + (uint32_t)(core_random() % USERS_MOST);
  world->workers = 1 + (uint32_t)(core_random() % 12);
  bool alike = core_random() % 3 == 0;
  for (int i = 0; i < ANSWERS + USERS_MOST; i++)
    world->work[i] = alike ? 2000 : 1 + core_random() % 4000;
  uint64_t at = 1;
  for (int i = 0; i < PAUSES; i++) {
    world->pauses[i] = at += core_random() % 9000;
    world->lengths[i] = core_random() % 5000;
  }
}

/* A queue before workers, in which requests are numbered as they come. */
struct queue {
  const struct world *world;
  uint32_t came, taken;
  uint64_t until[12]; /* of each worker; 0: it is free */
  uint32_t has[12];
  uint32_t order[ANSWERS + USERS_MOST]; /* in which they are taken */
  uint64_t began[ANSWERS + USERS_MOST];
};

static uint32_t next_of(struct queue *queue) {
  uint32_t *waiting = &queue->order[queue->taken], count = queue->came - queue->taken++;
  uint32_t place = queue->world->any_order ? (uint32_t)(core_random() % count) : 0;
  uint32_t found = waiting[place];
  waiting[place] = waiting[0];
  return found;
}

static void take(struct queue *queue, uint64_t now) {
  for (uint32_t w = 0; w < queue->world->workers; w++)
    if (queue->until[w] == 0 && queue->taken < queue->came) {
      queue->has[w] = next_of(queue);
      queue->until[w] = now + queue->world->work[queue->has[w]];
    }
}

static void come(struct queue *queue, uint64_t now) {
  queue->order[queue->came] = queue->came;
  queue->began[queue->came++] = now;
  take(queue, now);
}

/* Who is ready first, or the first of those; workers when nobody is at work. */
static uint32_t first(const struct queue *queue) {
  uint32_t least = queue->world->workers;
  for (uint32_t w = 0; w < queue->world->workers; w++)
    if (queue->until[w] != 0 &&
        (least == queue->world->workers || queue->until[w] < queue->until[least]))
      least = w;
  return least;
}

/* Really stopped: all its times are those of the clock that stands in pauses. */
static void run_stopped(struct world *world) {
  struct queue queue = {.world = world};
  struct hold_clock clock;
  uint32_t pause = 0;
  hold_init(&clock);
  for (uint32_t u = 0; u < world->users; u++)
    come(&queue, 1);
  for (int i = 0; i < ANSWERS;) {
    uint32_t worker = first(&queue);
    uint64_t moment = hold_moment(&clock, queue.until[worker]);
    if (pause < PAUSES && world->pauses[pause] < moment) {
      hold_pause(&clock, world->pauses[pause], world->lengths[pause]);
      pause++;
      continue;
    }
    world->answers[i++] = moment;
    uint64_t shown = queue.until[worker];
    queue.until[worker] = 0;
    take(&queue, shown);
    come(&queue, shown);
  }
}

/* Never stopped, and its answers held. */
static void run_held(struct world *world, uint32_t workers) {
  struct queue queue = {.world = world};
  static struct holding holding;
  struct holding_request due;
  uint64_t now = 1, next = 0;
  uint32_t pause = 0;
  holding_init(&holding);
  holding_set(&holding, HOLDING_ON, workers, 0, false, 0);
  for (uint32_t u = 0; u < world->users; u++) {
    holding_begin(&holding, &queue.began[queue.came], 1);
    come(&queue, 1);
  }
  for (int i = 0; i < ANSWERS;) {
    uint32_t worker = first(&queue);
    uint64_t answered = worker < world->workers ? queue.until[worker] : HOLDING_NEVER;
    if (holding_next(&holding, now, &due, &next)) {
      world->answers[i++] = now;
      holding_begin(&holding, &queue.began[queue.came], now);
      come(&queue, now);
      continue;
    }
    uint64_t paused = pause < PAUSES ? world->pauses[pause] : HOLDING_NEVER;
    now = answered < next ? answered : next;
    if (paused < now || (paused == now && answered > now && next > now)) {
      now = paused;
      assert_true(holding_pause(&holding, now, world->lengths[pause]));
      pause++;
    } else if (answered == now) {
      uint32_t number = queue.has[worker];
      assert_true(holding_answer(&holding, &queue.began[number], queue.began[number], now));
      queue.until[worker] = 0;
      take(&queue, now);
    }
  }
  holding_clear(&holding);
}

static void held_as_if_stopped(void **state) {
  (void)state;
  for (int i = 0; i < 300; i++) {
    struct world stopped, held;
    make_world(&stopped);
    held = stopped;
    run_stopped(&stopped);
    run_held(&held, stopped.workers);
    for (int k = 0; k < ANSWERS; k++)
      assert_true(stopped.answers[k] == held.answers[k]);
    if (stopped.users <= stopped.workers) { /* nobody waits for another */
      run_held(&held, 0);
      assert_memory_equal(stopped.answers, held.answers, sizeof held.answers);
    }
  }
}

/* Whoever is taken first, as many are served in the same time. */
static void held_in_any_order(void **state) {
  (void)state;
  for (int i = 0; i < 200; i++) {
    struct world stopped, held;
    make_world(&stopped);
    for (int k = 0; k < ANSWERS + USERS_MOST; k++)
      stopped.work[k] = 2000;
    held = stopped;
    run_stopped(&stopped);
    held.any_order = true;
    run_held(&held, stopped.workers);
    uint64_t one = stopped.answers[ANSWERS - 1], other = held.answers[ANSWERS - 1];
    assert_true((one > other ? one - other : other - one) <= stopped.work[0]);
    if (stopped.workers == 1)
      assert_memory_equal(stopped.answers, held.answers, sizeof held.answers);
  }
}

/* --- what is learnt ------------------------------------------------------------------------------ */

/* A service whose requests take `work`, and a way there and back of `hop` in all, between users who
 * think for a while. */
struct learning {
  uint32_t users, workers;
  uint64_t work, hop, thinks;
};

/* When who has been let in is answered, if workers take them up in order. */
static uint64_t answer_at(uint64_t free_at[], const struct learning *world, uint64_t now) {
  uint32_t first_free = 0;
  for (uint32_t w = 1; w < world->workers; w++)
    first_free = free_at[w] < free_at[first_free] ? w : first_free;
  uint64_t there = now + world->hop / 2;
  uint64_t begun = there > free_at[first_free] ? there : free_at[first_free];
  free_at[first_free] = begun + world->work;
  return begun + world->work + world->hop - world->hop / 2;
}

/* All users come, think and come; modes take turns, HOLDING_ONE first and last. */
static void learn(struct holding *holding, const struct learning *world) {
  static const uint64_t turn = 200000;
  uint64_t free_at[64] = {0}, answers[USERS_MOST], begun[USERS_MOST], comes[USERS_MOST];
  bool inside[USERS_MOST] = {false};
  for (uint32_t u = 0; u < world->users; u++)
    comes[u] = 1 + u;
  holding_init(holding);
  holding_set(holding, HOLDING_LEARN, 0, 0, false, 1);
  for (uint64_t now = 1; now < 8 * turn; now++) {
    if (now % turn == 0)
      holding_set(holding, now / turn % 2 == 1 ? HOLDING_ONE : HOLDING_LEARN, 0, 0, true, now);
    for (uint32_t u = 0; u < world->users; u++) {
      if (inside[u] && answers[u] == now) {
        assert_false(holding_answer(holding, &begun[u], begun[u], now));
        inside[u] = false;
        comes[u] = now + world->thinks;
      } else if (!inside[u] && comes[u] <= now && !holding_is_full(holding, now)) {
        holding_begin(holding, &begun[u], now);
        inside[u] = true;
        begun[u] = now;
        answers[u] = answer_at(free_at, world, now);
      }
    }
  }
}

static void workers_are_learnt(void **state) {
  (void)state;
  static const struct learning worlds[] = {
      {40, 1, 1700, 200, 0},     {40, 12, 20000, 400, 10000}, {8, 1, 1000, 200, 12000},
      {40, 3, 5000, 300, 60000}, {40, 7, 9000, 0, 0},         {30, 2, 4000, 500, 100000},
  };
  static struct holding holding;
  for (size_t i = 0; i < sizeof worlds / sizeof *worlds; i++) {
    const struct learning *world = &worlds[i];
    learn(&holding, world);
    assert_int_equal(holding_workers(&holding), world->workers);
    assert_true(holding_alone_ns(&holding) == world->work + world->hop);
    assert_true(holding.hop_ns <= holding_alone_ns(&holding) / 4);
    holding_clear(&holding);
  }
  learn(&holding, &(struct learning){40, 60, 5000, 100, 0});
  assert_true(holding_workers(&holding) == HOLDING_ALL && holding.hop_ns == 0);
  holding_clear(&holding);
}

/* Requests come and are answered by one worker, `count` at once, each after `work`. */
static uint64_t serve_at_once(struct holding *holding, uint32_t count, uint64_t work,
                              uint64_t now) {
  static uint64_t begun[8];
  for (uint32_t i = 0; i < count; i++) {
    begun[i] = now;
    holding_begin(holding, &begun[i], now);
  }
  for (uint32_t i = 0; i < count; i++)
    assert_false(holding_answer(holding, &begun[i], begun[i], now += work));
  return now;
}

/* That requests come alone when they are let in says nothing about workers, nor ends what is counted. */
static void requests_that_come_alone(void **state) {
  (void)state;
  for (uint32_t alone = 0; alone < 9; alone += 4) {
    static struct holding holding;
    uint64_t now = 1;
    holding_init(&holding);
    holding_set(&holding, HOLDING_LEARN, 0, 0, false, now);
    for (int cycle = 0; cycle < HOLDING_CYCLES; cycle++) {
      holding_set(&holding, HOLDING_ONE, 0, 0, true, now);
      for (int i = 0; i < 6; i++)
        now = serve_at_once(&holding, 1, 1000, now + 3000);
      holding_set(&holding, HOLDING_LEARN, 0, 0, true, now);
      for (uint32_t i = 0; i < alone; i++)
        now = serve_at_once(&holding, 1, 1000, now + 500);
      now = serve_at_once(&holding, 8, 1000, now);
      holding_set(&holding, HOLDING_ONE, 0, 0, true, now);
      now = serve_at_once(&holding, 1, 1000, now + 3000);
    }
    assert_int_equal(holding_workers(&holding), 1);
    holding_clear(&holding);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(clock_stands_in_pauses), cmocka_unit_test(clock_ends),
      cmocka_unit_test(held_as_if_stopped),     cmocka_unit_test(held_in_any_order),
      cmocka_unit_test(workers_are_learnt),     cmocka_unit_test(requests_that_come_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
