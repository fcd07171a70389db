/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Any text as a law written by the user: one message, or laws on both sides that do not cross. The
 * names A to D are laws on a small grid, all others are missing. With clang -fsanitize=fuzzer a
 * libFuzzer target; with -DSTANDALONE a program that replays the files it is given.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "dist/evaluate/compose.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LAWS = 4, LENGTH_LIMIT = 200 }; /* each draw takes its time */

static const struct grid grid = {.sub_bits = 1, .octaves = 4};

static void fail(const char *what, const char *expression) {
  fprintf(stderr, "%s: %s\n", what, expression);
  abort();
}

static enum status find(void *context, const struct survival **survival, const char *name,
                        struct text *message) {
  const struct survival *laws = context;
  if (name[1] != '\0' || *name < 'A' || *name >= 'A' + LAWS) {
    text_append(message, "no such law");
    return STATUS_NO_INPUT;
  }
  *survival = &laws[*name - 'A'];
  return STATUS_OK;
}

static enum status evaluate(struct survival *z, const struct compose *compose,
                            struct text *message) {
  struct survival laws[LAWS];
  for (size_t i = 0; i < LAWS; i++) {
    survival_init_side(&laws[i], &grid, z->side);
    for (size_t k = 0; k < grid_count(&grid); k++)
      laws[i].tail[k] = k <= i ? SURVIVAL_ONE : SURVIVAL_ONE / (k + i) / (i == 3 ? k : 1);
  }
  enum status status = compose_survival(
      z, compose, &(struct compose_laws){.find = find, .context = laws}, NULL, message);
  for (size_t i = 0; i < LAWS; i++)
    survival_clear(&laws[i]);
  return status;
}

static void check_laws(const struct compose *compose, const char *expression) {
  struct survival upper, lower;
  struct text message;
  text_init(&message);
  survival_init_side(&upper, &grid, SIDE_UPPER);
  survival_init_side(&lower, &grid, SIDE_LOWER);
  compose_cost(compose);
  enum status status = evaluate(&upper, compose, &message);
  if (status != evaluate(&lower, compose, &message))
    fail("the sides disagree", expression);
  if ((status == STATUS_OK) != (message.length == 0))
    fail("status and message disagree", expression);
  if (status == STATUS_OK && !(survival_is_valid(&upper) && survival_is_valid(&lower) &&
                               survival_dominates(&upper, &lower)))
    fail("the sides cross", expression);
  survival_clear(&upper);
  survival_clear(&lower);
  text_clear(&message);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size > LENGTH_LIMIT || memchr(data, '\0', size) != NULL)
    return 0;
  char *expression = mem_copy_text((const char *)data, size);
  struct compose *compose;
  struct text message;
  text_init(&message);
  enum status status = compose_parse(&compose, expression, &message);
  const char *said = text_get(&message);
  if (status == STATUS_OK ? compose == NULL || *said != '\0'
                          : status != STATUS_USAGE || compose != NULL ||
                                strncmp(said, "column ", 7) != 0 || strchr(said, '\n') != NULL)
    fail(said, expression);
  if (status == STATUS_OK)
    check_laws(compose, expression);
  compose_clear(compose);
  text_clear(&message);
  mem_free(expression);
  return 0;
}

#include "tests/fuzz/standalone.h"
