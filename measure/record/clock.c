/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The counter is trusted when the processor says that its rate never changes, the kernel uses it
 * itself (it watches the counters of all processors and turns away from them when they differ), and
 * several short calibrations against CLOCK_MONOTONIC agree.
 *
 * Calibration: a reading of CLOCK_MONOTONIC between two of the counter is a moment on both clocks,
 * known up to the two readings. Two moments give an interval that surely holds the rate between
 * them. The intervals of several stretches must have a rate in common; the rates used are the ends
 * of all of them, so that rounding outward covers each.
 */
#include "measure/record/clock.h"

#include "measure/core/ticks.h"
#include "measure/tailproof_measure.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/prctl.h>
#endif

enum {
  STRETCHES = 5,
  STRETCH_NS = 2000000,
  ATTEMPTS = 4,
  TRIES = 32, /* for a moment that is known well */
  WIDEST_PPM = 200,
  READINGS = 256,
  BATCHES = 8,
};

uint64_t clock_now_ns(void) {
  struct timespec now;
  if (clock_gettime(CLOCK_MONOTONIC, &now) != 0) {
    perror("clock_gettime(CLOCK_MONOTONIC)");
    abort();
  }
  return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* The first bytes of a small file as a line; "" if it cannot be read. */
static void line_of(char *line, size_t size, const char *path) {
  line[0] = '\0';
  FILE *file = fopen(path, "re");
  if (file == NULL)
    return;
  if (fgets(line, (int)size, file) == NULL)
    line[0] = '\0';
  fclose(file);
  line[strcspn(line, "\n")] = '\0';
}

static uint64_t read_clock(uint32_t kind) {
  return kind == TAILPROOF_CLOCK_TSC ? clock_counter() : clock_monotonic();
}

#if defined(__x86_64__)

/* NULL, or why the counter must not be used. */
static const char *counter_objection(void) {
  unsigned a, b, c, d;
  if (!__get_cpuid(0x80000007, &a, &b, &c, &d) || !(d >> 8 & 1))
    return "the processor does not promise that its counter has one rate";
  if (!__get_cpuid(0x80000001, &a, &b, &c, &d) || !(d >> 27 & 1))
    return "the processor has no rdtscp instruction";
  int mode = PR_TSC_ENABLE;
  if (prctl(PR_GET_TSC, &mode) == 0 && mode != PR_TSC_ENABLE)
    return "this process may not read it";
  char source[32];
  line_of(source, sizeof source,
          "/sys/devices/system/clocksource/clocksource0/current_clocksource");
  if (strcmp(source, "tsc") != 0)
    return "the kernel does not use it as its clock source";
  return NULL;
}

struct moment {
  uint64_t before, after; /* ticks */
  uint64_t ns;            /* read between them */
};

static struct moment moment_take(void) {
  struct moment best = {0, UINT64_MAX, 0};
  for (int i = 0; i < TRIES; i++) {
    struct moment moment;
    moment.before = clock_counter();
    moment.ns = clock_monotonic();
    moment.after = clock_counter();
    if (moment.after - moment.before < best.after - best.before)
      best = moment;
  }
  return best;
}

struct rates {
  uint64_t low, high;
};

/* An interval that holds the rate between two moments; 0 when they do not tell. */
static int rates_between(struct rates *rates, const struct moment *from, const struct moment *to) {
  if (to->before <= from->after || to->ns <= from->ns + 1 || to->ns - from->ns >= UINT32_MAX - 1)
    return 0;
  uint64_t ns = to->ns - from->ns; /* of truncated readings: off by less than one */
  uint64_t least = to->before - from->after, most = to->after - from->before;
  rates->low = ((ns - 1) << 32) / most;
  rates->high = ((ns + 1) << 32) / least + 1;
  return 1;
}

/* The ends of the intervals of all stretches; 0 when these have no rate in common, or are wide. */
static int calibrate(struct rates *ends) {
  struct rates common = {0, UINT64_MAX};
  *ends = (struct rates){UINT64_MAX, 0};
  struct moment from = moment_take();
  for (int i = 0; i < STRETCHES; i++) {
    struct timespec pause = {0, STRETCH_NS};
    while (nanosleep(&pause, &pause) != 0 && errno == EINTR)
      ;
    struct moment to = moment_take();
    struct rates rates;
    if (!rates_between(&rates, &from, &to))
      return 0;
    if (rates.low > common.low)
      common.low = rates.low;
    if (rates.high < common.high)
      common.high = rates.high;
    if (rates.low < ends->low)
      ends->low = rates.low;
    if (rates.high > ends->high)
      ends->high = rates.high;
    from = to;
  }
  return common.low <= common.high && ends->high <= TICKS_RATE_ONE && ends->low > 0 &&
         (ends->high - ends->low) * (1000000 / WIDEST_PPM) <= ends->high;
}

static const char *counter_choose(struct clock_facts *facts) {
  const char *objection = counter_objection();
  if (objection != NULL)
    return objection;
  struct rates rates;
  for (int attempt = 0; attempt < ATTEMPTS; attempt++)
    if (calibrate(&rates)) {
      facts->kind = TAILPROOF_CLOCK_TSC;
      facts->rate_down = rates.low;
      facts->rate_up = rates.high;
      return NULL;
    }
  return "calibrations of it against CLOCK_MONOTONIC do not agree, or it is slower than 1 GHz";
}

#else

static const char *counter_choose(struct clock_facts *facts) {
  (void)facts;
  return "this kind of processor is not known to have one";
}

#endif

/* ---- identity: FNV-1a over what two processes must have in common ---------------------------- */

static uint64_t hash(uint64_t state, const void *data, size_t size) {
  const unsigned char *bytes = data;
  for (size_t i = 0; i < size; i++)
    state = (state ^ bytes[i]) * 0x100000001b3u;
  return state;
}

static uint64_t identity_of(uint32_t kind) {
  uint64_t state = hash(0xcbf29ce484222325u, &kind, sizeof kind);
  char boot[64], space[64];
  line_of(boot, sizeof boot, "/proc/sys/kernel/random/boot_id");
  state = hash(state, boot, strlen(boot));
  if (kind == TAILPROOF_CLOCK_MONOTONIC) { /* which containers may shift */
    ssize_t size = readlink("/proc/self/ns/time", space, sizeof space);
    if (size > 0)
      state = hash(state, space, (size_t)size);
  }
  if (boot[0] == '\0') { /* not known: then like no other process's */
    struct timespec now = {0, 0};
    clock_gettime(CLOCK_REALTIME, &now);
    long process = getpid();
    state = hash(hash(state, &now, sizeof now), &process, sizeof process);
  }
  return state == 0 ? 1 : state;
}

/* ---- resolution and cost --------------------------------------------------------------------- */

static void clock_measure(struct clock_facts *facts) {
  uint64_t least = UINT64_MAX, cost = UINT64_MAX;
  for (int batch = 0; batch < BATCHES; batch++) {
    uint64_t start = clock_monotonic();
    uint64_t before = read_clock(facts->kind);
    for (int i = 0; i < READINGS; i++) {
      uint64_t now = read_clock(facts->kind);
      if (now > before && now - before < least)
        least = now - before;
      before = now;
    }
    uint64_t spent = (clock_monotonic() - start) * 1000 / READINGS;
    if (spent < cost)
      cost = spent;
  }
  facts->cost_ps = cost;
  facts->resolution_ns = ticks_to_ns_up(least, facts->rate_up);
}

int clock_choose(struct clock_facts *facts, uint32_t wanted, char *why, size_t size) {
  static struct clock_facts counter, monotonic; /* kind 0: not yet tried */
  static const char *objection;
  if (wanted != TAILPROOF_CLOCK_MONOTONIC && counter.kind == 0 && objection == NULL) {
    objection = counter_choose(&counter);
    if (objection == NULL) {
      counter.identity = identity_of(counter.kind);
      clock_measure(&counter);
    }
  }
  if (wanted != TAILPROOF_CLOCK_MONOTONIC && counter.kind != 0) {
    *facts = counter;
    return 0;
  }
  if (wanted == TAILPROOF_CLOCK_TSC) {
    snprintf(why, size, "%s", objection);
    return ENOTSUP;
  }
  if (monotonic.kind == 0) {
    monotonic.kind = TAILPROOF_CLOCK_MONOTONIC;
    monotonic.rate_up = monotonic.rate_down = TICKS_RATE_ONE;
    monotonic.identity = identity_of(monotonic.kind);
    clock_measure(&monotonic);
  }
  *facts = monotonic;
  return 0;
}
