/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Files of sampled stacks are read as they were written: whole, cut off anywhere, or damaged; and
 * stacks whose outermost callers are missing go on as others of the same start do.
 */
#include "trace/stacks/tpp.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "measure/profile/tpp_write.h"
#include "trace/stacks/frame.h"
#include "trace/stacks/hot.h"
#include "trace/stacks/merge.h"
#include "trace/stacks/write.h"

enum { SAMPLES = 10, USED = 150000000, UNSEEN = 5 /* of 14.85 samples at 99 a second */ };

/* main;work;hash, main;work with a function put into it, one that begins in a gap, a kernel's. */
static void write_stacks(struct tpp_writer *writer) {
  uint32_t module = tpp_write_module(writer, &(struct tpp_module){.size = 1}, "/no/such/program");
  uint32_t kernel = tpp_write_module(writer, &(struct tpp_module){.size = 0}, "[kernel]");
  uint32_t frames[4];
  for (uint32_t i = 0; i < 4; i++)
    frames[i] = tpp_write_frame(
        writer, &(struct tpp_frame){i == 3, i == 3 ? kernel : module, 0x1000 * (i + 1)});
  uint32_t again = tpp_write_frame(writer, &(struct tpp_frame){0, module, 0x1000});
  assert_int_equal(again, frames[0]);
  uint32_t start = tpp_write_node(writer, 0, frames[0]);
  uint32_t work = tpp_write_node(writer, start, frames[1]);
  uint32_t hash = tpp_write_node(writer, work, frames[2]);
  uint32_t gap = tpp_write_node(writer, 0, TPP_GAP);
  uint32_t cut = tpp_write_node(writer, tpp_write_node(writer, gap, frames[1]), frames[2]);
  uint32_t lost = tpp_write_node(writer, gap, frames[2]);
  uint32_t call = tpp_write_node(writer, hash, frames[3]);
  uint32_t thread = tpp_write_thread(writer, &(struct tpp_thread){5, 6}, "worker");
  const uint32_t nodes[SAMPLES] = {hash, hash, hash, work, work, cut, cut, lost, call, call};
  for (int i = 0; i < SAMPLES; i++)
    tpp_write_sample(writer, &(struct tpp_sample){1000 + i, thread, nodes[i], 1});
  tpp_flush(writer);
  tpp_write_names(writer, &(struct tpp_name){frames[0], 1, 0x1000}, "main", 5);
  tpp_write_names(writer, &(struct tpp_name){frames[1], 2, 0x2000}, "work\0inner", 11);
  tpp_write_names(writer, &(struct tpp_name){frames[2], 0, 0x2f00}, NULL, 0);
  tpp_write_names(writer, &(struct tpp_name){frames[3], 1, 0x4000}, "sys_read", 9);
  tpp_write_counts(writer, &(struct tpp_counts){.lost = 3, .processor_time = USED, .end = 2000});
  tpp_write_end(writer);
}

/* The bytes of the file; owned. */
static struct slice write_file(void) {
  char path[] = "/tmp/t-tpp.XXXXXX";
  struct tpp_writer writer;
  struct tpp_header header = {.start = 900, .rate = 99};
  struct text message;
  char *bytes;
  size_t length;
  memcpy(header.magic, TPP_MAGIC, sizeof header.magic);
  tpp_writer_init(&writer, mkstemp(path), &header, "cpu-clock", "machine");
  write_stacks(&writer);
  assert_true(tpp_flush(&writer));
  tpp_writer_clear(&writer);
  text_init(&message);
  assert_int_equal(file_read(path, 1 << 20, &bytes, &length, &message), STATUS_OK);
  unlink(path);
  return (struct slice){bytes, length};
}

/* Processor time that no sample stands for is read, and stays with the profile in every form. */
static void unseen_time_is_told(void **state) {
  (void)state;
  struct slice bytes = write_file();
  struct stack_profile profile, by_text, sum;
  struct text message = {0};
  stack_profile_init(&profile);
  stack_profile_init(&by_text);
  stack_profile_init(&sum);
  assert_int_equal(stack_read_tpp(&profile, NULL, bytes, "file", &message), STATUS_OK);
  assert_int_equal(profile.unseen, UNSEEN);
  stack_profile_by_text(&by_text, &profile, true);
  assert_int_equal(by_text.unseen, UNSEEN);
  stack_profile_scale(&profile, 3, 1);
  assert_true(stack_profile_merge(&sum, &profile, &message));
  assert_true(stack_profile_merge(&sum, &profile, &message));
  assert_int_equal(sum.unseen, 2 * 3 * UNSEEN);
  assert_float_equal(stack_evidence_of(&sum, 1, 0.99).unseen, 1.0 / 3, 1e-9);
  text_clear(&message);
  stack_profile_clear(&sum);
  stack_profile_clear(&by_text);
  stack_profile_clear(&profile);
  mem_free((void *)(uintptr_t)bytes.start);
}

static enum status read_bytes(struct slice bytes, struct text *folded,
                              struct stack_recording *recording, uint64_t *count) {
  struct stack_profile profile;
  struct text message;
  text_init(&message);
  stack_profile_init(&profile);
  enum status status = stack_read_tpp(&profile, recording, bytes, "file", &message);
  assert_int_equal(status == STATUS_OK, message.length == 0);
  if (status == STATUS_OK && folded != NULL)
    stack_write_folded(&profile, true, folded);
  *count = profile.count;
  stack_profile_clear(&profile);
  text_clear(&message);
  return status;
}

static void files_are_read_as_written(void **state) {
  (void)state;
  struct slice bytes = write_file();
  struct stack_recording recording;
  struct text folded;
  uint64_t count;
  text_init(&folded);
  assert_true(stack_is_tpp(bytes));
  assert_int_equal(read_bytes(bytes, &folded, &recording, &count), STATUS_OK);
  assert_string_equal(text_get(&folded), "[unknown];program+0x2f00 1\n"
                                         "main;work;inner_[i] 2\n"
                                         "main;work;inner_[i];program+0x2f00 5\n"
                                         "main;work;inner_[i];program+0x2f00;sys_read_[k] 2\n");
  assert_int_equal(count, SAMPLES);
  assert_true(recording.whole);
  assert_int_equal(recording.rate, 99);
  assert_int_equal(recording.processor_time, USED);
  assert_int_equal(recording.cut, 1);
  text_clear(&folded);
  mem_free((void *)(uintptr_t)bytes.start);
}

/* Cut off anywhere behind the header: what is whole is read; nothing is read beyond the end, which
 * the sanitizers see as each part has its own memory. */
static void torn_files_are_read_up_to_the_tear(void **state) {
  (void)state;
  struct slice bytes = write_file();
  uint64_t most = 0;
  for (size_t length = 0; length < bytes.length; length++) {
    struct stack_recording recording;
    uint64_t count;
    char *part = mem_alloc(length, 1);
    memcpy(part, bytes.start, length);
    if (read_bytes((struct slice){part, length}, NULL, &recording, &count) == STATUS_OK) {
      assert_false(recording.whole);
      assert_true(count >= most);
      most = count;
    } else {
      assert_int_equal(most, 0);
    }
    mem_free(part);
  }
  assert_int_equal(most, SAMPLES);
  mem_free((void *)(uintptr_t)bytes.start);
}

static void damaged_files_are_refused_or_read(void **state) {
  (void)state;
  struct slice bytes = write_file();
  size_t refused = 0;
  for (size_t at = 0; at + 4 <= bytes.length; at += 4) {
    static const uint32_t words[] = {0, 7, 0x1000, UINT32_MAX};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
      uint64_t count;
      char *copy = mem_alloc(bytes.length, 1);
      memcpy(copy, bytes.start, bytes.length);
      memcpy(copy + at, &words[i], sizeof words[i]);
      refused += read_bytes((struct slice){copy, bytes.length}, NULL, NULL, &count) != STATUS_OK;
      mem_free(copy);
    }
  }
  assert_true(refused > 100);
  mem_free((void *)(uintptr_t)bytes.start);
}

/* A file of 3 samples, a window with so many of them, so judged; its phases. */
static enum status read_window(uint64_t samples, uint32_t verdict, uint32_t alone,
                               struct phases *phases) {
  char path[] = "/tmp/t-tpp.XXXXXX";
  struct tpp_writer writer;
  struct tpp_header header = {.start = 900, .rate = 99};
  struct stack_profile profile;
  struct text message;
  char *bytes;
  size_t length;
  memcpy(header.magic, TPP_MAGIC, sizeof header.magic);
  tpp_writer_init(&writer, mkstemp(path), &header, "cpu-clock", "machine");
  uint32_t module = tpp_write_module(&writer, &(struct tpp_module){.size = 1}, "/no/such/program");
  uint32_t frame = tpp_write_frame(&writer, &(struct tpp_frame){0, module, 0x1000});
  uint32_t node = tpp_write_node(&writer, 0, frame);
  uint32_t thread = tpp_write_thread(&writer, &(struct tpp_thread){5, 6}, "worker");
  for (int i = 0; i < 3; i++)
    tpp_write_sample(&writer, &(struct tpp_sample){1000 + i, thread, node, 1});
  tpp_write_window(&writer, &(struct tpp_window){samples, verdict, alone});
  tpp_write_end(&writer);
  assert_true(tpp_flush(&writer));
  tpp_writer_clear(&writer);
  text_init(&message);
  assert_int_equal(file_read(path, 1 << 20, &bytes, &length, &message), STATUS_OK);
  unlink(path);
  stack_profile_init(&profile);
  enum status status =
      stack_read_tpp_phases(&profile, phases, (struct slice){bytes, length}, "file", &message);
  assert_int_equal(status == STATUS_OK, message.length == 0);
  stack_profile_clear(&profile);
  text_clear(&message);
  mem_free(bytes);
  return status;
}

static void windows_are_read_as_written(void **state) {
  (void)state;
  struct phases phases = {0};
  assert_int_equal(read_window(3, ADAPT_SAME, 1, &phases), STATUS_OK);
  assert_int_equal(phases.windows.count, 1);
  assert_int_equal(phases.samples, 3);
  assert_true(phases.windows.data[0].alone && !phases.windows.data[0].border);
  phases_clear(&phases);
  phases = (struct phases){0};
  assert_int_equal(read_window(4, ADAPT_SAME, 1, &phases), STATUS_DATA);
  assert_int_equal(read_window(UINT64_MAX, ADAPT_SAME, 1, &phases), STATUS_DATA);
  assert_int_equal(read_window(3, 3, 1, &phases), STATUS_DATA);
  assert_int_equal(read_window(3, ADAPT_CHANGED, 2, &phases), STATUS_DATA);
  assert_int_equal(phases.windows.count, 0);
}

static uint64_t random_state = 5;

static uint32_t below(uint32_t limit) {
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)((random_state >> 33) % limit);
}

/* Self and total weights against a walk up from every sample. */
static void hot_functions_are_counted_once(void **state) {
  (void)state;
  enum { FRAMES = 6, STACKS = 300 };
  struct stack_profile profile;
  struct stack_hot_list hot;
  uint64_t self[FRAMES] = {0}, total[FRAMES] = {0};
  stack_profile_init(&profile);
  for (uint32_t i = 0; i < FRAMES; i++)
    stack_profile_frame(&profile, &(struct stack_frame){.offset = i + 1});
  for (int i = 0; i < STACKS; i++) {
    uint32_t node = 0, frame = 0;
    bool in[FRAMES] = {false};
    for (uint32_t depth = 1 + below(8); depth > 0; depth--) {
      frame = below(FRAMES);
      in[frame] = true;
      node = stack_profile_node(&profile, node, frame);
    }
    uint64_t weight = 1 + below(5);
    stack_profile_add(&profile, node, weight);
    self[frame] += weight;
    for (uint32_t k = 0; k < FRAMES; k++)
      total[k] += in[k] ? weight : 0;
  }
  stack_hot_find(&hot, &profile);
  assert_int_equal(hot.list.count, FRAMES);
  for (size_t i = 0; i < FRAMES; i++) {
    assert_int_equal(hot.list.data[i].self, self[hot.list.data[i].frame]);
    assert_int_equal(hot.list.data[i].total, total[hot.list.data[i].frame]);
    assert_true(i == 0 || hot.list.data[i - 1].self >= hot.list.data[i].self);
  }
  stack_hot_clear(&hot);
  stack_profile_clear(&profile);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(files_are_read_as_written),
      cmocka_unit_test(unseen_time_is_told),
      cmocka_unit_test(torn_files_are_read_up_to_the_tear),
      cmocka_unit_test(damaged_files_are_refused_or_read),
      cmocka_unit_test(windows_are_read_as_written),
      cmocka_unit_test(hot_functions_are_counted_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
