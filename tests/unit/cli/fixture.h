/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A protocol and measurements in a folder of their own, and the command line that a user would type
 * about them.
 */
#ifndef TESTS_UNIT_CLI_FIXTURE_H
#define TESTS_UNIT_CLI_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/memory.h"
#include "cli/command/rows.h"
#include "cli/question/percentiles/calculation.h"
#include "tests/unit/dist/random.h"

enum { FIXTURE_WORDS = 24, FIXTURE_FILES = 12 };

/* What a line may say, and how the program reads it. */
struct fixture_options {
  struct command_line line;
  struct calculation_request request;
};

#define FIXTURE_FIELD(name) offsetof(struct fixture_options, request.name)

static const struct option_row fixture_rows[] = {
    ROW_SET(FIXTURE_FIELD(set)),
    ROW_DATA(FIXTURE_FIELD(data)),
    ROW_JOINT(FIXTURE_FIELD(joint)),
    ROW_EXCHANGEABLE(FIXTURE_FIELD(exchangeable)),
    ROW_CONFIDENCE(FIXTURE_FIELD(confidence)),
    ROW_FRESH(FIXTURE_FIELD(fresh)),
    ROW_TOGETHER(FIXTURE_FIELD(together)),
    ROW_TOGETHER_EACH(FIXTURE_FIELD(together_each)),
    ROW_GRID(FIXTURE_FIELD(grid)),
    ROW_BAND(FIXTURE_FIELD(band)),
    ROW_CAP(FIXTURE_FIELD(caps)),
    ROW_LAW(FIXTURE_FIELD(laws)),
    OPTION_WORDS("tail", 0, "MODEL", "", option_choice, FIXTURE_FIELD(tail), "infinite gpd"),
    ROW_UNIT(FIXTURE_FIELD(units)),
    {0},
};

static inline void fixture_prepare(void *options) {
  command_calculation(&((struct fixture_options *)options)->request);
}

static const struct command fixture_command = {.name = "percentiles",
                                               .rows = fixture_rows,
                                               .size = sizeof(struct fixture_options),
                                               .prepare = fixture_prepare};

static const struct asker fixture_asker; /* nobody listens */

struct fixture {
  char folder[64];
  char *files[FIXTURE_FILES];
  size_t file_count;
  struct fixture_options options;
  struct calculation calculation;
  char *words[FIXTURE_WORDS + 1];
  int word_count;
};

static inline FILE *fixture_file(struct fixture *f, const char *name) {
  struct text path;
  text_init(&path);
  text_format(&path, "%s/%s", f->folder, name);
  assert_true(f->file_count < FIXTURE_FILES);
  FILE *file = fopen(path.data, "w");
  f->files[f->file_count++] = text_take(&path);
  assert_non_null(file);
  return file;
}

/* A protocol of A, B and C, one after the other, and of S[w] for n of w. Its only bound is `bound`.
 */
static inline void fixture_init(struct fixture *f, const char *bound) {
  *f = (struct fixture){.folder = "/tmp/t-cli.XXXXXX"};
  assert_non_null(mkdtemp(f->folder));
  FILE *file = fixture_file(f, "p.tp");
  fprintf(file,
          "protocol p\nparam n : int >= 1\n"
          "role a\nrole w[n]\nexternal client\n"
          "component A\ncomponent B\ncomponent C\ncomponent S[w]\ndelay d\nqueueing Queuing\n"
          "message One : a -> a\nmessage Two : a -> a\nmessage Ask(i: w) : a -> w i\n"
          "message Done : a -> client\n"
          "state a { started : bool = false }\n"
          "action a.First cost A { when not started  started := true  send One }\n"
          "action a.Second on One cost B { send Two  send Ask(i) for all i in w }\n"
          "action a.Third on Two cost C { send Done }\n"
          "action w i.Serve on Ask(i) cost S[i] { }\n"
          "bound whole: delivered Done within %s\n",
          bound);
  fclose(file);
}

/* A file of the values, in whole nanoseconds. */
static inline void fixture_series(struct fixture *f, const char *name, const uint64_t *series,
                                  size_t count) {
  char file_name[32];
  snprintf(file_name, sizeof file_name, "%s.csv", name);
  FILE *file = fixture_file(f, file_name);
  fprintf(file, "latency_ns\n");
  for (size_t i = 0; i < count; i++)
    fprintf(file, "%llu\n", (unsigned long long)series[i]);
  fclose(file);
}

/* The words of one line; "@" stands for the folder, "_" for a blank. */
static inline void fixture_words(struct fixture *f, const char *line) {
  char *left = mem_copy_text(line, strlen(line)), *rest = NULL;
  for (char *word = strtok_r(left, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
    struct text text;
    text_init(&text);
    for (; *word != '\0'; word++)
      if (*word == '@')
        text_append(&text, f->folder);
      else
        text_append_bytes(&text, *word == '_' ? " " : word, 1);
    assert_true(f->word_count < FIXTURE_WORDS);
    f->words[f->word_count++] = text_take(&text);
  }
  mem_free(left);
}

/* The calculation that `tailproof percentiles` would make of the line. */
static inline void fixture_run(struct fixture *f, const char *line) {
  fixture_words(f, "percentiles");
  fixture_words(f, line);
  fixture_words(f, "@/p.tp");
  f->options = (struct fixture_options){0};
  assert_int_equal(options_read(&f->options, &fixture_command, NULL, f->word_count, f->words),
                   STATUS_OK);
  assert_int_equal(f->options.line.file_count, 1);
  f->options.request.asker = &fixture_asker;
  f->options.request.path = f->options.line.files[0];
  assert_int_equal(calculation_init(&f->calculation, &f->options.request), STATUS_OK);
}

/* Before another line about the same files. */
static inline void fixture_stop(struct fixture *f) {
  calculation_clear(&f->calculation);
  options_clear(&f->options, &fixture_command);
  for (int i = 0; i < f->word_count; i++)
    mem_free(f->words[i]);
  f->word_count = 0;
}

static inline void fixture_clear(struct fixture *f) {
  fixture_stop(f);
  for (size_t i = 0; i < f->file_count; i++) {
    assert_int_equal(unlink(f->files[i]), 0);
    mem_free(f->files[i]);
  }
  assert_int_equal(rmdir(f->folder), 0);
}

#endif
