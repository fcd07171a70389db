/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Changes applied to hand-made flows, and what an asker is told; for tests. Files of measurements
 * are written to a folder of their own.
 */
#ifndef TESTS_UNIT_TRACE_SCENARIOS_H
#define TESTS_UNIT_TRACE_SCENARIOS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/trace/flows.h"
#include "trace/evaluate/replay.h"

enum { CHANGES_MAX = 8 };

/* What was changed, said and replayed. */
struct changed {
  struct text said;
  struct asker asker;
  struct scenario_request request;
  struct scenario scenario;
  struct variants variants;
  struct replayed replayed;
};

static inline void changed_hear(void *context, enum saying saying, const char *line) {
  (void)saying;
  text_append(context, line);
}

/* The status of reading and applying the changes; NULL ends them. */
static inline enum status changed_make(struct changed *c, const struct recorded *r,
                                       const char *const *changes, const char *folder) {
  *c = (struct changed){0};
  text_init(&c->said);
  c->asker = (struct asker){.context = &c->said, .say = changed_hear};
  c->request = (struct scenario_request){.asker = &c->asker, .changes = changes, .folder = folder};
  while (changes[c->request.change_count] != NULL)
    c->request.change_count++;
  enum status status = scenario_read(&c->scenario, &c->request);
  if (status == STATUS_OK)
    status = scenario_apply(&c->variants, &c->scenario, &r->graph, &r->store);
  return status;
}

/* All of it, without any mistake. */
static inline void changed_replay(struct changed *c, const struct recorded *r,
                                  const char *const *changes, const char *folder) {
  if (changed_make(c, r, changes, folder) != STATUS_OK)
    fail_msg("refused: %s", text_get(&c->said));
  struct replay_wish request = {&c->scenario, &c->variants, &r->store, 1, 0, NULL};
  assert_true(requests_replay(&c->replayed, &request));
}

static inline void changed_clear(struct changed *c) {
  replayed_clear(&c->replayed);
  variants_clear(&c->variants);
  scenario_clear(&c->scenario);
  text_clear(&c->said);
}

/* The latency of the first request after one change. */
static inline int64_t changed_one(const struct recorded *r, const char *change,
                                  const char *folder) {
  const char *changes[] = {change, NULL};
  struct changed c;
  changed_replay(&c, r, changes, folder);
  int64_t after = c.replayed.after.data[0];
  changed_clear(&c);
  return after;
}

/* Writes FOLDER/NAME; tests say which folder. */
static inline void scenario_write(const char *folder, const char *name, const char *content) {
  struct text path;
  text_init(&path);
  text_format(&path, "%s/%s", folder, name);
  FILE *file = fopen(path.data, "w");
  assert_non_null(file);
  fputs(content, file);
  fclose(file);
  text_clear(&path);
}

#endif
