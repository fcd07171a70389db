/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/span/read.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "trace/span/chrome.h"
#include "trace/span/format.h"
#include "trace/span/intake.h"
#include "trace/span/jaeger.h"
#include "trace/span/otlp.h"
#include "trace/span/otlp_wire.h"
#include "trace/span/rows.h"
#include "trace/span/skew.h"
#include "trace/span/table.h"
#include "trace/span/tps.h"
#include "trace/span/zipkin.h"

struct trace_reader {
  struct intake intake;
  const struct asker *asker;
  struct tps *tps;
  struct format_columns *given; /* NULL: no columns are given */
  bool given_used;
  struct text others; /* files of folders that are no traces */
  size_t other_count;
};

static enum status fail_scan(const struct trace_reader *reader, const struct json_scan *scan) {
  return asker_fail(reader->asker, scan->status, "%s", text_get(&scan->message));
}

/* A file that has no traces: said of one that was named; in a folder it is passed over. */
static enum status pass_over(struct trace_reader *reader, const struct json_scan *scan,
                             const char *path, bool listed) {
  bool unread = scan->status == STATUS_NO_INPUT;
  const char *slash = strrchr(path, '/');
  if (listed && slash != NULL && strcmp(slash + 1, TPS_LEFT_OVER) == 0)
    return STATUS_OK; /* read with the stores beside it */
  if (listed && !unread) {
    reader->other_count++;
    if (reader->other_count <= 3)
      text_format(&reader->others, "%s%s", reader->other_count == 1 ? "" : ", ", path);
    return STATUS_OK;
  }
  if (scan->state == SCAN_FAILED && !trace_format_is_foreign(scan))
    return fail_scan(reader, scan);
  struct text message;
  text_init(&message);
  if (reader->given != NULL)
    text_format(&message,
                "%s: nothing in it is called as --columns has it for the trace; name a "
                "column of its first line, or a key of its JSON",
                file_name(path));
  else
    trace_format_refuse(&message, scan);
  enum status status = asker_fail(reader->asker, STATUS_DATA, "%s", text_get(&message));
  text_clear(&message);
  return status;
}

/* By a layout; what its columns mean is told here, unless they were given. */
static enum status read_rows(struct trace_reader *reader, struct json_scan *scan,
                             enum trace_format format, const struct span_layout *layout) {
  struct span_columns columns, *used = &columns;
  struct text message;
  text_init(&message);
  bool given = reader->given != NULL && layout == &reader->given->layout;
  reader->given_used = reader->given_used || given;
  if (given)
    used = &reader->given->columns;
  else if (!columns_read(&columns, layout->columns, &message))
    bug("no columns: %s: %s", layout->columns, text_get(&message));
  enum status status = format == TRACE_ROWS ? rows_read(&reader->intake, scan, layout, used)
                                            : table_read(&reader->intake, scan, layout, used);
  if (!given)
    columns_clear(&columns);
  return status;
}

static enum status read_format(struct trace_reader *reader, struct json_scan *scan,
                               enum trace_format format, const struct span_layout *layout) {
  switch (format) {
  case TRACE_ROWS:
  case TRACE_TABLE:
    return read_rows(reader, scan, format, layout);
  case TRACE_EMPTY: /* other documents may follow */
  case TRACE_JAEGER:
    return jaeger_read(&reader->intake, scan);
  case TRACE_OTLP:
    return otlp_read(&reader->intake, scan);
  case TRACE_OTLP_WIRE:
    return otlp_wire_read(&reader->intake, scan);
  case TRACE_ZIPKIN:
    return zipkin_read(&reader->intake, scan);
  case TRACE_CHROME:
    return chrome_read(&reader->intake, scan);
  case TRACE_STORE:
    return tps_read(reader->tps, scan->name);
  case TRACE_NONE:
    break;
  }
  return STATUS_OK;
}

static enum status read_file(struct trace_reader *reader, const char *path, bool listed) {
  struct json_scan scan;
  enum trace_format format = TRACE_NONE;
  const struct span_layout *layout = NULL;
  enum status status = scan_open(&scan, path);
  if (status == STATUS_OK)
    format = trace_format_tell(&scan, reader->given, &layout);
  if (format == TRACE_NONE) {
    status = pass_over(reader, &scan, path, listed);
  } else {
    const struct trace_reading *reading = reader->intake.reading;
    reader->intake.files++;
    if (reading->opened != NULL)
      status = reading->opened(path, reading->context);
    if (status == STATUS_OK)
      status = read_format(reader, &scan, format, layout);
    if (scan.state == SCAN_FAILED)
      status = fail_scan(reader, &scan);
  }
  scan_close(&scan);
  return status;
}

static int is_shown(const struct dirent *entry) {
  return entry->d_name[0] != '.';
}

static bool is_folder(const char *path) {
  struct stat about;
  return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

static bool is_link(const char *path) {
  struct stat about;
  return lstat(path, &about) == 0 && S_ISLNK(about.st_mode);
}

static enum status read_path(struct trace_reader *reader, const char *path, bool listed);

/* All files of a folder and of those within it, by name. */
static enum status read_folder(struct trace_reader *reader, const char *folder) {
  struct dirent **entries = NULL;
  enum status status = STATUS_OK;
  int count = scandir(folder, &entries, is_shown, alphasort);
  if (count < 0)
    return asker_fail(reader->asker, STATUS_NO_INPUT, "%s: cannot be opened: %s", folder,
                      strerror(errno));
  for (int i = 0; i < count; i++) {
    struct text path;
    text_init(&path);
    text_format(&path, "%s/%s", folder, entries[i]->d_name);
    if (status == STATUS_OK && !(is_folder(path.data) && is_link(path.data)))
      status = read_path(reader, path.data, true);
    text_clear(&path);
    free(entries[i]);
  }
  free(entries);
  return status;
}

static enum status read_path(struct trace_reader *reader, const char *path, bool listed) {
  if (!is_folder(path))
    return read_file(reader, path, listed);
  uint64_t before = reader->intake.files;
  enum status status = read_folder(reader, path);
  if (status == STATUS_OK && !listed && reader->intake.files == before)
    return asker_fail(reader->asker, STATUS_DATA,
                      "%s: none of its files holds traces; name the folder they are in", path);
  return status;
}

/* ---- what was odd */

static void note(struct ledger *ledger, uint64_t count, const char *what) {
  if (count != 0)
    ledger_note(ledger, LEDGER_DATA, "%llu %s", (unsigned long long)count, what);
}

static void tell_requests(const struct trace_reader *reader, struct ledger *ledger) {
  const struct builder_notes *notes = builder_notes(reader->intake.builder);
  note(ledger, notes->orphans,
       "spans name a parent that the recording lacks; each begins a tree of its own");
  note(ledger, notes->roots,
       "requests have more than one root; the longest is taken for the request, of those without "
       "a parent that was lost if there are any");
  note(ledger, notes->circles,
       "circles of spans that are their own ancestors; each is cut at its earliest span");
  note(ledger, notes->repeated, "spans are recorded twice, alike in all; each is taken once");
  note(ledger, notes->clashes,
       "spans have the id of another one of their request; parents are told apart by side and "
       "service");
  note(ledger, notes->backwards, "spans end before they start; each is taken to last 0");
}

/* Of a builder's number of a host: its instance, or its service. */
static const char *host_name(const struct trace_reader *reader, uint32_t host) {
  return names_text(&reader->intake.store->names, host / 2);
}

static void append_ms(struct text *text, bool bounded, int64_t ns) {
  if (bounded)
    text_format(text, "%.3f", (double)ns / 1e6);
  else
    text_append(text, "any");
}

static void tell_clocks(const struct trace_reader *reader, struct ledger *ledger) {
  const struct skew_notes *notes = builder_clocks(reader->intake.builder);
  const struct skew_example *example = &notes->example;
  struct text allowed;
  text_init(&allowed);
  append_ms(&allowed, example->bounded_below, example->least);
  text_append(&allowed, " to ");
  append_ms(&allowed, example->bounded_above, example->most);
  if (notes->moved_requests != 0)
    ledger_warn(ledger, LEDGER_DATA,
                "clocks of hosts disagree in %llu requests, and %llu spans are moved by the least "
                "that causality asks for; the most is %.3f ms, of the clock of %s against that of "
                "%s, where %s ms are possible",
                (unsigned long long)notes->moved_requests, (unsigned long long)notes->moved_spans,
                (double)example->shift / 1e6, host_name(reader, example->host),
                host_name(reader, example->other), text_get(&allowed));
  if (notes->skewed_requests != 0)
    ledger_warn(ledger, LEDGER_DATA,
                "clocks of hosts contradict causality in %llu requests, and no shift mends that: "
                "%llu spans start before their callers or end after them; times between hosts are "
                "not to be trusted there",
                (unsigned long long)notes->skewed_requests,
                (unsigned long long)notes->skewed_spans);
  text_clear(&allowed);
}

static void tell_files(const struct trace_reader *reader, struct ledger *ledger) {
  const struct intake_notes *notes = &reader->intake.notes;
  note(ledger, notes->untimed, "spans without a start time are left out");
  note(ledger, notes->unfinished,
       "spans have no end; each is taken to last until the latest moment of its request");
  note(ledger, notes->foreign, "spans have a parent in another request only, and so none here");
  note(ledger, notes->nameless,
       "spans are of a process that their trace lacks: their service is "
       "not known");
  note(ledger, notes->serviceless, "spans are of a process that names no service");
  note(ledger, notes->unbegun, "ends of slices have no beginning and are left out");
  note(ledger, notes->misnamed,
       "ends of slices have the name of none that is open; each ends the latest");
  note(ledger, notes->idless,
       "spans do not say of which trace they are and are left out: their trace id is empty or 0");
  note(ledger, notes->no_spans,
       "rows are no spans, as they name none or neither end nor duration, and are passed over");
  note(ledger, notes->misshapen,
       "rows have another number of cells than the first line and are left out");
  note(ledger, notes->broken_off,
       "files end within an event, a document or a message; what is incomplete there is left "
       "out: they were cut off, or are still being written");
  note(ledger, notes->without_request,
       "recordings of stores belong to no request (instance 0) and are left out");
  note(ledger, notes->overwritten,
       "requests of stores are left out: a log has overwritten what may be parts of them");
  note(ledger, notes->not_closed,
       "stores were not closed by their processes; their last requests may lack parts");
  note(ledger, notes->unpaired,
       "requests of stores could not be paired from events; at most their beginning is here");
  note(ledger, notes->stores_again, "stores were read before; each is taken once");
  note(ledger, notes->doubled, "requests were read before, alike in all; each is taken once");
  if (notes->crowded != 0)
    ledger_note(ledger, LEDGER_DATA,
                "%llu values of tags are left out, such as of %s: longer than 256 bytes, or beyond "
                "the first 10000 of a tag",
                (unsigned long long)notes->crowded,
                names_text(&reader->intake.store->names, notes->crowded_key));
  if (reader->other_count != 0)
    ledger_note(ledger, LEDGER_DATA, "%zu files are no traces and are passed over: %s%s",
                reader->other_count, text_get(&reader->others),
                reader->other_count > 3 ? ", ..." : "");
}

/* Why files that were read have no request; *why is "" where they simply hold none. */
static const char *why_none(const struct trace_reader *reader) {
  const struct intake_notes *notes = &reader->intake.notes;
  if (reader->intake.requests != 0)
    return "";
  if (notes->idless != 0)
    return "no span says of which trace it is: all trace ids are empty or 0, so that nobody knows "
           "which spans are one request; export them with ids";
  if (notes->rows != 0 && notes->untimed != 0)
    return "no span has a start time; export them with times";
  if (notes->misshapen != 0)
    return "no row has as many cells as the first line, which names them; export the table again";
  if (notes->no_spans != 0)
    return "no row is a span, as none names one; say which keys do: --columns "
           "trace=KEY,span=KEY,..";
  return "";
}

/* What is given for columns; also of JSON what is no column is a tag. */
static enum status read_columns(struct format_columns *given, const char *text,
                                const struct asker *asker) {
  struct text message;
  text_init(&message);
  enum status status = STATUS_OK;
  if (!columns_read(&given->columns, text, &message))
    status = asker_fail(asker, STATUS_USAGE, "%s", text_get(&message));
  vector_push(&given->columns.sources,
              (struct column_source){
                  .role = COLUMN_TAGS, .path = {"*", 1}, .other = {"", 0}, .word = {"", 0}});
  text_clear(&message);
  return status;
}

static void clear_columns(struct format_columns *given) {
  columns_clear(&given->columns);
  text_clear(&given->room[0]);
  text_clear(&given->room[1]);
}

enum status trace_read(struct span_store *store, const char *const *paths, size_t path_count,
                       const struct trace_reading *reading, struct ledger *ledger,
                       const struct asker *asker) {
  struct trace_reader reader = {.asker = asker};
  struct format_columns given = {0};
  enum status status = STATUS_OK;
  if (reading->columns != NULL) {
    status = read_columns(&given, reading->columns, asker);
    reader.given = &given;
  }
  intake_init(&reader.intake, store, reading, asker);
  reader.tps = tps_new(&reader.intake);
  text_init(&reader.others);
  for (size_t i = 0; i < path_count && status == STATUS_OK; i++)
    status = read_path(&reader, paths[i], false);
  if (status == STATUS_OK)
    status = tps_finish(reader.tps);
  if (status == STATUS_OK)
    status = intake_end(&reader.intake);
  if (status == STATUS_OK && reader.given != NULL && !reader.given_used)
    status = asker_fail(asker, STATUS_USAGE,
                        "--columns: %s has a format that says itself what its keys are; leave it "
                        "out",
                        paths[0]);
  if (status == STATUS_OK && *why_none(&reader) != '\0')
    status = asker_fail(asker, STATUS_DATA, "%s: %s", paths[0], why_none(&reader));
  if (status == STATUS_OK) {
    tell_requests(&reader, ledger);
    tell_clocks(&reader, ledger);
    tell_files(&reader, ledger);
  }
  text_clear(&reader.others);
  tps_free(reader.tps);
  intake_clear(&reader.intake);
  clear_columns(&given);
  return status;
}
