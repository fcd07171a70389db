/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/parallel.h"

struct tally {
  atomic_int *calls;
  atomic_size_t running, most;
};

static void work(size_t index, void *context) {
  struct tally *tally = context;
  size_t now = atomic_fetch_add(&tally->running, 1) + 1;
  size_t most = atomic_load(&tally->most);
  while (now > most && !atomic_compare_exchange_weak(&tally->most, &most, now))
    ;
  atomic_fetch_add(&tally->calls[index], 1);
  for (volatile int spin = 0; spin < 500; spin++)
    ;
  atomic_fetch_sub(&tally->running, 1);
}

static void test_each_index_once(void **state) {
  (void)state;
  static const size_t counts[] = {0, 1, 2, 3, 100, 1000};
  static const size_t jobs[] = {0, 1, 2, 3, 16, 200};
  for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
    for (size_t j = 0; j < sizeof jobs / sizeof *jobs; j++) {
      struct tally tally = {.calls = mem_alloc(counts[c], sizeof(atomic_int))};
      parallel_run(jobs[j], counts[c], work, &tally);
      for (size_t i = 0; i < counts[c]; i++)
        assert_int_equal(atomic_load(&tally.calls[i]), 1);
      assert_int_equal(atomic_load(&tally.running), 0);
      assert_true(atomic_load(&tally.most) <= (jobs[j] == 0 ? 1 : jobs[j]));
      mem_free(tally.calls);
    }
}

/* Sleeping work runs on as many threads as there may be, and no more. */
static void slow_work(size_t index, void *context) {
  struct tally *tally = context;
  size_t now = atomic_fetch_add(&tally->running, 1) + 1;
  size_t most = atomic_load(&tally->most);
  while (now > most && !atomic_compare_exchange_weak(&tally->most, &most, now))
    ;
  nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
  atomic_fetch_add(&tally->calls[index], 1);
  atomic_fetch_sub(&tally->running, 1);
}

static void test_at_most_so_many_threads(void **state) {
  (void)state;
  for (size_t jobs = 1; jobs <= 4; jobs++) {
    struct tally tally = {.calls = mem_alloc(9, sizeof(atomic_int))};
    parallel_run(jobs, 9, slow_work, &tally);
    assert_in_range(atomic_load(&tally.most), 1, jobs);
    mem_free(tally.calls);
  }
}

struct order {
  pthread_t thread;
  size_t next;
  bool good;
};

static void in_order(size_t index, void *context) {
  struct order *order = context;
  order->good = order->good && index == order->next && pthread_equal(order->thread, pthread_self());
  order->next++;
}

static void test_one_job_is_in_order_and_on_this_thread(void **state) {
  (void)state;
  struct order order = {pthread_self(), 0, true};
  parallel_run(1, 500, in_order, &order);
  assert_int_equal(order.next, 500);
  assert_true(order.good);
}

static void test_processors(void **state) {
  (void)state;
  assert_true(parallel_processors() >= 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_each_index_once),
      cmocka_unit_test(test_at_most_so_many_threads),
      cmocka_unit_test(test_one_job_is_in_order_and_on_this_thread),
      cmocka_unit_test(test_processors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
