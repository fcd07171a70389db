/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* versionsort */
#include "trace/event/read.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/stream.h"
#include "format/tell.h"
#include "trace/event/bubbleprof.h"
#include "trace/event/hooks.h"
#include "trace/event/join.h"
#include "trace/event/node_log.h"
#include "trace/event/pauses_csv.h"
#include "trace/event/route_fold.h"
#include "trace/event/stopped.h"

/* A trace of Node.js begins with what was compiled, before the first asynchronous operation. */
enum { LOOKED_AT = 4 << 20, LOOKED_AT_FIRST = 64 << 10 };

static const double DELAYED_LEAST = 0.01; /* of the time: what is less is not told */

enum event_format {
  FORMAT_NONE,
  FORMAT_RECORDED, /* by our recorder */
  FORMAT_HOOKS,
  FORMAT_BUBBLEPROF,
  FORMAT_PAUSES,
  FORMATS
};

/* The files of each format. */
struct event_files {
  VECTOR(char *) paths[FORMATS];
};

/* ---- formats */

static size_t read_beginning(const char *path, char *bytes, size_t most) {
  struct stream *stream = NULL;
  struct text message;
  size_t length = 0, got = 1;
  text_init(&message);
  if (stream_open(&stream, path, &message) == STATUS_OK)
    while (length < most && got != 0 &&
           stream_read(stream, bytes + length, most - length, &got, &message) == STATUS_OK)
      length += got;
  stream_close(stream);
  text_clear(&message);
  return length;
}

/* The first asynchronous operation may be far behind what the table of formats looks at. */
static enum event_format tell(const char *bytes, size_t length) {
  switch (format_tell_bytes((struct slice){bytes, length}, NULL).id) {
  case KNOWN_TPNODE:
    return FORMAT_RECORDED;
  case KNOWN_PAUSES:
    return FORMAT_PAUSES;
  case KNOWN_BUBBLEPROF:
    return FORMAT_BUBBLEPROF;
  case KNOWN_NODE_TRACE:
    return FORMAT_HOOKS;
  case KNOWN_CHROME:
    return hooks_is(bytes, length) ? FORMAT_HOOKS : FORMAT_NONE;
  default:
    return FORMAT_NONE;
  }
}

/* What can be read twice: a pipe cannot. */
static bool is_file(const char *path) {
  struct stat about;
  return stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

static enum event_format tell_file(const char *path, size_t most, bool *more) {
  char *bytes = mem_alloc(most, 1);
  size_t length = read_beginning(path, bytes, most);
  enum event_format format = tell(bytes, length);
  *more = length == most && memmem(bytes, length, "\"traceEvents\"", 13) != NULL;
  mem_free(bytes);
  return format;
}

/* Only a list of trace events is looked at further. */
static enum event_format format_of(const char *path) {
  bool more = false;
  enum event_format format = is_file(path) ? tell_file(path, LOOKED_AT_FIRST, &more) : FORMAT_NONE;
  return format == FORMAT_NONE && more ? tell_file(path, LOOKED_AT, &more) : format;
}

/* ---- files */

static bool is_folder(const char *path) {
  struct stat about;
  return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

/* Stamps (.tpr) are read with the log that they belong to. */
static int is_shown(const struct dirent *entry) {
  size_t length = strlen(entry->d_name);
  return entry->d_name[0] != '.' && (length < 4 || strcmp(entry->d_name + length - 4, ".tpr") != 0);
}

static void add_file(struct event_files *files, const char *path) {
  char *copy = mem_copy_text(path, strlen(path));
  vector_push(&files->paths[format_of(path)], copy);
}

/* Files within folders, in the order of their numbers: node_trace.2.log before node_trace.10.log.
 */
static void add_path(struct event_files *files, const char *path) {
  struct dirent **entries = NULL;
  int count = is_folder(path) ? scandir(path, &entries, is_shown, versionsort) : -1;
  if (count < 0)
    add_file(files, path);
  for (int i = 0; i < count; i++) {
    struct text inner;
    text_init(&inner);
    text_format(&inner, "%s/%s", path, entries[i]->d_name);
    if (!is_folder(inner.data))
      add_file(files, inner.data);
    text_clear(&inner);
    free(entries[i]);
  }
  free(entries);
}

static void clear_files(struct event_files *files) {
  for (size_t format = 0; format < FORMATS; format++) {
    for (size_t i = 0; i < files->paths[format].count; i++)
      mem_free(files->paths[format].data[i]);
    vector_clear(&files->paths[format]);
  }
}

bool event_is_log(const char *path) {
  struct event_files files = {0};
  size_t count = 0;
  add_path(&files, path);
  for (size_t format = FORMAT_NONE + 1; format < FORMATS; format++)
    count += files.paths[format].count;
  clear_files(&files);
  return count != 0;
}

enum status event_each_file(const char *const *paths, size_t path_count,
                            enum status (*opened)(const char *path, void *context), void *context) {
  struct event_files files = {0};
  enum status status = STATUS_OK;
  for (size_t i = 0; i < path_count; i++)
    add_path(&files, paths[i]);
  for (size_t format = FORMAT_NONE + 1; format < FORMATS; format++)
    for (size_t i = 0; i < files.paths[format].count && status == STATUS_OK; i++)
      status = opened(files.paths[format].data[i], context);
  clear_files(&files);
  return status;
}

/* ---- reading */

static void tell_others(const struct event_files *files, struct ledger *ledger) {
  size_t count = files->paths[FORMAT_NONE].count;
  if (count != 0)
    ledger_note(ledger, LEDGER_DATA, "%zu files are no event logs and are passed over, such as %s",
                count, files->paths[FORMAT_NONE].data[0]);
}

static void tell_unread(const struct event_log *log, struct ledger *ledger) {
  double unread = 0, all = 0;
  for (size_t i = 0; i < log->loops.count; i++) {
    unread += (double)log->loops.data[i].unread;
    all += (double)(log->loops.data[i].end - log->loops.data[i].start);
  }
  if (unread > 0)
    ledger_note(
        ledger, LEDGER_DATA,
        "%.0f of %.0f s were read, in stretches spread over all of it: the log does not fit "
        "into 200 MB of memory",
        (all - unread) / 1e9, all / 1e9);
}

/* A log that ends early looks like a server that ended. */
static void tell_stopped(const struct event_log *log, struct ledger *ledger) {
  for (size_t i = 0; i < log->loops.count; i++) {
    const struct event_loop *loop = &log->loops.data[i];
    if (loop->stopped == 0)
      continue;
    bool began = loop->end > loop->start && loop->stopped_at > loop->start;
    double after = began ? (double)(loop->stopped_at - loop->start) : 0;
    ledger_warn(ledger, LEDGER_DATA,
                "the recording of %s (process %" PRIu64 ") stopped early, after %.1f s: %s; what "
                "it did later is not known; %s",
                names_text(&log->names, loop->name), loop->process, after / 1e9,
                node_stopped_reason(loop->stopped), node_stopped_remedy(loop->stopped));
  }
}

/* What the loop waited for a processor no callback can be blamed for. */
static void tell_delays(const struct event_log *log, struct ledger *ledger) {
  for (size_t i = 0; i < log->loops.count; i++) {
    const struct event_loop *loop = &log->loops.data[i];
    double all = (double)(loop->end - loop->start);
    const char *name = names_text(&log->names, loop->name);
    if ((double)loop->waited > DELAYED_LEAST * all)
      ledger_warn(ledger, LEDGER_DATA,
                  "%s (process %" PRIu64
                  ") waited %.1f of %.1f s for a processor: quota (%.1f s) or "
                  "neighbours; give it more, or move what runs beside it",
                  name, loop->process, (double)loop->waited / 1e9, all / 1e9,
                  (double)loop->throttled / 1e9);
    if ((double)loop->halted > DELAYED_LEAST * all)
      ledger_warn(ledger, LEDGER_DATA,
                  "%s (process %" PRIu64 ") was stopped for %.1f of %.1f s: by a signal, as its "
                  "container was frozen, or its machine stood still",
                  name, loop->process, (double)loop->halted / 1e9, all / 1e9);
  }
}

static enum status read_recorded(struct event_log *log, const struct event_files *files,
                                 struct ledger *ledger, const struct asker *asker) {
  struct text message;
  text_init(&message);
  enum status status = node_log_read(log, (const char *const *)files->paths[FORMAT_RECORDED].data,
                                     files->paths[FORMAT_RECORDED].count, &message);
  if (status != STATUS_OK)
    asker_fail(asker, status, "%s", text_get(&message));
  else
    tell_stopped(log, ledger);
  if (status == STATUS_OK)
    tell_delays(log, ledger);
  if (status == STATUS_OK)
    tell_unread(log, ledger);
  text_clear(&message);
  return status;
}

static enum status read_all(struct event_log *log, const struct event_files *files,
                            struct ledger *ledger, const struct asker *asker) {
  enum status status = STATUS_OK;
  if (files->paths[FORMAT_RECORDED].count != 0)
    status = read_recorded(log, files, ledger, asker);
  if (files->paths[FORMAT_HOOKS].count != 0 && status == STATUS_OK)
    status = hooks_read(log, (const char *const *)files->paths[FORMAT_HOOKS].data,
                        files->paths[FORMAT_HOOKS].count, ledger, asker);
  for (size_t i = 0; i < files->paths[FORMAT_BUBBLEPROF].count && status == STATUS_OK; i++)
    status = bubbleprof_read(log, files->paths[FORMAT_BUBBLEPROF].data[i], ledger, asker);
  for (size_t i = 0; i < files->paths[FORMAT_PAUSES].count && status == STATUS_OK; i++)
    status = pauses_csv_read(log, files->paths[FORMAT_PAUSES].data[i], asker);
  return status;
}

static void fold_routes(struct event_log *log, struct ledger *ledger) {
  struct event_folded folded = event_routes_fold(log);
  if (folded.paths != 0)
    ledger_note(ledger, LEDGER_DATA,
                "%zu paths, such as %s, are told as %zu %s: what has more than %d values is *",
                folded.paths, names_text(&log->names, folded.example), folded.routes,
                folded.routes == 1 ? "route" : "routes", ROUTE_VALUES_MOST);
}

/* Older recorders and Node.js itself see that HTTP/2 is spoken, and not what is asked. */
static void tell_http2(const struct event_log *log, struct ledger *ledger) {
  bool missing = false;
  for (size_t i = 0; i < log->loops.count; i++)
    missing |= !log->loops.data[i].has_http2;
  if (missing && names_find(&log->names, (struct slice){"HTTP2SESSION", 12}) != 0)
    ledger_warn(ledger, LEDGER_DATA,
                "HTTP/2 was spoken; requests that came that way are not recorded, those of "
                "HTTP/1.1 are");
}

enum status event_check_size(const struct event_log *log, const char *path,
                             const struct asker *asker) {
  size_t rows = log->begin.count, pauses = log->pauses.count;
  if (rows <= EVENT_ROWS_MOST && pauses <= EVENT_ROWS_MOST)
    return STATUS_OK;
  return asker_fail(asker, STATUS_DATA,
                    "%s: %zu %s are more than the %u that can be told apart; give fewer files, or "
                    "record for a shorter time",
                    path, rows > EVENT_ROWS_MOST ? rows : pauses,
                    rows > EVENT_ROWS_MOST ? "callbacks" : "collections and compilations",
                    EVENT_ROWS_MOST);
}

/* The stamps of a log (.tpr) come along where a shell lists its folder. */
static bool is_of_log(const char *path) {
  size_t length = strlen(path);
  return length > 4 && strcmp(path + length - 4, ".tpr") == 0;
}

enum status event_check_named(const char *const *paths, size_t path_count,
                              const struct asker *asker) {
  for (size_t i = 0; i < path_count; i++) {
    struct stat about;
    if (stat(paths[i], &about) != 0)
      return asker_fail(asker, STATUS_NO_INPUT, "%s: cannot be read: %s", paths[i],
                        strerror(errno));
    if (event_is_log(paths[i]) || is_of_log(paths[i]))
      continue;
    if (S_ISREG(about.st_mode) && about.st_size == 0)
      return asker_fail(asker, STATUS_DATA, "%s: is empty; record again, or leave it out",
                        paths[i]);
    const struct format_entry *row = format_row(format_tell_file(paths[i]).id);
    return asker_fail(
        asker, STATUS_DATA,
        "%s: is %s and no log of an event loop, as the others are%s; leave it out, or "
        "ask of it alone",
        paths[i], row->name == NULL ? "a folder or a pipe" : row->name,
        row->name == NULL ? ", nor a folder with one" : "");
  }
  return STATUS_OK;
}

enum status event_read(struct event_log *log, const char *const *paths, size_t path_count,
                       struct ledger *ledger, const struct asker *asker) {
  struct event_files files = {0};
  enum status status = event_check_named(paths, path_count, asker);
  for (size_t i = 0; i < path_count && status == STATUS_OK; i++)
    add_path(&files, paths[i]);
  if (status == STATUS_OK)
    status = read_all(log, &files, ledger, asker);
  if (status == STATUS_OK && path_count != 0)
    status = event_check_size(log, paths[0], asker);
  event_log_settle(log);
  fold_routes(log, ledger);
  tell_http2(log, ledger);
  if (status == STATUS_OK)
    tell_others(&files, ledger);
  clear_files(&files);
  return status;
}

/* What a format lacks where no request is in it, and what to do. */
static const struct {
  const char *what, *remedy;
} no_request[] = {
    [FORMAT_RECORDED] = {"is a recording in which no request came",
                         "send requests while tailproof record --node runs"},
    [FORMAT_HOOKS] =
        {"is Node.js's own trace (or Clinic.js's) without node.http or node.async_hooks: its "
         "collections and operations belong to no request",
         "run node --trace-event-categories node.async_hooks,node.http,v8 app.js, or "
         "tailproof record --node -- node app.js, and send requests"},
    [FORMAT_BUBBLEPROF] =
        {"has operations of Clinic.js Bubbleprof, which does not say which requests "
         "they are of",
         "record the server with tailproof record --node -- node app.js"},
    [FORMAT_PAUSES] = {"has collections of garbage alone, of Clinic.js Doctor",
                       "record the server with tailproof record --node -- node app.js, which notes "
                       "requests as well"},
};

enum status event_refuse_no_request(const char *const *paths, size_t path_count,
                                    const struct asker *asker) {
  struct event_files files = {0};
  size_t format = FORMAT_NONE + 1;
  for (size_t i = 0; i < path_count; i++)
    add_path(&files, paths[i]);
  while (format + 1 < FORMATS && files.paths[format].count == 0)
    format++;
  asker_fail(asker, STATUS_DATA, "%s holds no HTTP request: it %s; %s",
             files.paths[format].count == 0 ? paths[0] : files.paths[format].data[0],
             no_request[format].what, no_request[format].remedy);
  clear_files(&files);
  return STATUS_DATA;
}

struct event_paused event_paused_time(const struct event_log *log) {
  struct event_paused paused = {.count = log->pauses.count};
  int64_t *until = mem_alloc(log->loops.count, sizeof *until);
  for (size_t i = 0; i < log->loops.count; i++)
    until[i] = INT64_MIN;
  for (size_t i = 0; i < log->pauses.count; i++) {
    const struct event_pause *pause = &log->pauses.data[i];
    int64_t from = pause->start > until[pause->loop] ? pause->start : until[pause->loop];
    paused.sum += pause->end - pause->start;
    paused.covered += pause->end > from ? pause->end - from : 0;
    paused.longest =
        pause->end - pause->start > paused.longest ? pause->end - pause->start : paused.longest;
    until[pause->loop] = pause->end > until[pause->loop] ? pause->end : until[pause->loop];
  }
  mem_free(until);
  return paused;
}
