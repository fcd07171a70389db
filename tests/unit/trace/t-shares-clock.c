/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The interval of a share where a clock that beats evenly takes the samples, and the program is a
 * sequence of pieces: such samples are not independent. The truth is the share of the run.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trace/stacks/hot.h"

enum { FUNCTIONS = 4, RUNS = 2000, FEW = 200, SAMPLES = 1000 };

static const double PARTS[FUNCTIONS] = {0.5, 0.3, 0.15, 0.05};

static uint64_t state_of_random = 1;

static double unit(void) {
  state_of_random = state_of_random * 6364136223846793005u + 1442695040888963407u;
  return (double)(state_of_random >> 11) / 9007199254740992.0;
}

/* Times are in beats of the clock. */
struct program {
  double piece;   /* on average; of random length, in a random function. 0: */
  double cycle;   /* the functions one behind the other, again and again */
  double between; /* behind each piece, in none of them */
};

struct sampled {
  double time[FUNCTIONS], whole, next; /* next: moment of the next sample */
  uint64_t hits[FUNCTIONS], samples;
};

/* A piece of a function, or of none (FUNCTIONS). */
static void pass(struct sampled *run, size_t function, double length) {
  if (function < FUNCTIONS)
    run->time[function] += length;
  run->whole += length;
  for (; run->next <= run->whole; run->next += 1) {
    run->samples++;
    if (function < FUNCTIONS)
      run->hits[function]++;
  }
}

static size_t draw(void) {
  double at = unit();
  size_t f = 0;
  for (; f < FUNCTIONS - 1 && at >= PARTS[f]; f++)
    at -= PARTS[f];
  return f;
}

static struct sampled sample(const struct program *program) {
  struct sampled run = {.next = unit()};
  while (run.samples < SAMPLES)
    if (program->cycle > 0) {
      for (size_t f = 0; f < FUNCTIONS; f++)
        pass(&run, f, PARTS[f] * program->cycle);
    } else {
      pass(&run, draw(), program->piece * (0.2 + 1.6 * unit()));
      pass(&run, FUNCTIONS, program->between);
    }
  return run;
}

/* Whether an interval of a report of so many functions does not hold. What lies between pieces is
 * `taken` for part of the one before, or not. */
static bool misses(const struct sampled *run, const struct program *program, size_t functions,
                   bool taken) {
  struct stack_profile profile;
  stack_profile_init(&profile);
  profile.count = profile.total = run->samples;
  struct stack_evidence evidence = stack_evidence_of(&profile, functions, 0.99);
  double wrong = taken ? 1 + program->between / program->piece : 1;
  bool missed = false;
  for (size_t f = 0; f < FUNCTIONS; f++) {
    double lower, upper, share = wrong * run->time[f] / run->whole;
    stack_share(&lower, &upper, run->hits[f], &evidence);
    missed = missed || share < lower || share > upper;
  }
  stack_profile_clear(&profile);
  return missed;
}

static unsigned missed_runs(struct program program, int runs) {
  unsigned missed = 0;
  for (int i = 0; i < runs; i++) {
    struct sampled run = sample(&program);
    missed += misses(&run, &program, FUNCTIONS, false);
  }
  print_message("pieces of %g, cycle of %g: %u of %d runs have a share outside of its interval\n",
                program.piece, program.cycle, missed, runs);
  return missed;
}

/* Much shorter than a beat, samples are as good as independent; else better than that. */
static void test_pieces(void **state) {
  (void)state;
  assert_in_range(missed_runs((struct program){.piece = 0.25}, RUNS), 0, RUNS / 100);
  assert_in_range(missed_runs((struct program){.piece = 1}, RUNS), 0, RUNS / 100);
  assert_in_range(missed_runs((struct program){.piece = 20}, RUNS), 0, RUNS / 100);
}

/* Cycles that the clock goes through evenly are seen better than by chance: of 10 ms at 999 Hz, of
 * one beat and a thousandth, and of the golden section. */
static void test_cycles(void **state) {
  (void)state;
  assert_int_equal(missed_runs((struct program){.cycle = 9.99}, FEW), 0);
  assert_int_equal(missed_runs((struct program){.cycle = 1.001}, FEW), 0);
  assert_int_equal(missed_runs((struct program){.cycle = 1.6180339887}, FEW), 0);
}

/* What every report assumes (its ledger says so): a cycle in step with the clock, or so nearly that
 * the run ends before they have drifted apart, is seen in one place alone. */
static void test_in_step(void **state) {
  (void)state;
  assert_in_range(missed_runs((struct program){.cycle = 1}, FEW), FEW * 9 / 10, FEW);
  assert_in_range(missed_runs((struct program){.cycle = 1.0001}, FEW), FEW / 2, FEW);
}

/* A truth that counts 6 % between the pieces as the functions' own is none. The intervals do not
 * hold it, of a report of forty-five functions in three runs of a hundred; and they hold the truth.
 */
static void test_truth(void **state) {
  (void)state;
  enum { REPORTED = 45, REPORTS = 400 };
  const struct program program = {.piece = 0.05, .between = 0.0032};
  unsigned missed = 0, wrong = 0;
  for (int i = 0; i < REPORTS; i++) {
    struct sampled run = sample(&program);
    missed += misses(&run, &program, REPORTED, false);
    wrong += misses(&run, &program, REPORTED, true);
  }
  print_message("%u of %d runs have a share outside, and %u one of a false truth\n", missed,
                REPORTS, wrong);
  assert_in_range(missed, 0, REPORTS / 100);
  assert_in_range(wrong, REPORTS / 100, REPORTS / 10);
}

/* --- threads that live for a few beats --- */

/* A thread that goes on, and between its pieces one of function 1 that lives for `life` beats: its
 * clock begins with a whole beat when it is born. */
static struct sampled sample_short_lives(double life, double between) {
  struct sampled run = {.next = unit()};
  double going_on = 0;
  while (run.samples < SAMPLES) {
    double piece = between * (0.5 + unit());
    going_on += piece;
    run.time[0] += piece;
    for (; run.next <= going_on; run.next += 1) {
      run.samples++;
      run.hits[0]++;
    }
    double lived = life * (0.9 + 0.2 * unit());
    run.time[1] += lived;
    run.hits[1] += (uint64_t)lived;
    run.samples += (uint64_t)lived;
  }
  run.whole = run.time[0] + run.time[1];
  return run;
}

static bool misses_short_lives(const struct sampled *run, bool told) {
  enum { PARTS_OF_A_BEAT = 1000 };
  struct stack_profile profile;
  stack_profile_init(&profile);
  profile.count = run->samples;
  profile.total = run->samples * PARTS_OF_A_BEAT;
  if (told && run->whole > (double)run->samples)
    profile.unseen = (uint64_t)((run->whole - (double)run->samples) * PARTS_OF_A_BEAT);
  struct stack_evidence evidence = stack_evidence_of(&profile, 2, 0.99);
  bool missed = false;
  for (size_t f = 0; f < 2; f++) {
    double lower, upper, share = run->time[f] / run->whole;
    stack_share(&lower, &upper, run->hits[f] * PARTS_OF_A_BEAT, &evidence);
    missed = missed || share < lower || share > upper;
  }
  stack_profile_clear(&profile);
  return missed;
}

/* What such threads do after their last sample, or without one, is in none: intervals that are not
 * wider by that miss. */
static void test_short_lives(void **state) {
  (void)state;
  static const double lives[] = {0.5, 0.8, 1, 1.5, 2, 2.5, 3};
  static const double between[] = {1, 11.5};
  unsigned untold = 0, runs = 0;
  for (size_t l = 0; l < sizeof lives / sizeof *lives; l++)
    for (size_t b = 0; b < 2; b++) {
      unsigned missed = 0;
      for (int i = 0; i < FEW; i++) {
        struct sampled run = sample_short_lives(lives[l], between[b] * lives[l]);
        missed += misses_short_lives(&run, true);
        untold += misses_short_lives(&run, false);
        runs++;
      }
      assert_in_range(missed, 0, FEW / 100);
    }
  print_message("untold, %u of %u runs have a share outside of its interval\n", untold, runs);
  assert_in_range(untold, runs / 4, runs);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pieces),      cmocka_unit_test(test_cycles),
      cmocka_unit_test(test_in_step),     cmocka_unit_test(test_truth),
      cmocka_unit_test(test_short_lives),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
