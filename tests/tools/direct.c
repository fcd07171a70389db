/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Directs a pauser: direct ADDRESS KEY WORD...   (KEY: a file, or - for none). Words, in order:
 *   ask                        prints the report, "name=value" each, on one line
 *   set EPOCH PAUSE_US BATCH LEAST_US MOST_US     prints "set", or what is refused
 *   until NAME VALUE           asks until the report's value is at least that
 *   sleep MS
 * Exit: 0; 1 after the first failure, which is told on stdout as "failed: ...", 3 for a refusal.
 */
#include "measure/throughput/poker/director.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *const names[] = {
    [POKE_AT_NS] = "at",           [POKE_BEGUN] = "begun",   [POKE_ENDED] = "ended",
    [POKE_BUSY_NS] = "busy",       [POKE_OWED_NS] = "owed",  [POKE_REALISED_NS] = "realised",
    [POKE_CARRIED_NS] = "carried", [POKE_ROUNDS] = "rounds", [POKE_PAUSES] = "pauses",
    [POKE_LATE_PAUSES] = "late",   [POKE_STATE] = "state",   [POKE_AT_ONCE] = "at_once",
    [POKE_ERRORS] = "errors",      [POKE_FLAGS] = "flags",   [POKE_PAUSING_NS] = "pausing",
};
/* A poker that is asked has hours for its answer: a busy machine fails nothing. */
enum { NAMES = sizeof names / sizeof *names, TIMEOUT_MS = 7200000, PATIENCE_MS = 7200000 };

static void wait_ms(uint64_t ms) {
  struct timespec left = {(time_t)(ms / 1000), (long)(ms % 1000 * 1000000)};
  while (nanosleep(&left, &left) != 0 && errno == EINTR)
    ;
}

static int fail(const char *why) {
  printf("failed: %s\n", why);
  return 1;
}

static int ask(struct director *director) {
  struct director_report report;
  if (director_ask(director, &report) != 0)
    return fail(director_error(director));
  printf("epoch=%" PRIu64, report.epoch);
  for (int i = 0; i < NAMES; i++)
    printf(" %s=%" PRId64, names[i], (int64_t)report.values[i]);
  printf("\n");
  return 0;
}

static int set(struct director *director, char **values) {
  const struct director_setting setting = {.epoch = strtoull(values[0], NULL, 10),
                                           .per_request_ns = strtoull(values[1], NULL, 10) * 1000,
                                           .batch = strtoull(values[2], NULL, 10),
                                           .least_ns = strtoull(values[3], NULL, 10) * 1000,
                                           .most_ns = strtoull(values[4], NULL, 10) * 1000};
  struct director_report report;
  int error = director_set(director, &setting, &report);
  if (error == 0)
    printf("set\n");
  else
    fail(director_error(director));
  return error == -ESTALE || error == -EINVAL ? 3 : error != 0;
}

static int until(struct director *director, const char *name, int64_t least) {
  struct director_report report;
  int which = 0;
  while (which < NAMES - 1 && strcmp(names[which], name) != 0)
    which++;
  for (int waited = 0; waited < PATIENCE_MS; waited += 10) {
    if (director_ask(director, &report) != 0)
      return fail(director_error(director));
    if ((int64_t)report.values[which] >= least)
      return 0;
    wait_ms(10);
  }
  printf("failed: %s is %" PRId64 " after %d s\n", name, (int64_t)report.values[which],
         PATIENCE_MS / 1000);
  return 1;
}

static int run(struct director *director, char **words) {
  int status = 0;
  while (*words != NULL && status != 1) {
    int now = 1, used = 1;
    if (strcmp(*words, "ask") == 0) {
      now = ask(director);
    } else if (strcmp(*words, "set") == 0 && words[1] && words[2] && words[3] && words[4] &&
               words[5]) {
      now = set(director, words + 1);
      used = 6;
    } else if (strcmp(*words, "until") == 0 && words[1] && words[2]) {
      now = until(director, words[1], strtoll(words[2], NULL, 10));
      used = 3;
    } else if (strcmp(*words, "sleep") == 0 && words[1]) {
      wait_ms(strtoull(words[1], NULL, 10));
      now = 0;
      used = 2;
    } else {
      fail("no such word");
    }
    fflush(stdout);
    words += used;
    status = now != 0 ? now : status;
  }
  return status;
}

int main(int argc, char **argv) {
  struct poker_key key = {.size = 0};
  char message[KEY_MESSAGE];
  struct director *director;
  if (argc < 3)
    return 64;
  if (strcmp(argv[2], "-") != 0 && key_read(&key, argv[2], message) != 0)
    return fail(message);
  if (director_open(&director, argv[1], &key, "direct", TIMEOUT_MS, NULL, message) != 0)
    return fail(message);
  int status = run(director, argv + 3);
  director_close(director);
  return status;
}
