/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The sampler on a process of its own: files one after the other, each with its own samples and
 * processor time, and another rate from one moment on.
 */
#include "measure/profile/sampler.h"

#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "trace/stacks/tpp.h"

static volatile uint64_t sink;

__attribute__((noinline)) static void spin(void) {
  for (uint64_t i = 0; i < 10000; i++)
    sink += i;
}

static pid_t start_spinning(void) {
  pid_t child = fork();
  if (child == 0)
    prctl(PR_SET_PDEATHSIG, SIGKILL);
  while (child == 0)
    spin();
  return child;
}

/* A new file without content; its name is written into `path`. */
static int make_file(char *path) {
  snprintf(path, 32, "/tmp/t-sampler.XXXXXX");
  int descriptor = mkstemp(path);
  assert_true(descriptor >= 0);
  return descriptor;
}

/* Seconds of processor time of a process. */
static double time_of(pid_t process) {
  clockid_t clock;
  struct timespec time;
  assert_int_equal(clock_getcpuclockid(process, &clock), 0);
  assert_int_equal(clock_gettime(clock, &time), 0);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Until the file being written has so many samples, which take a second or less of its time. */
static void sample(struct sampler *sampler, pid_t process, uint64_t samples) {
  double start = time_of(process);
  while (sampler->writer.sample_count < samples) {
    if (time_of(process) - start > 60)
      fail_msg("%lu of %lu samples, %lu lost, %lu times held back",
               (unsigned long)sampler->writer.sample_count, (unsigned long)samples,
               (unsigned long)sampler->counts.lost, (unsigned long)sampler->counts.throttled);
    poll(NULL, 0, sampler_wait_ms(sampler));
    assert_true(sampler_drain(sampler));
  }
}

/* How many samples a file has for a second of its processor time; all are in spin. */
static double read_rate(const char *path, uint64_t least) {
  struct stack_profile profile;
  struct stack_recording recording;
  struct text message = {0};
  char *bytes;
  size_t length, in_spin = 0;
  assert_int_equal(file_read(path, 1 << 28, &bytes, &length, &message), STATUS_OK);
  unlink(path);
  stack_profile_init(&profile);
  assert_int_equal(
      stack_read_tpp(&profile, &recording, (struct slice){bytes, length}, path, &message),
      STATUS_OK);
  assert_true(recording.whole);
  assert_true(profile.count >= least);
  for (size_t i = 0; i < profile.samples.count; i++)
    for (uint32_t at = profile.samples.data[i].node; at != 0; at = profile.nodes.data[at].parent) {
      uint32_t name = profile.frames.data[profile.nodes.data[at].frame].function;
      in_spin += strcmp(names_text(&profile.names, name), "spin") == 0;
    }
  assert_true(in_spin * 2 > profile.count);
  double rate = (double)profile.count / ((double)recording.processor_time / 1e9);
  stack_profile_clear(&profile);
  mem_free(bytes);
  return rate;
}

/* False where the sampler had no processor for so long that samples were lost, and rates say nothing. */
static bool files_have_rates(void) {
  struct sampler sampler;
  struct text message = {0};
  bool whole = true;
  char first[32], second[32], third[32];
  pid_t child = start_spinning();
  struct sampler_options options = {
      .counters = {.rate = 997, .stack_bytes = 1024}, .process = (uint32_t)child, .cgroup = -1};
  if (sampler_init(&sampler, &options, &message) != STATUS_OK) {
    printf("# left out: %s\n", text_get(&message));
  } else {
    sampler_open_file(&sampler, make_file(first));
    sampler_start(&sampler);
    sample(&sampler, child, 200);
    assert_true(sampler_finish_file(&sampler));
    sampler_open_file(&sampler, make_file(second));
    sample(&sampler, child, 200);
    assert_int_equal(sampler_set_rate(&sampler, 97, &message), STATUS_OK);
    assert_true(sampler_finish_file(&sampler));
    sampler_open_file(&sampler, make_file(third));
    sample(&sampler, child, 60);
    assert_true(sampler_stop(&sampler));
    uint64_t rates[] = {(uint64_t)read_rate(first, 200), (uint64_t)read_rate(second, 200),
                        (uint64_t)read_rate(third, 60)};
    whole = sampler.counts.lost == 0;
    for (size_t i = 0; whole && i < 3; i++)
      assert_in_range(rates[i], i < 2 ? 300 : 40, i < 2 ? 1400 : 250);
  }
  sampler_clear(&sampler);
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
  text_clear(&message);
  return whole;
}

static void files_follow_each_other(void **state) {
  (void)state;
  int tries = 1;
  while (!files_have_rates())
    assert_true(++tries <= 20);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(files_follow_each_other)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
