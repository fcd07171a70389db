/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/fold/fold.h"

#include <string.h>

#include "base/file.h"
#include "cli/question/fold/expect.h"
#include "trace/fold/open.h"

enum { BATCH = 1 << 16 }; /* spans that are read before they are folded */

struct folder {
  struct fold_answer *answer;
  struct selector selector;
  size_t taken, all; /* requests, of those that were read */
  struct span_store store;
  bool skipping; /* the file being read is counted already */
};

static enum status fail_text(const struct asker *asker, enum status status, struct text *message) {
  asker_fail(asker, status, "%s", text_get(message));
  text_clear(message);
  return status;
}

static void fold_batch(struct folder *folder) {
  fold_add(&folder->answer->fold, &folder->store);
  span_store_forget(&folder->store);
}

static enum status on_request(struct span_store *store, size_t request, void *context) {
  struct folder *folder = context;
  if (folder->skipping) {
    span_store_forget(store);
    return STATUS_OK;
  }
  folder->all++;
  if (selector_takes(&folder->selector, store, request))
    folder->taken++;
  else
    store->requests.count = request; /* its spans go with the batch */
  if (store->start.count >= BATCH)
    fold_batch(folder);
  return STATUS_OK;
}

/* A file twice would count its requests twice. */
static enum status on_file(const char *path, void *context) {
  struct folder *folder = context;
  struct fold_answer *answer = folder->answer;
  const struct asker *asker = answer->wish->asker;
  char digest[DIGEST_LENGTH + 1];
  struct text message;
  text_init(&message);
  enum status status = digest_file(digest, path, &message);
  if (status != STATUS_OK)
    return fail_text(asker, status, &message);
  fold_batch(folder);
  const struct fold_shard *known = fold_shard_find(&answer->fold, digest);
  folder->skipping = known != NULL;
  if (known == NULL)
    fold_shard_add(&answer->fold, digest, path);
  else if (!answer->wish->skip_known)
    return asker_fail(asker, STATUS_DATA,
                      "%s: holds the same bytes as %s, which is counted already; leave one out, or "
                      "pass --skip-known",
                      path, known->name);
  answer->skipped += known != NULL;
  return STATUS_OK;
}

static enum status fold_path(struct folder *folder, const char *path) {
  struct fold_answer *answer = folder->answer;
  const struct trace_reading reading = {.tags = answer->wish->selection.where.count != 0,
                                        .columns = answer->wish->columns,
                                        .keep = true,
                                        .visit = on_request,
                                        .opened = on_file,
                                        .context = folder};
  folder->skipping = false;
  enum status status =
      trace_open_recorded(&folder->store, &path, 1, &reading, &answer->ledger, answer->wish->asker);
  fold_batch(folder);
  return status;
}

static void answer_init(struct fold_answer *answer, const struct fold_wish *wish) {
  *answer = (struct fold_answer){.wish = wish};
  ledger_init(&answer->ledger);
  fold_init(&answer->fold, wish->keep == 0 ? FOLD_KEEP : wish->keep);
}

void fold_answer_clear(struct fold_answer *answer) {
  fold_clear(&answer->fold);
  ledger_clear(&answer->ledger);
}

static void note_doubles(struct fold_answer *answer) {
  struct slice id = {"", 0};
  uint64_t doubles = fold_doubles(&answer->fold, &id);
  if (doubles != 0)
    ledger_warn(&answer->ledger, LEDGER_DATA,
                "of the requests that are kept %llu have the trace id of another one, such as "
                "%.*s: a request that is recorded in two shards, or split over them, counts twice",
                (unsigned long long)doubles, (int)id.length, id.start);
}

static enum status finish(struct fold_answer *answer) {
  fold_settle(&answer->fold);
  note_doubles(answer);
  if (answer->wish->out == NULL)
    return STATUS_OK;
  struct text text, message;
  text_init(&text);
  text_init(&message);
  fold_print(&text, &answer->fold);
  enum status status = file_write(answer->wish->out, text.data, text.length, &message);
  text_clear(&text);
  return status == STATUS_OK ? status : fail_text(answer->wish->asker, status, &message);
}

enum status fold_ask(struct fold_answer *answer, const struct fold_wish *wish) {
  answer_init(answer, wish);
  struct folder folder = {.answer = answer};
  span_store_init(&folder.store);
  answer->status = selector_read(&folder.selector, &wish->selection, wish->asker);
  for (size_t i = 0; i < wish->path_count && answer->status == STATUS_OK; i++)
    answer->status = fold_path(&folder, wish->paths[i]);
  span_store_clear(&folder.store);
  if (answer->status == STATUS_OK && folder.all != 0 && selection_is_given(&wish->selection))
    answer->status =
        selection_note(&wish->selection, folder.taken, folder.all, &answer->ledger, wish->asker);
  if (answer->status == STATUS_OK)
    answer->status = finish(answer);
  return answer->status;
}

enum status fold_merge_ask(struct fold_answer *answer, const struct fold_wish *wish) {
  answer_init(answer, wish);
  answer->status = fold_read_all(&answer->fold, wish->paths, wish->path_count, wish->skip_known,
                                 &answer->skipped, wish->asker);
  if (answer->status == STATUS_OK && wish->expected.count != 0)
    answer->status = fold_expect(&answer->fold, &wish->expected, wish->asker);
  if (answer->status == STATUS_OK)
    answer->status = finish(answer);
  return answer->status;
}
