/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the agent makes of answers, with two invented clocks whose difference and drift are known:
 * no delay is bounded too low, none above its round trip, every question ends in one way, and a
 * clock that jumps is noticed. Peers by address, and configurations that change.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <arpa/inet.h>
#include <netinet/in.h>

#include <cmocka.h>

#include "measure/agent/page.h"
#include "measure/agent/watch.h"

static uint64_t random_state = 20240607;

static uint64_t random_below(uint64_t limit) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return random_state % limit;
}

/* Mostly short, sometimes long, as delays are. */
static uint64_t random_delay(void) {
  return 20000 + random_below(random_below(10) == 0 ? 20000000 : 50000);
}

static struct agent_peer_config peer_config(const char *name, const char *address, uint16_t port) {
  struct agent_peer_config config = {.port = port};
  strcpy(config.name, name);
  strcpy(config.address, address);
  return config;
}

static struct peer *peer_new(void) {
  struct agent_peer_config config = peer_config("b", "127.0.0.1", 1);
  struct peer *peer = malloc(sizeof *peer);
  assert_non_null(peer);
  peer_init(peer, &config, UINT32_MAX - 10); /* sequences wrap */
  return peer;
}

/* The other clock: ahead by `offset`, faster by `ppm`. */
struct other_clock {
  int64_t offset, ppm;
};

static uint64_t other_time(const struct other_clock *other, uint64_t now_ns) {
  return (uint64_t)((int64_t)now_ns + other->offset + (int64_t)now_ns * other->ppm / 1000000);
}

static uint64_t bucket_of(uint64_t value_ns) {
  struct ladder ladder = {.sum_ns = 0};
  ladder_add(&ladder, value_ns);
  for (uint64_t i = 0; i <= LADDER_EDGES; i++)
    if (ladder.counts[i] == 1)
      return i;
  fail_msg("not counted");
  return 0;
}

static void delays_are_bounded(void **state) {
  (void)state;
  static const struct other_clock clocks[] = {
      {0, 0}, {5000000000, 90}, {-700000000000, -90}, {INT64_MAX / 4, 0}, {1, 50}};
  for (size_t c = 0; c < sizeof clocks / sizeof *clocks; c++) {
    struct peer *peer = peer_new();
    uint64_t now = 800000000000, tighter = 0;
    for (uint32_t i = 0; i < 3000; i++) {
      uint64_t there = random_delay(), back = random_delay();
      struct probe probe;
      peer_ask(peer, NULL, &probe, now);
      assert_int_equal(probe.kind, PROBE_QUESTION);
      probe.kind = PROBE_ANSWER;
      probe.time_ns = other_time(&clocks[c], now + there);
      uint64_t sum = peer->delay.sum_ns, round = peer->roundtrip.sum_ns;
      assert_int_equal(peer_answered(peer, NULL, &probe, 100, now + there + back), PEER_MEASURED);
      uint64_t bound = peer->delay.sum_ns - sum;
      assert_true(peer->roundtrip.sum_ns - round == there + back);
      assert_true(bound <= there + back);
      assert_true(bound >= there);
      tighter += bound < there + back;
      int64_t truth = (int64_t)(probe.time_ns - (now + there));
      assert_true(peer->offset.low <= truth && truth <= peer->offset.high);
      now += 1000000 + random_below(20000000);
    }
    assert_true(tighter > 1000); /* knowing more than the round trip is the point of it */
    assert_int_equal(peer->counts.answered, 3000);
    assert_int_equal(peer->counts.clock_jumps, 0);
    free(peer);
  }
}

/* With an allowance below the true drift the bound may fail: the allowance is not idle. */
static void drift_matters(void **state) {
  (void)state;
  struct other_clock fast = {0, -1000};
  struct peer *peer = peer_new();
  uint64_t now = 1000000000, wrong = 0;
  for (uint32_t i = 0; i < 3000; i++) {
    uint64_t there = random_delay(), back = random_delay(), sum = peer->delay.sum_ns;
    struct probe probe;
    peer_ask(peer, NULL, &probe, now);
    probe.time_ns = other_time(&fast, now + there);
    peer_answered(peer, NULL, &probe, 0, now + there + back);
    wrong += peer->delay.sum_ns - sum < there;
    now += 10000000;
  }
  assert_true(wrong + peer->counts.clock_jumps > 0);
  free(peer);
}

/* Clocks that drift apart by all that is allowed, questions that overlap, answers in any order, and
 * packets that take no time at all, which leave the interval no room. */
static void all_of_the_drift_is_allowed(void **state) {
  (void)state;
  enum { UNDER_WAY = 8, PPM = 100000 };
  for (int64_t sign = -1; sign <= 1; sign += 2) {
    struct other_clock other = {3000000000, sign * PPM};
    struct peer *peer = peer_new();
    struct {
      struct probe probe;
      uint64_t there, arrives;
    } waiting[UNDER_WAY];
    uint64_t now = 1000000000;
    uint32_t count = 0;
    for (uint32_t i = 0; i < 20000; i++) {
      now += 1 + random_below(1000);
      if (count < UNDER_WAY) {
        uint64_t there = random_below(3) == 0 ? 0 : random_below(4000);
        uint64_t back = random_below(3) == 0 ? 0 : random_below(4000);
        peer_ask(peer, NULL, &waiting[count].probe, now);
        waiting[count].probe.time_ns = other_time(&other, now + there);
        waiting[count].there = there;
        waiting[count++].arrives = now + there + back;
      }
      for (;;) { /* by arrival, as a socket hands them out */
        uint32_t first = 0;
        for (uint32_t k = 1; k < count; k++)
          if (waiting[k].arrives < waiting[first].arrives)
            first = k;
        if (count == 0 || waiting[first].arrives > now)
          break;
        uint64_t sum = peer->delay.sum_ns;
        assert_int_equal(
            peer_answered(peer, NULL, &waiting[first].probe, PPM, waiting[first].arrives),
            PEER_MEASURED);
        assert_true(peer->delay.sum_ns - sum >= waiting[first].there);
        waiting[first] = waiting[--count];
      }
    }
    assert_true(peer->counts.answered > 10000);
    free(peer);
  }
}

static void jumps_are_noticed(void **state) {
  (void)state;
  struct peer *peer = peer_new();
  struct other_clock other = {1000000000, 0};
  uint64_t now = 1000000000;
  for (uint32_t i = 0; i < 100; i++, now += 100000000) {
    struct probe probe;
    if (i == 50)
      other.offset -= 400000000; /* started again */
    peer_ask(peer, NULL, &probe, now);
    probe.time_ns = other_time(&other, now + 40000);
    enum peer_answer answer = peer_answered(peer, NULL, &probe, 1000, now + 90000);
    assert_int_equal(answer, i == 50 ? PEER_CLOCK_JUMPED : PEER_MEASURED);
  }
  assert_int_equal(peer->counts.clock_jumps, 1);
  assert_int_equal(peer->delay.counts[bucket_of(90000)], 100);
  free(peer);
}

static void no_bounds_without_sense(void **state) {
  (void)state;
  struct peer *peer = peer_new();
  static const uint64_t times[] = {0, 1, UINT64_MAX, (uint64_t)1 << 63, UINT64_MAX - 1};
  for (uint32_t i = 0; i < 200; i++) {
    struct probe probe;
    uint64_t now = 1000000000 + i * 1000, sum = peer->delay.sum_ns;
    peer_ask(peer, NULL, &probe, now);
    probe.time_ns = times[random_below(5)];
    peer_answered(peer, NULL, &probe, 100000, now + 500);
    assert_true(peer->delay.sum_ns - sum <= 500);
  }
  assert_int_equal(peer->counts.answered, 200);
  free(peer);
}

static uint64_t total(const struct ladder *ladder) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i <= LADDER_EDGES; i++)
    sum += ladder->counts[i];
  return sum;
}

static void every_question_ends_once(void **state) {
  (void)state;
  struct peer *peer = peer_new();
  struct probe waiting[40];
  uint32_t count = 0;
  uint64_t now = 1000000000, duplicates = 0, backwards = 0;
  for (uint32_t i = 0; i < 20000; i++) {
    now += random_below(2000000);
    uint64_t what = random_below(10);
    if (what < 5 && count < 40) {
      peer_ask(peer, NULL, &waiting[count], now);
      waiting[count++].kind = PROBE_ANSWER;
    } else if (what < 9 && count != 0) {
      uint32_t which = (uint32_t)random_below(count);
      struct probe answer = waiting[which];
      waiting[which] = waiting[--count];
      uint64_t early = random_below(200) == 0 ? 900000000 : 0; /* this host's clock went back */
      uint64_t unknown = peer->counts.unknown;
      enum peer_answer result = peer_answered(peer, NULL, &answer, 1000, now - early);
      backwards += result == PEER_CLOCK_BACK;
      peer_answered(peer, NULL, &answer, 1000, now);
      duplicates++;
      assert_true(peer->counts.unknown > unknown);
    } else {
      peer_expire(peer, NULL, now, 50000000);
    }
    assert_int_equal(peer->counts.sent, peer->counts.answered + peer->counts.lost +
                                            peer->counts.clock_back + peer_under_way(peer));
    assert_int_equal(total(&peer->delay), total(&peer->roundtrip));
    assert_int_equal(total(&peer->delay), peer->counts.sent - peer_under_way(peer));
  }
  assert_int_equal(peer->counts.clock_back, backwards);
  assert_true(backwards > 5 && peer->counts.lost > 100 && peer->counts.unknown >= duplicates);
  peer_give_up(peer, NULL);
  assert_int_equal(peer_under_way(peer), 0);
  assert_int_equal(peer->delay.counts[LADDER_EDGES], peer->counts.lost + backwards);
  free(peer);
}

static void ladder_edges_are_included(void **state) {
  (void)state;
  for (uint32_t i = 0; i < LADDER_EDGES; i++) {
    assert_int_equal(bucket_of(ladder_edges[i].ns), i);
    assert_int_equal(bucket_of(ladder_edges[i].ns + 1), i + 1);
    char *end;
    double seconds = strtod(ladder_edges[i].seconds, &end);
    assert_true(*end == '\0' && (uint64_t)(seconds * 1e9 + 0.5) == ladder_edges[i].ns);
    assert_true(i == 0 || ladder_edges[i - 1].ns < ladder_edges[i].ns);
  }
  assert_int_equal(bucket_of(0), 0);
  assert_int_equal(bucket_of(UINT64_MAX), LADDER_EDGES);
}

static void a_peer_that_is_back_stays(void **state) {
  (void)state;
  struct peer *peer = peer_new();
  struct probe probe;
  uint64_t timeout = 100000000, now = 1000000000;
  peer->address.storage.ss_family = AF_INET;
  for (uint32_t i = 0; i < 5; i++, now += timeout / 2) {
    peer_ask(peer, NULL, &probe, now);
    if (peer_expire(peer, NULL, now, timeout) != 0)
      watch_lost(peer, now, timeout);
  }
  assert_false(peer->watch.gone); /* only two are known to be lost */
  peer_ask(peer, NULL, &probe, now);
  peer_expire(peer, NULL, now, timeout);
  watch_lost(peer, now, timeout);
  assert_true(peer->watch.gone);
  watch_answered(peer, peer_answered(peer, NULL, &probe, 0, now + 1), now + 1);
  assert_false(peer->watch.gone);
  now += timeout - 1; /* what was asked before it was back is known to be lost now */
  assert_true(peer_expire(peer, NULL, now, timeout / 4) > 0);
  peer->watch.lost_in_a_row = 10;
  watch_lost(peer, now, timeout);
  assert_false(peer->watch.gone);
  free(peer);
}

static void peers_come_and_go(void **state) {
  (void)state;
  struct fleet fleet;
  struct agent_config *config = calloc(1, sizeof *config);
  assert_non_null(config);
  char message[AGENT_MESSAGE] = "";
  fleet_init(&fleet);
  config->period_ns = 100000000;
  config->peer_count = 200;
  for (uint32_t i = 0; i < 200; i++) {
    char name[20], address[20];
    snprintf(name, sizeof name, "n%u", i);
    snprintf(address, sizeof address, "127.0.%u.1", (i * 37) % 200);
    config->peers[i] = peer_config(name, address, (uint16_t)(1 + i % 3));
  }
  assert_true(fleet_configure(&fleet, config, AF_INET, NULL, NULL, 5, message));
  for (uint32_t i = 0; i < 200; i++) {
    assert_ptr_equal(fleet_find(&fleet, &fleet.peers[i]->address), fleet.peers[i]);
    assert_true(fleet.peers[i]->due_ns >= 5 && fleet.peers[i]->due_ns < 5 + config->period_ns);
  }
  struct agent_address stranger = fleet.peers[0]->address;
  ((struct sockaddr_in *)&stranger.storage)->sin_port = htons(9);
  assert_null(fleet_find(&fleet, &stranger));
  struct probe probe;
  peer_ask(fleet.peers[7], NULL, &probe, 10);
  peer_ask(fleet.peers[8], NULL, &probe, 10);
  strcpy(config->peers[8].address, "127.0.250.1");
  memmove(&config->peers[0], &config->peers[1], 199 * sizeof *config->peers);
  config->peer_count = 199;
  uint64_t generation = fleet.generation;
  assert_true(fleet_configure(&fleet, config, AF_INET, NULL, NULL, 20, message));
  assert_true(fleet.generation > generation && fleet.count == 199);
  assert_null(fleet_find(&fleet, &stranger));
  assert_int_equal(peer_under_way(fleet.peers[6]), 1); /* n7 keeps what it had */
  assert_int_equal(peer_under_way(fleet.peers[7]), 0); /* n8 is elsewhere: its question is lost */
  assert_int_equal(fleet.peers[7]->counts.lost, 1);
  strcpy(config->peers[9].address, config->peers[12].address);
  config->peers[9].port = config->peers[12].port;
  assert_false(fleet_configure(&fleet, config, AF_INET, NULL, NULL, 30, message));
  assert_non_null(strstr(message, "each needs its own address"));
  assert_int_equal(peer_under_way(fleet.peers[6]), 1);
  fleet_clear(&fleet);
  free(config);
}

/* On average one a period, never two at once, none made up after a pause. */
static void questions_keep_their_pace(void **state) {
  (void)state;
  struct fleet fleet;
  struct peer *peer = peer_new();
  fleet_init(&fleet);
  uint64_t period = 100000000, begin = 1000000000;
  peer->due_ns = begin;
  for (uint32_t i = 0; i < 10000; i++) {
    uint64_t before = peer->due_ns;
    fleet_next_question(&fleet, peer, period, before);
    assert_true(peer->due_ns - before >= period / 2 && peer->due_ns - before < 3 * period / 2);
  }
  double mean = (double)(peer->due_ns - begin) / 10000 / (double)period;
  assert_true(mean > 0.97 && mean < 1.03);
  assert_int_equal(peer->counts.skipped, 0);
  uint64_t late = peer->due_ns + 20 * period;
  fleet_next_question(&fleet, peer, period, late);
  assert_true(peer->due_ns >= late + period / 2 && peer->due_ns < late + 3 * period / 2);
  assert_in_range(peer->counts.skipped, 18, 20);
  free(peer);
}

static void parts_fit(void **state) {
  (void)state;
  struct fleet fleet = {.count = 1};
  struct agent_peer_config config = peer_config("", "127.0.0.1", 1);
  struct agent_counts counts = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};
  char node[AGENT_NAME_MAX + 1], text[PAGE_PART];
  memset(node, 'n', AGENT_NAME_MAX);
  node[AGENT_NAME_MAX] = '\0';
  strcpy(config.name, node);
  fleet.peers[0] = peer_new();
  peer_init(fleet.peers[0], &config, 0);
  struct peer *peer = fleet.peers[0];
  memset(&peer->counts, 0xff, sizeof peer->counts);
  ladder_add(&peer->delay, UINT64_MAX);
  ladder_add_lost(&peer->delay, UINT64_MAX / 2);
  peer->has_offset = true;
  peer->offset = (struct offset_interval){INT64_MIN, INT64_MAX};
  struct page_source source = {node, &fleet, &counts, NULL, NULL};
  uint32_t shown = 0;
  for (uint32_t m = 0; m < page_metrics(); m++) {
    if (page_metric_parts(&source, m) == 0)
      continue; /* of samples, which this agent does not take */
    assert_int_equal(page_metric_parts(&source, m), 1);
    shown++;
    size_t length = page_part(text, &source, m, 0, true, NULL);
    assert_true(length > 100 && length < PAGE_PART - 1000 && text[length - 1] == '\n');
    assert_int_equal(strlen(text), length);
  }
  assert_true(shown >= 10);
  page_part(text, &source, (uint32_t)page_metric_find("tailproof_agent_clock_offset_low_seconds"),
            0, false, NULL);
  assert_non_null(strstr(text, "} -9223372036.854775808\n"));
  assert_int_equal(page_metric_find("tailproof_agent"), -1);
  assert_int_equal(page_part(text, &source, 0, 0, false, "other"), 0);
  free(peer);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(delays_are_bounded),
      cmocka_unit_test(drift_matters),
      cmocka_unit_test(all_of_the_drift_is_allowed),
      cmocka_unit_test(jumps_are_noticed),
      cmocka_unit_test(no_bounds_without_sense),
      cmocka_unit_test(every_question_ends_once),
      cmocka_unit_test(ladder_edges_are_included),
      cmocka_unit_test(a_peer_that_is_back_stays),
      cmocka_unit_test(peers_come_and_go),
      cmocka_unit_test(questions_keep_their_pace),
      cmocka_unit_test(parts_fit),
  };
  return cmocka_run_group_tests_name("agent_peer", tests, NULL, NULL);
}
