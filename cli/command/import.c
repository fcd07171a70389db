/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `tailproof import` and `tailproof merge`: recordings or imported folders added up into one
 * folder.
 */
#include <string.h>

#include "base/jsonl.h"
#include "cli/command/rows.h"
#include "cli/command/voice.h"
#include "cli/present/stores.h"
#include "cli/question/store/import.h"

struct arguments {
  struct command_line line;
  struct import_request request;
  bool json;
  const char *by;
};

#define FIELD(name) offsetof(struct arguments, name)

static const struct option_row rows[] = {
    ROW_JSON(FIELD(json)),
    ROW_UNIT(FIELD(request.units)),
    OPTION("out", 0, "DIR",
           "folder for the series, new or empty; an older import there is replaced", option_path,
           FIELD(request.out)),
    OPTION_WORDS("by", 0, "BY",
                 "also keep series by node, by host, or by the indices that were recorded (index)",
                 option_word, FIELD(by), "node host index"),
    {0},
};

static void print(const struct gather *gather, const char *folder, bool as_json) {
  if (as_json) {
    summary_print_json(gather);
    summary_print_ledger(gather, true);
    struct jsonl *json = jsonl_new("imported");
    jsonl_text(json, "folder", folder);
    jsonl_integer(json, "stores", (int64_t)gather->stores.count);
    jsonl_integer(json, "files", (int64_t)gather->files);
    jsonl_integer(json, "series", (int64_t)gather->table.rows.count);
    jsonl_print(json);
    return;
  }
  printf("%s: %zu series of %zu store%s and %zu file%s\n", folder, gather->table.rows.count,
         gather->stores.count, gather->stores.count == 1 ? "" : "s", gather->files,
         gather->files == 1 ? "" : "s");
  if (gather->stores.count != 0)
    summary_print_stores(stdout, gather);
  summary_print_series(stdout, gather);
  summary_print_joint(stdout, &gather->joined);
  summary_print_ledger(gather, false);
}

static enum gather_by kind_of(const char *by) {
  return by == NULL                ? BY_NOTHING
         : strcmp(by, "node") == 0 ? BY_NODE
         : strcmp(by, "host") == 0 ? BY_HOST
                                   : BY_INDEX;
}

static enum status complain(const struct command_line *line, const char *what) {
  fprintf(stderr, "tailproof %s: %s\n", line->command, what);
  return STATUS_USAGE;
}

/* What import and merge do; they differ in the folders they take. */
static enum status gather_and_write(const struct arguments *arguments, bool imported) {
  const struct command_line *line = &arguments->line;
  if (line->file_count == 0)
    return complain(line, "name a store, a folder of stores, or a file of measurements");
  if (arguments->request.out == NULL)
    return complain(line, "name the folder to write with --out DIR");
  struct voice voice;
  voice_init(&voice, line, NULL);
  struct import_request request = arguments->request;
  request.asker = &voice.asker;
  request.sources = line->files;
  request.source_count = line->file_count;
  request.imported = imported;
  request.by = kind_of(arguments->by);
  struct gather gather;
  enum status status = import_ask(&gather, &request);
  if (status == STATUS_OK)
    print(&gather, request.out, arguments->json);
  gather_clear(&gather);
  return status;
}

static enum status import(const void *options) {
  return gather_and_write(options, false);
}

static enum status merge(const void *options) {
  return gather_and_write(options, true);
}

const struct command import_command = {
    "import",
    "SOURCE... --out DIR",
    "make series for `percentiles --data` of recorded stores or measurement files",
    rows,
    sizeof(struct arguments),
    NULL,
    import,
    NULL};

const struct command merge_command = {"merge",
                                      "DIR... --out DIR",
                                      "add up the stores or imported series of several hosts",
                                      rows,
                                      sizeof(struct arguments),
                                      NULL,
                                      merge,
                                      NULL};
