/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/verify/files.h"

#include <pthread.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "base/vector.h"
#include "cli/question/verify/verify.h"

/* Something that is said of a file before its turn has come. */
struct held_word {
  bool read; /* of the file; else a line */
  enum saying saying;
  char *text; /* the line; or why the file could not be read, or NULL; owned */
  const char *path;
  const struct source *source;           /* of the answer, */
  const struct diagnostics *diagnostics; /* as these */
};

struct held_answer {
  struct asker asker; /* writes down */
  VECTOR(struct held_word) words;
  struct verify_answer answer;
  bool begun, done;
};

struct held_answers {
  const struct verify_files *files;
  struct held_answer *items;
  size_t side_by_side; /* files at a time */
  pthread_mutex_t turn;
  size_t next; /* whose turn it is to be told */
};

static char *copy_line(const char *line) {
  return line == NULL ? NULL : mem_copy_text(line, strlen(line));
}

static void hold_line(void *context, enum saying saying, const char *line) {
  struct held_answer *held = context;
  struct held_word word = {.saying = saying, .text = copy_line(line)};
  vector_push(&held->words, word);
}

static void hold_file(void *context, const char *path, const struct source *source,
                      const struct diagnostics *diagnostics, const char *failure) {
  struct held_answer *held = context;
  struct held_word word = {.read = true,
                           .text = copy_line(failure),
                           .path = path,
                           .source = source,
                           .diagnostics = diagnostics};
  vector_push(&held->words, word);
}

static void pass_on(struct held_answer *held, const struct asker *asker) {
  for (size_t i = 0; i < held->words.count; i++) {
    const struct held_word *word = &held->words.data[i];
    if (!word->read)
      asker_say(asker, word->saying, "%s", word->text);
    else if (asker->read != NULL)
      asker->read(asker->context, word->path, word->source, word->diagnostics, word->text);
    mem_free(word->text);
  }
  vector_clear(&held->words);
}

/* All that are done and whose turn has come; the turn is locked. */
static void tell_in_order(struct held_answers *all) {
  const struct verify_files *files = all->files;
  for (; all->next < files->count && all->items[all->next].done; all->next++) {
    struct held_answer *held = &all->items[all->next];
    if (!held->begun)
      continue;
    pass_on(held, files->request->asker);
    files->answered(all->next, &held->answer, files->context);
    verify_answer_clear(&held->answer);
  }
}

/* Threads for the file at `index`: its share, and at the end those that no other file needs. */
static size_t threads_for(const struct held_answers *all, size_t index) {
  size_t left = all->files->count - index;
  size_t sharers = index < all->side_by_side || left > all->side_by_side ? all->side_by_side : left;
  size_t threads = all->files->request->effort.jobs / sharers;
  return threads == 0 ? 1 : threads;
}

static void answer_one(size_t index, void *context) {
  struct held_answers *all = context;
  struct held_answer *held = &all->items[index];
  struct verify_request request = *all->files->request;
  held->begun = !asker_stopped(request.asker);
  if (held->begun) {
    held->asker = (struct asker){
        .context = held, .say = hold_line, .read = hold_file, .stop = request.asker->stop};
    request.asker = &held->asker;
    request.path = all->files->paths[index];
    request.effort.jobs = threads_for(all, index);
    verify_ask(&held->answer, &request);
  }
  pthread_mutex_lock(&all->turn);
  held->done = true;
  tell_in_order(all);
  pthread_mutex_unlock(&all->turn);
}

void verify_files(const struct verify_files *files) {
  size_t jobs = files->request->write ? 1 : files->request->effort.jobs;
  struct held_answers all = {.files = files,
                             .side_by_side = jobs < files->count ? jobs : files->count};
  all.items = mem_alloc(files->count, sizeof *all.items);
  for (size_t i = 0; i < files->count; i++)
    all.items[i] = (struct held_answer){0};
  pthread_mutex_init(&all.turn, NULL);
  parallel_run(all.side_by_side, files->count, answer_one, &all);
  pthread_mutex_destroy(&all.turn);
  mem_free(all.items);
}
