/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Any bytes as a profile in one of the forms that are read (trace/stacks/read.h).
 * What is read adds up, and every writer writes it; what is written as pprof is read back as the
 * same stacks. With clang -fsanitize=fuzzer a libFuzzer target; with -DSTANDALONE a program that
 * replays the files it is given.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/shown.h"
#include "trace/stacks/difference.h"
#include "trace/stacks/merge.h"
#include "trace/stacks/pool.h"
#include "trace/stacks/read.h"
#include "trace/stacks/write.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fail(const char *what) {
  fprintf(stderr, "%s\n", what);
  abort();
}

static void check_tree(const struct stack_profile *profile) {
  uint64_t sum = 0;
  for (size_t i = 0; i < profile->nodes.count; i++) {
    const struct stack_node *node = &profile->nodes.data[i];
    if (i != 0 && (node->parent >= i || node->frame >= profile->frames.count))
      fail("a node that is not behind its parent");
    sum = node->own > UINT64_MAX - sum ? UINT64_MAX : sum + node->own;
  }
  if (sum != profile->total)
    fail("weights that are not the total");
  for (size_t i = 0; i < profile->samples.count; i++)
    if (profile->samples.data[i].node >= profile->nodes.count ||
        profile->samples.data[i].thread >= profile->threads.count)
      fail("a sample of nothing");
}

static void check_utf8(const struct text *text) {
  struct slice left = {text_get(text), text->length};
  while (left.length != 0) {
    uint32_t ignored;
    size_t length = shown_character(&ignored, left.start, left.length);
    if (length == 0)
      fail("what is written is no UTF-8");
    left.start += length;
    left.length -= length;
  }
}

/* Whether every writer keeps all names: they are printable ASCII, nothing like a mark, and no frame
 * is without one (which has no mark in pprof). */
static bool is_plain(const struct stack_profile *profile) {
  for (size_t i = 0; i < profile->names.texts.count; i++) {
    struct slice name = profile->names.texts.data[i];
    for (size_t k = 0; k < name.length; k++)
      if (name.start[k] < ' ' || name.start[k] > '~' || name.start[k] == '[')
        return false;
  }
  for (size_t i = 0; i < profile->frames.count; i++)
    if (profile->frames.data[i].function == 0)
      return false;
  return true;
}

static void check_pprof(const struct stack_profile *profile, const struct text *folded) {
  struct text pprof = {0}, again = {0}, message = {0};
  struct stack_profile back;
  stack_profile_init(&back);
  stack_write_pprof(profile, &pprof);
  if (stack_profile_read_bytes(&back, (struct slice){pprof.data, pprof.length}, "pprof", NULL,
                               &message) != STATUS_OK)
    fail("what is written is not read");
  check_tree(&back);
  stack_write_folded(&back, true, &again);
  if (is_plain(profile) && profile->total < INT64_MAX && back.samples.count == 0 &&
      strcmp(text_get(folded), text_get(&again)) != 0)
    fail("other stacks are read than were written");
  text_clear(&pprof);
  text_clear(&again);
  text_clear(&message);
  stack_profile_clear(&back);
}

static void write_all(const struct stack_profile *profile) {
  struct text folded = {0}, other = {0};
  stack_write_folded(profile, true, &folded);
  check_pprof(profile, &folded);
  stack_write_speedscope(profile, "fuzz", &other);
  check_utf8(&other);
  other.length = 0;
  stack_write_prometheus(profile, 5, &other);
  check_utf8(&other);
  text_clear(&folded);
  text_clear(&other);
}

static void compare(const struct stack_profile *profile) {
  struct stack_profile twice;
  struct stack_difference difference;
  struct text message = {0};
  stack_profile_init(&twice);
  if (stack_profile_merge(&twice, profile, &message) &&
      stack_profile_merge(&twice, profile, &message)) {
    check_tree(&twice);
    if (twice.total != 2 * profile->total)
      fail("a merge that is no sum");
  }
  stack_difference_find(&difference, profile, &twice, 0.05);
  stack_difference_clear(&difference);
  stack_profile_clear(&twice);
  text_clear(&message);
}

/* What pools the samples of a rate that changed keeps the total, but for rounding. */
static void pool(struct stack_profile *profile, const struct phases *phases) {
  uint64_t total = profile->total;
  if (total > UINT32_MAX || !stack_profile_pool(profile, phases))
    return;
  check_tree(profile);
  double lost = (double)total - (double)profile->total;
  if (fabs(lost) > (double)profile->samples.count + 1e-3 * (double)total)
    fail("pooling that does not keep the total");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct stack_profile profile;
  struct phases phases = {0};
  const struct stack_reading reading = {.phases = &phases};
  struct text message = {0};
  stack_profile_init(&profile);
  /* regexec of a stretch, as sanitizers know it, wants a zero somewhere behind */
  char *bytes = mem_copy_text((const char *)data, size);
  enum status status =
      stack_profile_read_bytes(&profile, (struct slice){bytes, size}, "fuzz", &reading, &message);
  if (status != STATUS_OK && message.length == 0)
    fail("nothing is said of bytes that are no profile");
  check_tree(&profile);
  write_all(&profile);
  compare(&profile);
  pool(&profile, &phases);
  phases_clear(&phases);
  stack_profile_clear(&profile);
  text_clear(&message);
  mem_free(bytes);
  return 0;
}

#include "tests/fuzz/standalone.h"
