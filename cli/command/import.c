/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "cli/command/command.h"
#include "cli/present/json.h"
#include "cli/question/store/folder.h"
#include "cli/question/store/gather.h"
#include "cli/present/stores.h"

static enum status complain(const char *command, const char *what) {
  fprintf(stderr, "tailproof %s: %s\n", command, what);
  return STATUS_USAGE;
}

/* --by, of which each command knows some words. */
static enum status read_by(struct gather *gather, const char *command, const char *word) {
  static const char *const words[] = {
      [BY_NOTHING] = "", [BY_NODE] = "node", [BY_HOST] = "host", [BY_INDEX] = "index"};
  for (size_t i = BY_NODE; word != NULL && i < sizeof words / sizeof *words; i++)
    if (strcmp(words[i], word) == 0)
      gather->by = (enum gather_by)i;
  if (word == NULL || gather->by != BY_NOTHING)
    return STATUS_OK;
  fprintf(stderr, "tailproof %s: unknown word \"%s\"; give --by node, host or index\n", command,
          word);
  return STATUS_USAGE;
}

/* --unit for something that is not there would pass unnoticed. */
static enum status check_units(const struct gather *gather, const char *command) {
  for (size_t i = 0; i < gather->units->count; i++) {
    const char *name = gather->units->data[i].name;
    size_t length = strlen(name);
    bool used = false;
    for (size_t k = 0; k < gather->table.rows.count; k++) {
      const char *series = gather->table.rows.data[k].name;
      used = used || (strncmp(series, name, length) == 0 &&
                      (series[length] == '\0' || series[length] == '.'));
    }
    if (used)
      continue;
    fprintf(stderr, "tailproof %s: --unit %s=%s: no series is called so\n", command, name,
            gather->units->data[i].value);
    return STATUS_USAGE;
  }
  return STATUS_OK;
}

static void print(const struct gather *gather, const struct options *options) {
  if (options->json) {
    summary_print_json(gather);
    summary_print_ledger(gather, true);
    struct jsonl *json = jsonl_new("imported");
    jsonl_text(json, "folder", options->out);
    jsonl_integer(json, "stores", (int64_t)gather->stores.count);
    jsonl_integer(json, "files", (int64_t)gather->files);
    jsonl_integer(json, "series", (int64_t)gather->table.rows.count);
    jsonl_print(json);
    return;
  }
  printf("%s: %zu series of %zu store%s and %zu file%s\n", options->out, gather->table.rows.count,
         gather->stores.count, gather->stores.count == 1 ? "" : "s", gather->files,
         gather->files == 1 ? "" : "s");
  if (gather->stores.count != 0)
    summary_print_stores(stdout, gather);
  summary_print_series(stdout, gather);
  summary_print_joint(stdout, &gather->joined);
  summary_print_ledger(gather, false);
}

static enum status gather_all(struct gather *gather, const struct options *options,
                              struct text *message) {
  enum status status = folder_may_write(options->out, message);
  for (size_t i = 0; i < options->file_count && status == STATUS_OK; i++)
    status = gather_add(gather, options->files[i], message);
  if (status == STATUS_OK)
    status = gather_finish(gather, message);
  if (status == STATUS_OK && gather->table.rows.count == 0) {
    text_format(message, "%s: nothing was recorded in %s", options->files[0],
                options->file_count == 1 ? "it" : "these");
    status = STATUS_DATA;
  }
  return status;
}

/* What import and merge do; they differ in the folders they take. */
static enum status gather_and_write(const struct options *options, const char *command,
                                    bool imported) {
  if (options->file_count == 0)
    return complain(command, "name a store, a folder of stores, or a file of measurements");
  if (options->out == NULL)
    return complain(command, "name the folder to write with --out DIR");
  struct gather gather = {.imported = imported, .units = &options->units};
  struct text message;
  text_init(&message);
  enum status status = read_by(&gather, command, options->by);
  if (status == STATUS_OK)
    status = gather_all(&gather, options, &message);
  if (status == STATUS_OK)
    status = check_units(&gather, command);
  if (status == STATUS_OK)
    status = folder_write(options->out, &gather.table, &gather.joined, &message);
  if (status == STATUS_OK)
    print(&gather, options);
  else if (message.length != 0)
    fprintf(stderr, "tailproof %s: %s\n", command, message.data);
  text_clear(&message);
  gather_clear(&gather);
  return status;
}

enum status command_import(const struct options *options) {
  return gather_and_write(options, "import", false);
}

enum status command_merge(const struct options *options) {
  return gather_and_write(options, "merge", true);
}
