/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A pauser's connections, against raw sockets: pieces, garbage, silence, peers that do not read,
 * more strangers than there is room for, ends in the middle of a frame. Everything runs in one
 * thread: the loop goes round until what is awaited has happened.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "measure/throughput/poker/links.h"

enum { PATIENCE = 100000000, LONGEST = 128 };

static const struct poker_key key = {.bytes = "a key of the test", .size = 17};
static uv_loop_t loop;
static struct links links;
static struct sockaddr_in address;

static struct {
  uint32_t opened, messages, closed;
  uint64_t last;     /* number of the latest message */
  char why[LONGEST]; /* of the latest end */
  struct link *link; /* the latest that was opened */
} seen;

static void opened(void *of, struct link *link) {
  assert_ptr_equal(of, &seen);
  seen.opened++;
  seen.link = link;
}

static void message(void *of, struct link *link, const struct poke *poke) {
  (void)of;
  (void)link;
  assert_int_not_equal(poke->kind, POKE_HELLO);
  seen.messages++;
  seen.last = poke->number;
}

static void closed(void *of, struct link *link, const char *why) {
  (void)of;
  seen.closed++;
  snprintf(seen.why, sizeof seen.why, "%s", why);
  if (seen.link == link)
    seen.link = NULL;
}

static int set_up(void **state) {
  static const struct link_calls calls = {&seen, opened, message, closed};
  char where[ADDRESS_TEXT];
  struct address place;
  (void)state;
  memset(&seen, 0, sizeof seen);
  address = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  assert_int_equal(uv_loop_init(&loop), 0);
  links_init(&links, &loop, &key, "tested", &calls);
  assert_int_equal(links_listen(&links, (struct sockaddr *)&address, where), 0);
  assert_true(address_read(&place, where, 1));
  address.sin_port = htons(place.port);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  uint32_t left = links.count, before = seen.closed;
  links_close(&links);
  assert_int_equal(seen.closed, before + left); /* each is told */
  uv_run(&loop, UV_RUN_DEFAULT);
  assert_int_equal(links.count, 0);
  assert_int_equal(uv_loop_close(&loop), 0);
  return 0;
}

/* Goes round until the condition holds. */
#define AWAIT(condition)                                                                           \
  do {                                                                                             \
    bool happened = false;                                                                         \
    for (int rounds = 0; !happened && rounds < PATIENCE; rounds++) {                               \
      go_round();                                                                                  \
      happened = (condition);                                                                      \
    }                                                                                              \
    assert_true(happened);                                                                         \
  } while (0)

static void go_round(void) {
  if (uv_run(&loop, UV_RUN_NOWAIT) != 0)
    usleep(50);
}

/* --- the other end --- */

struct peer {
  int socket;
  struct wire wire;
};

static void peer_connect(struct peer *peer) {
  peer->socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  int small = 4096; /* so that who does not read is noticed soon */
  assert_true(peer->socket >= 0);
  setsockopt(peer->socket, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
  assert_int_equal(connect(peer->socket, (struct sockaddr *)&address, sizeof address), 0);
  fcntl(peer->socket, F_SETFL, O_NONBLOCK);
}

static void peer_give(struct peer *peer, const void *bytes, size_t size) {
  assert_int_equal(send(peer->socket, bytes, size, MSG_NOSIGNAL), size);
}

static void peer_greet(struct peer *peer, size_t key_size) {
  static uint64_t nonce[2];
  uint8_t frame[WIRE_FRAME];
  nonce[0]++;
  wire_init(&peer->wire, WIRE_ASKER, key.bytes, key_size, nonce);
  wire_greet(&peer->wire, "peer", frame);
  peer_give(peer, frame, WIRE_FRAME);
}

/* Takes what has come; the number of messages. */
static uint32_t peer_take(struct peer *peer) {
  uint8_t bytes[1000];
  uint32_t messages = 0;
  ssize_t got = recv(peer->socket, bytes, sizeof bytes, 0);
  for (size_t at = 0; got > 0 && at < (size_t)got;) {
    struct poke poke;
    size_t used;
    if (wire_take(&peer->wire, bytes + at, (size_t)got - at, &used, &poke) == WIRE_MESSAGE)
      messages++;
    assert_int_equal(peer->wire.trouble, WIRE_GOOD);
    at += used;
  }
  return messages;
}

static void peer_open(struct peer *peer) {
  uint32_t before = seen.opened;
  peer_connect(peer);
  peer_greet(peer, key.size);
  AWAIT(seen.opened == before + 1);
  AWAIT(peer_take(peer) == 1); /* the other's greeting */
  assert_true(wire_is_open(&peer->wire));
}

static void peer_say(struct peer *peer, uint64_t number, uint8_t frame[WIRE_FRAME]) {
  struct poke poke = {.kind = POKE_ASK, .number = number};
  assert_true(wire_seal(&peer->wire, &poke, frame));
}

/* Whether the other side has ended the connection. */
static bool peer_is_let_go(struct peer *peer) {
  char byte[512];
  ssize_t got = recv(peer->socket, byte, sizeof byte, 0);
  return got == 0 || (got < 0 && errno == ECONNRESET);
}

/* --- tests --- */

static void messages_both_ways_in_pieces(void **state) {
  (void)state;
  struct peer peer;
  uint8_t frame[WIRE_FRAME];
  peer_open(&peer);
  assert_false(seen.link->proven); /* a greeting is no proof */
  for (uint64_t number = 1; number <= 20; number++) {
    peer_say(&peer, number, frame);
    for (size_t at = 0, piece = number * 13; at < WIRE_FRAME; at += piece) {
      peer_give(&peer, frame + at, WIRE_FRAME - at < piece ? WIRE_FRAME - at : piece);
      go_round();
    }
    AWAIT(seen.messages == number);
    assert_int_equal(seen.last, number);
    assert_true(seen.link->proven);
    struct poke poke = {.kind = POKE_REPORT, .number = number};
    assert_true(link_send(seen.link, &poke));
    AWAIT(peer_take(&peer) == 1);
  }
  close(peer.socket);
  AWAIT(seen.closed == 1);
  assert_string_equal(seen.why, "");
}

static void ends_in_the_middle(void **state) {
  (void)state;
  for (size_t size = 0; size < WIRE_FRAME; size += 51) {
    struct peer peer;
    uint8_t frame[WIRE_FRAME];
    uint32_t before = seen.closed;
    peer_open(&peer);
    peer_say(&peer, 1, frame);
    peer_give(&peer, frame, size);
    close(peer.socket);
    AWAIT(seen.closed == before + 1);
  }
  assert_int_equal(seen.messages, 0);
}

static void garbage_and_other_keys(void **state) {
  (void)state;
  struct peer peer;
  char garbage[WIRE_FRAME];
  memset(garbage, 'G', sizeof garbage);
  peer_connect(&peer);
  peer_give(&peer, garbage, sizeof garbage);
  AWAIT(seen.closed == 1);
  assert_non_null(strstr(seen.why, "seal does not fit"));
  AWAIT(peer_is_let_go(&peer));
  close(peer.socket);
  peer_connect(&peer);
  peer_greet(&peer, key.size - 1);
  AWAIT(seen.closed == 2);
  AWAIT(peer_is_let_go(&peer));
  close(peer.socket);
  peer_open(&peer); /* who has greeted, and then says what he cannot seal */
  peer_give(&peer, garbage, sizeof garbage);
  AWAIT(seen.closed == 3);
  close(peer.socket);
  assert_int_equal(seen.messages, 0);
  assert_int_equal(seen.opened, 1);
}

/* A stranger may come at any time; those who came first make room, and never one who has proved
 * himself. */
static void more_strangers_than_room(void **state) {
  (void)state;
  enum { EXTRA = 10 };
  static struct peer strangers[LINKS_UNPROVEN + EXTRA];
  struct peer known;
  uint8_t frame[WIRE_FRAME];
  peer_open(&known);
  peer_say(&known, 1, frame);
  peer_give(&known, frame, WIRE_FRAME);
  AWAIT(seen.messages == 1);
  for (int i = 0; i < LINKS_UNPROVEN + EXTRA; i++) {
    peer_connect(&strangers[i]);
    go_round();
  }
  AWAIT(seen.closed == EXTRA);
  assert_int_equal(links.count, LINKS_UNPROVEN + 1);
  for (int i = 0; i < LINKS_UNPROVEN + EXTRA; i++) {
    if (i < EXTRA)
      AWAIT(peer_is_let_go(&strangers[i]));
    close(strangers[i].socket);
  }
  peer_say(&known, 2, frame);
  peer_give(&known, frame, WIRE_FRAME);
  AWAIT(seen.messages == 2);
  close(known.socket);
}

static void strangers_have_some_time(void **state) {
  (void)state;
  struct peer mute, greeting;
  peer_connect(&mute);
  AWAIT(links.count == 1);
  peer_open(&greeting);
  links_tick(&links);
  assert_int_equal(links.count, 2);
  for (struct link *link = links.first; link != NULL; link = link->next)
    link->born_ms -= LINKS_PROVE_MS + 1;
  links_tick(&links);
  assert_int_equal(seen.closed, 2);
  assert_string_equal(seen.why, "says nothing");
  AWAIT(peer_is_let_go(&mute));
  AWAIT(peer_is_let_go(&greeting));
  close(mute.socket);
  close(greeting.socket);
}

/* Who does not read is let go, with a bounded backlog, and nobody waits for him. */
static void deaf_peer(void **state) {
  (void)state;
  struct peer deaf, other;
  struct poke poke = {.kind = POKE_ROUND, .epoch = 1};
  peer_open(&deaf);
  struct link *link = seen.link;
  peer_open(&other);
  struct link *heard = seen.link;
  uint64_t sent = 0;
  int small = 4096;
  assert_int_equal(uv_send_buffer_size((uv_handle_t *)&link->tcp, &small), 0);
  while (seen.closed == 0) {
    poke.number = ++sent;
    assert_true(link_send(heard, &poke));
    bool queued = link_send(link, &poke);
    assert_int_equal(queued, seen.closed == 0);
    assert_true(!queued || uv_stream_get_write_queue_size((uv_stream_t *)&link->tcp) <=
                               LINKS_BACKLOG + WIRE_FRAME);
    AWAIT(peer_take(&other) == 1);
    assert_true(sent < 100000);
  }
  assert_int_equal(links.dropped, 1);
  assert_string_equal(seen.why, "does not read what it is told");
  assert_true(sent > LINKS_BACKLOG / WIRE_FRAME);
  close(deaf.socket);
  close(other.socket);
}

static void nobody_there(void **state) {
  (void)state;
  struct sockaddr_in nobody = address;
  int busy = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0); /* bound, and not listening */
  socklen_t size = sizeof nobody;
  nobody.sin_port = 0;
  assert_int_equal(bind(busy, (struct sockaddr *)&nobody, sizeof nobody), 0);
  assert_int_equal(getsockname(busy, (struct sockaddr *)&nobody, &size), 0);
  struct link *link = links_connect(&links, (struct sockaddr *)&nobody, &seen);
  if (link != NULL)
    AWAIT(seen.closed == 1);
  assert_string_equal(seen.why, "connection refused");
  close(busy);
}

/* To itself: both ends are links of one process, with one key, and understand each other. */
static void two_links(void **state) {
  (void)state;
  struct link *link = links_connect(&links, (struct sockaddr *)&address, &seen);
  assert_non_null(link);
  assert_int_equal(link->number, 1);
  AWAIT(seen.opened == 2);
  assert_string_equal(link->wire.peer, "tested");
  assert_ptr_equal(links_find(&links, 1), link);
  assert_null(links_find(&links, 77));
  struct poke poke = {.kind = POKE_ROUND, .number = 5}, wrong = {.kind = 99};
  assert_false(link_send(link, &wrong)); /* and the link is none the worse */
  assert_true(link_send(link, &poke));
  AWAIT(seen.messages == 1);
  assert_int_equal(seen.last, 5);
  link_close(link, "enough");
  link_close(link, "twice");
  assert_string_equal(seen.why, "enough");
  assert_false(link_send(link, &poke));
  AWAIT(seen.closed == 2);
}

int main(void) {
#define WITH_LINKS(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      WITH_LINKS(messages_both_ways_in_pieces),
      WITH_LINKS(ends_in_the_middle),
      WITH_LINKS(garbage_and_other_keys),
      WITH_LINKS(more_strangers_than_room),
      WITH_LINKS(strangers_have_some_time),
      WITH_LINKS(deaf_peer),
      WITH_LINKS(nobody_there),
      WITH_LINKS(two_links),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
