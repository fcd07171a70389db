/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whom a pauser passes rounds on to. That rounds arrive under loss, duplication and reordering is
 * tests/property/gossip.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "measure/throughput/poker/gossip.h"

static const struct gossip_instance own = {1, 2};

static struct gossip_instance peer(uint64_t number) {
  return (struct gossip_instance){number, 77};
}

static void start(struct gossip *gossip) {
  gossip_init(gossip, &own);
  assert_int_equal(gossip_enter(gossip, 5), 1);
}

static enum gossip_joined join(struct gossip *gossip, uint32_t link, uint64_t who) {
  struct gossip_send send;
  struct gossip_instance instance = peer(who);
  return gossip_join(gossip, link, &instance, &send);
}

static void expect(const struct gossip_send *send, uint64_t number, uint32_t count,
                   const uint32_t *links) {
  assert_int_equal(send->count, count);
  if (count != 0)
    assert_true(send->epoch == 5 && send->number == number);
  for (uint32_t i = 0; i < count; i++)
    assert_int_equal(send->links[i], links[i]);
}

static void nothing_before_an_epoch(void **state) {
  (void)state;
  struct gossip gossip;
  struct gossip_send send;
  gossip_init(&gossip, &own);
  assert_int_equal(join(&gossip, 1, 10), GOSSIP_NEW);
  assert_int_equal(gossip_begin(&gossip, &send), 0);
  assert_int_equal(send.count, 0);
  assert_int_equal(gossip_hear(&gossip, 1, 1, 1, &send), ROUND_AHEAD);
  assert_int_equal(send.count, 0);
  assert_int_equal(gossip.rounds, 0);
}

static void to_all_but_who_said_it(void **state) {
  (void)state;
  struct gossip gossip;
  struct gossip_send send;
  start(&gossip);
  for (uint32_t i = 1; i <= 3; i++)
    assert_int_equal(join(&gossip, i, i), GOSSIP_NEW);
  assert_int_equal(gossip_begin(&gossip, &send), 1);
  expect(&send, 1, 3, (const uint32_t[]){1, 2, 3});
  assert_int_equal(gossip_hear(&gossip, 2, 5, 2, &send), ROUND_ACCEPTED);
  expect(&send, 2, 2, (const uint32_t[]){1, 3});
  assert_int_equal(gossip_hear(&gossip, 3, 5, 2, &send), ROUND_KNOWN);
  expect(&send, 0, 0, NULL);
  assert_int_equal(gossip_hear(&gossip, 3, 5, 1, &send), ROUND_KNOWN); /* is behind, and told */
  expect(&send, 2, 1, (const uint32_t[]){3});
  assert_int_equal(gossip_hear(&gossip, 9, 5, 1, &send), ROUND_KNOWN);
  expect(&send, 0, 0, NULL);
  assert_int_equal(gossip_hear(&gossip, 3, 4, 9, &send), ROUND_STALE);
  expect(&send, 0, 0, NULL);
  assert_int_equal(gossip_hear(&gossip, 9, 5, 7, &send), ROUND_ACCEPTED); /* who never joined */
  expect(&send, 7, 3, (const uint32_t[]){1, 2, 3});
  assert_int_equal(gossip.rounds, 3);
  gossip_leave(&gossip, 2);
  gossip_leave(&gossip, 99);
  assert_false(gossip_has(&gossip, 2));
  assert_true(gossip_has(&gossip, 3));
  assert_int_equal(gossip_begin(&gossip, &send), 8);
  expect(&send, 8, 2, (const uint32_t[]){1, 3});
}

/* Two connections to one pauser: one is used, until it goes. */
static void spare_links(void **state) {
  (void)state;
  struct gossip gossip;
  struct gossip_send send;
  start(&gossip);
  assert_int_equal(join(&gossip, 1, 10), GOSSIP_NEW);
  assert_int_equal(join(&gossip, 2, 10), GOSSIP_SPARE);
  assert_int_equal(join(&gossip, 3, 11), GOSSIP_NEW);
  assert_int_equal(join(&gossip, 2, 10), GOSSIP_KNOWN);
  gossip_begin(&gossip, &send);
  expect(&send, 1, 2, (const uint32_t[]){1, 3});
  gossip_hear(&gossip, 2, 5, 2, &send); /* heard over the spare one: not back over the other */
  expect(&send, 2, 1, (const uint32_t[]){3});
  gossip_leave(&gossip, 1);
  gossip_begin(&gossip, &send);
  expect(&send, 3, 2, (const uint32_t[]){2, 3});
}

static void who_joins_hears_the_latest(void **state) {
  (void)state;
  struct gossip gossip;
  struct gossip_send send;
  struct gossip_instance instance = peer(4);
  start(&gossip);
  assert_int_equal(gossip_join(&gossip, 1, &instance, &send), GOSSIP_NEW);
  expect(&send, 0, 0, NULL); /* there is none */
  gossip_begin(&gossip, &send);
  gossip_begin(&gossip, &send);
  instance = peer(6);
  assert_int_equal(gossip_join(&gossip, 2, &instance, &send), GOSSIP_NEW);
  expect(&send, 2, 1, (const uint32_t[]){2});
  assert_int_equal(gossip_enter(&gossip, 6), 1); /* the old rounds are nobody's any more */
  instance = peer(7);
  assert_int_equal(gossip_join(&gossip, 3, &instance, &send), GOSSIP_NEW);
  expect(&send, 0, 0, NULL);
  assert_int_equal(gossip_enter(&gossip, 6), 0);
}

static void itself_and_too_many(void **state) {
  (void)state;
  static struct gossip gossip;
  struct gossip_send send;
  start(&gossip);
  assert_int_equal(gossip_join(&gossip, 1, &own, &send), GOSSIP_SELF);
  assert_false(gossip_has(&gossip, 1));
  for (uint32_t i = 0; i < GOSSIP_LINKS; i++)
    assert_int_equal(join(&gossip, i, 100 + i), GOSSIP_NEW);
  assert_int_equal(join(&gossip, 1000, 5000), GOSSIP_FULL);
  gossip_begin(&gossip, &send);
  assert_int_equal(send.count, GOSSIP_LINKS);
  gossip_leave(&gossip, 0);
  assert_int_equal(join(&gossip, 1000, 5000), GOSSIP_NEW);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nothing_before_an_epoch),
      cmocka_unit_test(to_all_but_who_said_it),
      cmocka_unit_test(spare_links),
      cmocka_unit_test(who_joins_hears_the_latest),
      cmocka_unit_test(itself_and_too_many),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
