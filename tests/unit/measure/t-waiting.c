/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whose measured work contains waiting: two services with times that are made up.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "measure/throughput/experiment/waiting.h"

enum { WINDOWS = 6 };

struct scene {
  struct experiment_plan plan;
  struct profile profile;
  struct window windows[WINDOWS];
  const struct window *list[WINDOWS];
  char proxy[8];
};

/* web (0) makes two calls of db (1) for each of its own. */
static void draw(struct scene *scene, const double web_us[WINDOWS], const double db_us[WINDOWS]) {
  memset(scene, 0, sizeof *scene);
  scene->plan.count = 2;
  scene->plan.services[0].neighbours = 2;
  scene->plan.services[1].neighbours = 1;
  struct profile_service *known = scene->profile.services;
  known[0] = (struct profile_service){
      .calls = 1, .work_ns = web_us[0] * 1e3, .workers = 1, .busy = 0.5, .workers_measured = true};
  known[1] = (struct profile_service){
      .calls = 2, .work_ns = db_us[0] * 1e3, .workers = 1, .busy = 1, .workers_measured = true};
  for (size_t i = 0; i < WINDOWS; i++) {
    struct window *window = &scene->windows[i];
    window->ended[0] = 100;
    window->ended[1] = 200;
    window->busy_ns[0] = (uint64_t)(100 * web_us[i] * 1e3);
    window->busy_ns[1] = (uint64_t)(200 * db_us[i] * 1e3);
    scene->list[i] = window;
  }
}

static enum waiting ask(const struct scene *scene, uint32_t s) {
  uint32_t neighbour = 99;
  enum waiting why = waiting_of(&neighbour, &scene->plan, &scene->profile, scene->list, WINDOWS, s);
  if (why == WAITING_TOGETHER || why == WAITING_BUSY)
    assert_int_equal(neighbour, 1 - s);
  return why;
}

static const double db_us[WINDOWS] = {100, 120, 90, 150, 110, 130};

static void work_alone(void **state) {
  (void)state;
  struct scene scene;
  draw(&scene, (double[]){300, 301, 299, 300, 302, 298}, db_us);
  assert_int_equal(ask(&scene, 0), WAITING_NONE);
  assert_int_equal(ask(&scene, 1), WAITING_NONE);
  /* as long, changing, but not with it */
  draw(&scene, (double[]){340, 300, 360, 310, 350, 290}, db_us);
  assert_int_equal(ask(&scene, 0), WAITING_NONE);
}

static void the_callee_is_in_it(void **state) {
  (void)state;
  struct scene scene;
  draw(&scene, (double[]){251, 290, 232, 350, 269, 311}, db_us); /* 50 us, and two calls */
  assert_int_equal(ask(&scene, 0), WAITING_TOGETHER);
  assert_int_equal(ask(&scene, 1), WAITING_NONE);
  scene.plan.services[0].work_ns = 251000; /* stated */
  assert_int_equal(ask(&scene, 0), WAITING_NONE);
  scene.plan.services[0].work_ns = 0;
  scene.plan.services[0].neighbours = scene.plan.services[1].neighbours = 0;
  assert_int_equal(ask(&scene, 0), WAITING_NONE);
  /* shorter than the two calls: it cannot contain them */
  draw(&scene, (double[]){151, 190, 132, 250, 169, 211}, db_us);
  assert_int_equal(ask(&scene, 0), WAITING_NONE);
}

/* Windows of a journal know no busy times. */
static void windows_that_say_nothing(void **state) {
  (void)state;
  struct scene scene;
  draw(&scene, (double[]){251, 290, 232, 350, 269, 311}, db_us);
  for (size_t i = 3; i < WINDOWS; i++)
    memset(scene.windows[i].busy_ns, 0, sizeof scene.windows[i].busy_ns);
  assert_int_equal(ask(&scene, 0), WAITING_NONE);
}

static void both_busy(void **state) {
  (void)state;
  struct scene scene;
  struct profile_service *known = scene.profile.services;
  draw(&scene, (double[]){300, 301, 299, 300, 302, 298}, db_us);
  known[0].workers = 16, known[0].busy = 1;
  known[1].workers = 14, known[1].busy = 0.97;
  assert_int_equal(ask(&scene, 0), WAITING_BUSY);
  known[1].busy = 0.6;
  assert_int_equal(ask(&scene, 0), WAITING_NONE);
  known[1].busy = 1, known[0].workers_measured = false;
  assert_int_equal(ask(&scene, 0), WAITING_NONE);
}

static void a_proxy(void **state) {
  (void)state;
  struct scene scene;
  draw(&scene, (double[]){300, 301, 299, 300, 302, 298}, db_us);
  memcpy(scene.proxy, "l:1=b:2", 8);
  scene.plan.services[1].proxy = scene.proxy;
  assert_int_equal(ask(&scene, 1), WAITING_PROXY);
  assert_int_equal(ask(&scene, 0), WAITING_NONE);
  scene.plan.services[1].work_ns = 100000;
  assert_int_equal(ask(&scene, 1), WAITING_NONE);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(work_alone), cmocka_unit_test(the_callee_is_in_it),
      cmocka_unit_test(both_busy),  cmocka_unit_test(windows_that_say_nothing),
      cmocka_unit_test(a_proxy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
