/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What breaks the list of a proxy's connections, or that of a poker's links, is found.
 */
#include "tests/unit/base/breaks.h"

#include <stdlib.h>

#include "measure/throughput/poker/gossip.h"
#include "measure/throughput/proxy/inside.h"

/* A proxy with three pairs, the one made last first, without connections. */
struct list {
  struct proxy proxy;
  struct proxy_pair pairs[3];
  struct proxy_side clients[3];
};

static struct list *list_new(void) {
  struct list *list = calloc(1, sizeof *list);
  for (size_t i = 0; i < 3; i++) {
    struct proxy_pair *pair = &list->pairs[i];
    *pair = (struct proxy_pair){.proxy = &list->proxy, .client = &list->clients[i]};
    pair->next = i + 1 < 3 ? &list->pairs[i + 1] : NULL;
    pair->previous = i > 0 ? &list->pairs[i - 1] : NULL;
    list->clients[i].pair = pair;
  }
  list->proxy.pairs = &list->pairs[0];
  list->proxy.statistics.open = 3;
  return list;
}

static void end_second(void *context) {
  struct list *list = context;
  proxy_pair_free(&list->pairs[1]);
}

static void pairs(void **state) {
  (void)state;
  struct list *list = list_new();
  struct proxy_pair *second = &list->pairs[1];
  assert_true(proxy_pairs_are_valid(&list->proxy));
  list->pairs[2].previous = &list->pairs[0];
  assert_false(proxy_pairs_are_valid(&list->proxy));
  breaks(end_second, list, "proxy_pair_is_linked(pair)");
  list->pairs[2].previous = second;
  list->pairs[0].next = &list->pairs[2];
  breaks(end_second, list, "proxy_pair_is_linked(pair)");
  list->pairs[0].next = second;
  list->clients[1].pair = NULL;
  breaks(end_second, list, "proxy_pair_is_linked(pair)");
  list->clients[1].pair = second;
  list->proxy.statistics.open = 2; /* fewer are counted than there are */
  assert_false(proxy_pairs_are_valid(&list->proxy));
  list->proxy.statistics.open = 4;
  assert_false(proxy_pairs_are_valid(&list->proxy));
  free(list);
}

static void begin(void *context) {
  struct gossip_send send;
  gossip_begin(context, &send);
}

static void leave(void *context) {
  gossip_leave(context, 1);
}

static void links(void **state) {
  (void)state;
  struct gossip gossip;
  struct gossip_send send;
  struct gossip_instance own = {1, 2}, peer = {3, 4};
  gossip_init(&gossip, &own);
  assert_int_equal(gossip_enter(&gossip, 1), 1);
  for (uint32_t link = 1; link <= 3; link++)
    assert_int_equal(gossip_join(&gossip, link, &peer, &send),
                     link == 1 ? GOSSIP_NEW : GOSSIP_SPARE);
  invariant_costly_on = true;
  begin(&gossip);
  gossip.links[2].link = 2; /* joined twice */
  breaks(begin, &gossip, "gossip_is_valid(gossip)");
  breaks(leave, &gossip, "gossip_is_valid(gossip)");
  gossip.links[2].link = 3;
  gossip.links[2].peer = own; /* leads back here */
  breaks(begin, &gossip, "gossip_is_valid(gossip)");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pairs),
      cmocka_unit_test(links),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
