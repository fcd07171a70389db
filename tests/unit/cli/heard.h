/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * An asker that keeps what it hears, and a folder for the files that a question reads.
 */
#ifndef TESTS_UNIT_CLI_HEARD_H
#define TESTS_UNIT_CLI_HEARD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/asker.h"
#include "base/random.h"
#include "lang/diagnostic.h"

enum { HEARD_LINES = 16 };

struct heard {
  size_t count, files, diagnostics;
  enum saying sayings[HEARD_LINES];
  char lines[HEARD_LINES][600];
  int stop;
};

static struct heard heard;

static inline void heard_say(void *context, enum saying saying, const char *line) {
  struct heard *h = context;
  assert_true(h->count < HEARD_LINES);
  assert_null(strchr(line, '\n'));
  h->sayings[h->count] = saying;
  snprintf(h->lines[h->count++], sizeof h->lines[0], "%s", line);
}

static inline void heard_read(void *context, const char *path, const struct source *source,
                              const struct diagnostics *diagnostics, const char *failure) {
  struct heard *h = context;
  assert_non_null(path);
  assert_true((source == NULL) == (failure != NULL));
  h->files++;
  h->diagnostics += diagnostics->items.count;
}

/* A new start: nothing was heard. */
static inline struct asker heard_asker(void) {
  heard = (struct heard){0};
  return (struct asker){
      .context = &heard, .say = heard_say, .read = heard_read, .stop = &heard.stop};
}

/* That exactly one line was said, of this kind and with this in it. */
static inline void heard_only(enum saying saying, const char *words) {
  if (heard.count != 1 || strstr(heard.lines[0], words) == NULL)
    fail_msg("heard %zu lines, the first is \"%s\"; expected one with \"%s\"", heard.count,
             heard.lines[0], words);
  assert_int_equal(heard.sayings[0], saying);
}

/* --- files --------------------------------------------------------------------------------------
 */

static char heard_folder[64];

static inline const char *heard_path(const char *name) {
  static char paths[8][128];
  static size_t next;
  char *path = paths[next++ % 8];
  snprintf(path, sizeof paths[0], "%s/%s", heard_folder, name);
  return path;
}

static inline const char *heard_write(const char *name, const char *text) {
  const char *path = heard_path(name);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  assert_int_equal(fclose(file), 0);
  return path;
}

static inline int heard_setup(void **state) {
  (void)state;
  snprintf(heard_folder, sizeof heard_folder, "/tmp/t-ask.XXXXXX");
  return mkdtemp(heard_folder) == NULL ? -1 : 0;
}

static inline int heard_teardown(void **state) {
  (void)state;
  char command[128];
  snprintf(command, sizeof command, "rm -rf '%s'", heard_folder);
  return system(command);
}

/* --- a protocol ---------------------------------------------------------------------------------
 */

/* One step of A, then one of B; what it is done within is left to the caller. */
static inline const char *heard_protocol(const char *name, const char *bound) {
  char text[1200];
  snprintf(text, sizeof text,
           "protocol pair\nparam n : int >= 1\nrole a\nrole b\nexternal client\n"
           "component A\ncomponent B\ndelay d\nqueueing Queuing\n"
           "message One : a -> b\nmessage Done : b -> client\n"
           "state a { started : bool = false }\n"
           "action a.First cost A { when not started  started := true  send One }\n"
           "action b.Second on One cost B { send Done }\n"
           "invariant first: not started implies time(a) <= 0\n"
           "invariant idle: not received One implies time(b) <= 0\n"
           "invariant sent_one: sent One implies time(One) <= A + d(One)\n"
           "bound whole: sent Done within %s\n",
           bound);
  return heard_write(name, text);
}

static const char heard_right[] =
    "A + d(One) + Queuing(One) + B"; /* which idle nodes do not need */
static const char heard_wrong[] = "A + B";

/* A file of 1000 latencies, from `least` ns on each one more, in random order. */
static inline const char *heard_series(const char *name, unsigned least) {
  const char *path = heard_path(name);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  uint32_t order[1000];
  struct random random = {least};
  for (uint32_t i = 0; i < 1000; i++)
    order[i] = i;
  random_shuffle(&random, order, 1000);
  fprintf(file, "latency_ns\n");
  for (size_t i = 0; i < 1000; i++)
    fprintf(file, "%u\n", least + order[i]);
  assert_int_equal(fclose(file), 0);
  return path;
}

#endif
