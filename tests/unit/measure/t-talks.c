/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whom a service talks to when the other side has not accepted the connection yet, so that nobody
 * has its socket: who listens at that address, whether at it alone or at every one.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "measure/throughput/experiment/talks.h"

/* A poker and its service, which does one thing, tells the port and stays. */
struct party {
  pid_t poker;
  uint16_t port;
};

static uint16_t port_of(int socket) {
  struct sockaddr_in6 address;
  socklen_t length = sizeof address;
  memset(&address, 0, sizeof address);
  getsockname(socket, (struct sockaddr *)&address, &length);
  return ntohs(address.sin6_port); /* at the same place in both families */
}

static int listen_at(const char *host) {
  struct sockaddr_in four = {.sin_family = AF_INET};
  struct sockaddr_in6 six = {.sin6_family = AF_INET6};
  bool is_four = inet_pton(AF_INET, host, &four.sin_addr) == 1;
  int made = socket(is_four ? AF_INET : AF_INET6, SOCK_STREAM, 0), off = 0;
  if (!is_four)
    inet_pton(AF_INET6, host, &six.sin6_addr);
  setsockopt(made, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
  const struct sockaddr *address = is_four ? (struct sockaddr *)&four : (struct sockaddr *)&six;
  bool good = bind(made, address, is_four ? sizeof four : sizeof six) == 0 && listen(made, 4) == 0;
  return good ? made : -1;
}

static int connect_to(uint16_t port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int made = socket(AF_INET, SOCK_STREAM, 0);
  return connect(made, (struct sockaddr *)&address, sizeof address) == 0 ? made : -1;
}

/* `host`: it listens there; NULL: it connects to `port`. False where this system has no such
 * address. */
static bool begin(struct party *party, const char *host, uint16_t port) {
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  party->poker = fork();
  if (party->poker == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (fork() == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      int made = host != NULL ? listen_at(host) : connect_to(port);
      uint16_t said = made >= 0 ? port_of(made) : 0;
      if (write(ends[1], &said, sizeof said) == sizeof said)
        pause();
      _exit(1);
    }
    pause();
    _exit(1);
  }
  assert_int_equal(read(ends[0], &party->port, sizeof party->port), sizeof party->port);
  close(ends[0]);
  close(ends[1]);
  return party->port != 0;
}

static void end(struct party *party) {
  kill(party->poker, SIGKILL); /* the service dies with it */
  waitpid(party->poker, NULL, 0);
}

static void not_accepted(void **state) {
  (void)state;
  static const char *const hosts[] = {"127.0.0.1", "0.0.0.0", "::", "::ffff:127.0.0.1"};
  static char proxy[] = "a:1=b:2";
  for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++)
    for (int counted = 0; counted < 2; counted++) {
      struct experiment_plan plan = {.count = 2};
      struct party store, web;
      struct talks talks = {0};
      char said[80];
      strcpy(plan.services[0].name, "web");
      strcpy(plan.services[1].name, "store");
      plan.services[1].proxy = counted ? proxy : NULL;
      if (!begin(&store, hosts[i], 0)) {
        end(&store);
        continue; /* no IPv6 here */
      }
      assert_true(begin(&web, NULL, store.port));
      struct processor_roots roots = {.count = 2, .pokers = {web.poker, store.poker}};
      talks_look(&talks, &plan, &roots);
      snprintf(said, sizeof said, "store (127.0.0.1:%u)", store.port);
      assert_string_equal(talks.past[0], counted ? said : "");
      assert_string_equal(talks.outside[0], "");
      assert_string_equal(talks.past[1], "");
      end(&web);
      end(&store);
    }
}

/* A socket at 127.0.0.1, or -1. */
static int bound_here(unsigned port) {
  int here = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (bind(here, (struct sockaddr *)&address, sizeof address) == 0)
    return here;
  close(here);
  return -1;
}

/* One that is at another address of the same port is somebody else. */
static void another_address(void **state) {
  (void)state;
  struct experiment_plan plan = {.count = 2};
  struct party store, web;
  struct talks talks = {0};
  static char proxy[] = "a:1=b:2";
  plan.services[1].proxy = proxy;
  int here = -1;
  for (int tries = 0; here < 0 && tries < 100; tries++) {
    assert_true(begin(&store, "127.0.0.2", 0));
    here = bound_here(store.port);
    if (here < 0) /* somebody else's */
      end(&store);
  }
  assert_true(here >= 0);
  assert_int_equal(listen(here, 4), 0);
  assert_true(begin(&web, NULL, store.port));
  struct processor_roots roots = {.count = 2, .pokers = {web.poker, store.poker}};
  talks_look(&talks, &plan, &roots);
  assert_string_equal(talks.past[0], "");    /* as the store's is not the address */
  assert_string_equal(talks.outside[0], ""); /* as it is this program's */
  close(here);
  end(&web);
  end(&store);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(not_accepted),
                                     cmocka_unit_test(another_address)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
