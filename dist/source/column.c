/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/source/column.h"

#include <ctype.h>
#include <stdint.h>

#include "base/decimal.h"

bool column_word(struct slice *word, struct slice *rest) {
  while (rest->length != 0 && !isalnum((unsigned char)*rest->start))
    *rest = (struct slice){rest->start + 1, rest->length - 1};
  *word = (struct slice){rest->start, 0};
  bool small = false;
  while (word->length < rest->length) {
    unsigned char c = (unsigned char)rest->start[word->length];
    if (!isalnum(c) || (small && isupper(c)))
      break;
    small = islower(c);
    word->length++;
  }
  *rest = (struct slice){rest->start + word->length, rest->length - word->length};
  return word->length != 0;
}

bool column_word_among(struct slice word, const char *const *words) {
  while (*words != NULL && !slice_is_word(word, *words))
    words++;
  return *words != NULL;
}

/* --- names --- */

static const char *const failures[] = {
    "failed",    "fail",     "failing",   "timeout",  "timedout", "timeouted", "aborted",
    "cancelled", "canceled", "dropped",   "rejected", "shed",     "ko",        "lost",
    "refused",   "expired",  "throttled", "errored",  "bad",      "broken",    NULL};
static const char *const errors[] = {
    "error",    "errors", "err",    "errno",   "exception", "exceptions",   "failure",
    "failures", "fault",  "errmsg", "errcode", "errorcode", "errormessage", NULL};
static const char *const successes[] = {"success", "succeeded", "successful", "ok",   "passed",
                                        "pass",    "successes", "valid",      "good", NULL};
/* They may also say when, or how many. */
static const char *const completions[] = {"completed", "complete", "finished", "answered",
                                          "responded", "received", "alive",    "check",
                                          "committed", "commit",   NULL};
static const char *const statuses[] = {
    "status",       "result",   "outcome",    "state", "verdict", "statuscode",
    "responsecode", "httpcode", "returncode", "rcode", NULL};
static const char *const kinds[] = {
    "url",        "uri",      "path",      "endpoint",  "route",   "method",    "verb",
    "label",      "name",     "operation", "op",        "kind",    "type",      "tag",
    "tags",       "script",   "scenario",  "command",   "cmd",     "service",   "rpc",
    "class",      "category", "group",     "workload",  "phase",   "stage",     "api",
    "action",     "handler",  "function",  "statement", "sql",     "procedure", "resource",
    "sampler",    "topic",    "protocol",  "target",    "labels",  "stmt",      "interface",
    "template",   "opcode",   "optype",    "optypes",   "opname",  "rw",        "benchmark",
    "controller", "lambda",   "syscall",   "txn",       "txntype", "verbs",     "interaction",
    "mode",       "variant",  "workflow",  "journey",   "job",     NULL};
/* "url.full", "uri_stem", "path_template", "op_code" */
static const char *const kind_stems[] = {"url", "uri",  "path",   "route",   "op", "query",
                                         "rpc", "http", "method", "request", NULL};
static const char *const kind_ends[] = {"full", "stem", "template", "pattern", "raw", NULL};
static const char *const nouns[] = {
    "request", "query",      "transaction", "event",  "message",   "job",     "step",  "test",
    "page",    "call",       "task",        "table",  "tx",        "feature", "case",  "queue",
    "channel", "collection", "view",        "screen", "component", "flow",    "model", NULL};
/* "thread_name" tells replicas apart, "content_type" what a request carries, not what it is. */
static const char *const carried[] = {"file",  "data",     "content", "mime",
                                      "media", "encoding", "cache",   NULL};
static const char *const replicas[] = {
    "thread",     "host",      "hostname", "node",   "server",  "client",  "user",    "pod",
    "worker",     "machine",   "instance", "region", "zone",    "cluster", "process", "container",
    "pid",        "tid",       "conn",     "core",   "cpu",     "session", "vu",      "connection",
    "replica",    "shard",     "run",      "trial",  "batch",   "round",   "seed",    "iteration",
    "repetition", "goroutine", "threads",  "ip",     "address", "addr",    "port",    NULL};
/* When it was, its place among all, or what a part of it took. */
static const char *const moments[] = {
    "time",   "timestamp", "ts",      "date",    "datetime", "day",    "hour",       "minute",
    "second", "week",      "month",   "year",    "start",    "end",    "epoch",      "offset",
    "begin",  "stop",      "index",   "idx",     "row",      "number", "seq",        "sequence",
    "nr",     "no",        "line",    "elapsed", "latency",  "wait",   "connect",    "dns",
    "tls",    "idle",      "ttfb",    "delay",   "duration", "send",   "processing", "handshake",
    "queued", "blocked",   "sending", "waiting", "n",        "i",      "id",         "count",
    "when",   "clock",     "arrival", "at",      NULL};
static const char *const identities[] = {"instance",  "uuid",   "guid",  "ulid", "traceid",
                                         "requestid", "spanid", "reqid", NULL};
static const char *const identified[] = {
    "trace",      "request", "req",    "span",      "correlation", "transaction",
    "tx",         "message", "msg",    "query",     "call",        "event",
    "invocation", "run",     "sample", "iteration", NULL};

/* The words of a name that its role depends on; those before the last may be missing. */
struct name_words {
  struct slice first, before, last;
  size_t count;
  bool error, grpc;
  bool elsewhere; /* some word is of a replica, or a moment */
};

static struct name_words words_of(struct slice name) {
  struct name_words words = {0};
  struct slice word, rest = name;
  for (; column_word(&word, &rest); words.count++) {
    if (words.count == 0)
      words.first = word;
    words.before = words.last;
    words.last = word;
    words.error = words.error || column_word_among(word, errors);
    words.grpc = words.grpc || slice_is_word(word, "grpc");
    words.elsewhere =
        words.elsewhere || column_word_among(word, replicas) || column_word_among(word, moments);
  }
  return words;
}

static bool among(struct slice word, const char *const *list) {
  return word.length != 0 && column_word_among(word, list);
}

static bool is_one(struct slice word, const char *a, const char *b, const char *c) {
  return slice_is_word(word, a) || slice_is_word(word, b) || slice_is_word(word, c);
}

static enum column_role role_of_code(const struct name_words *words) {
  if (words->error)
    return COLUMN_ERROR;
  if (is_one(words->before, "exit", "return", "ret"))
    return COLUMN_EXIT;
  if (words->grpc || slice_is_word(words->before, "rpc"))
    return COLUMN_STATUS_GRPC;
  if (among(words->before, kind_stems) && !slice_is_word(words->before, "http"))
    return COLUMN_KIND;
  bool status = words->count == 1 || is_one(words->before, "status", "response", "http") ||
                is_one(words->before, "result", "reply", "answer") ||
                is_one(words->before, "resp", "res", "sc");
  return status ? COLUMN_STATUS : COLUMN_UNKNOWN;
}

static enum column_role role_of_kind(const struct name_words *words) {
  /* "client_op" is an operation, "client_name" a client */
  static const char *const vague[] = {"name",  "type",   "kind", "class", "category", "group",
                                      "label", "labels", "tag",  "tags",  NULL};
  bool of_another = among(words->last, vague);
  if (of_another && among(words->before, replicas))
    return COLUMN_OTHER;
  if (of_another && among(words->before, carried))
    return COLUMN_UNKNOWN;
  if (column_word_among(words->last, kinds) ||
      (among(words->before, kind_stems) && column_word_among(words->last, kind_ends)))
    return COLUMN_KIND;
  if (among(words->last, nouns))
    return COLUMN_KIND_OR_NUMBER;
  return words->elsewhere ? COLUMN_OTHER : COLUMN_UNKNOWN;
}

static bool is_identity(const struct name_words *words) {
  if (column_word_among(words->last, identities))
    return true;
  return slice_is_word(words->last, "id") &&
         (words->count == 1 || among(words->before, identified));
}

static enum column_role role_of_message(const struct name_words *words) {
  bool message = is_one(words->last, "message", "msg", "text") ||
                 is_one(words->last, "reason", "phrase", "description");
  if (!message || words->count < 2)
    return slice_is_word(words->last, "reason") ? COLUMN_MESSAGE : COLUMN_UNKNOWN;
  if (words->error || among(words->before, failures))
    return COLUMN_ERROR;
  return is_one(words->before, "response", "status", "result") ||
                 is_one(words->before, "reason", "http", "code")
             ? COLUMN_MESSAGE
             : COLUMN_UNKNOWN;
}

static enum column_role role_of_status(const struct name_words *words) {
  if (slice_is_word(words->last, "code") || slice_is_word(words->last, "codes"))
    return role_of_code(words);
  if (is_one(words->last, "flag", "flags", "count") && words->count > 1) {
    if (slice_is_word(words->before, "response"))
      return COLUMN_ERROR; /* of Envoy: "-", or what went wrong */
    return among(words->before, failures)    ? COLUMN_ERROR
           : among(words->before, successes) ? COLUMN_SUCCESS
                                             : COLUMN_UNKNOWN;
  }
  if (slice_is_word(words->last, "http") || slice_is_word(words->last, "response"))
    return slice_is_word(words->before, "expected") ? COLUMN_SUCCESS : COLUMN_STATUS_OR_SIZE;
  if (is_one(words->last, "rc", "retcode", "exitcode") || slice_is_word(words->last, "retval"))
    return COLUMN_EXIT;
  if (slice_is_word(words->last, "out") && is_one(words->before, "timed", "time", "timed"))
    return COLUMN_FAILURE;
  if (column_word_among(words->last, statuses)) {
    if (words->count > 1 && column_word_among(words->before, replicas))
      return COLUMN_OTHER;
    return words->error                          ? COLUMN_ERROR
           : slice_is_word(words->first, "exit") ? COLUMN_EXIT
           : words->grpc                         ? COLUMN_STATUS_GRPC
                                                 : COLUMN_STATUS;
  }
  if (column_word_among(words->last, successes))
    return COLUMN_SUCCESS;
  if (column_word_among(words->last, completions))
    return COLUMN_SUCCESS_OR_TIME;
  if (column_word_among(words->last, failures))
    return COLUMN_FAILURE;
  return role_of_message(words);
}

enum column_role column_role(struct slice name) {
  static const char *const of_errors[] = {"type", "name", "class", "kind", "count", "flag", NULL};
  struct name_words words = words_of(name);
  if (words.count == 0)
    return COLUMN_OTHER;
  if (column_word_among(words.last, errors) ||
      (words.error && column_word_among(words.last, of_errors)))
    return COLUMN_ERROR;
  enum column_role role = role_of_status(&words);
  if (role != COLUMN_UNKNOWN)
    return role;
  return is_identity(&words) ? COLUMN_IDENTITY : role_of_kind(&words);
}

bool column_tells_failure(enum column_role role) {
  return role >= COLUMN_STATUS;
}

/* --- cells --- */

static const char *const yes[] = {"true", "1", "yes", "y", "t", "1.0", NULL};
static const char *const no[] = {"false", "0", "no", "n", "f", "0.0", NULL};
static const char *const nothing[] = {"",   "-",   "none",  "null",      "nil", "nan",
                                      "na", "n/a", "<nil>", "undefined", "\\n", NULL};
static const char *const good_words[] = {
    "ok",       "success",    "succeeded", "successful", "pass",   "passed",
    "good",     "complete",   "completed", "finished",   "done",   "created",
    "accepted", "no content", "noerror",   "committed",  "commit", NULL};
static const char *const bad_words[] = {"ko",
                                        "error",
                                        "errored",
                                        "err",
                                        "fail",
                                        "failed",
                                        "failure",
                                        "exception",
                                        "timeout",
                                        "timed out",
                                        "timedout",
                                        "timed_out",
                                        "time out",
                                        "cancelled",
                                        "canceled",
                                        "aborted",
                                        "abort",
                                        "refused",
                                        "rejected",
                                        "dropped",
                                        "skipped",
                                        "reset",
                                        "broken",
                                        "bad",
                                        "crashed",
                                        "killed",
                                        "lost",
                                        "unknown",
                                        "internal",
                                        "unavailable",
                                        "not_found",
                                        "not found",
                                        "deadlock",
                                        "serialization",
                                        "invalid",
                                        "denied",
                                        "invalid_argument",
                                        "deadline_exceeded",
                                        "already_exists",
                                        "permission_denied",
                                        "resource_exhausted",
                                        "failed_precondition",
                                        "out_of_range",
                                        "unimplemented",
                                        "data_loss",
                                        "unauthenticated",
                                        "invalidargument",
                                        "deadlineexceeded",
                                        "notfound",
                                        "alreadyexists",
                                        "permissiondenied",
                                        "resourceexhausted",
                                        "failedprecondition",
                                        "outofrange",
                                        "dataloss",
                                        "bad request",
                                        "unauthorized",
                                        "forbidden",
                                        "too many requests",
                                        "internal server error",
                                        "bad gateway",
                                        "service unavailable",
                                        "gateway timeout",
                                        "rollback",
                                        "rolled back",
                                        "servfail",
                                        "killed",
                                        NULL};

static enum column_outcome outcome_of_flag(struct slice cell, bool good) {
  if (column_word_among(cell, yes))
    return good ? OUTCOME_GOOD : OUTCOME_FAILED;
  if (column_word_among(cell, no))
    return good ? OUTCOME_FAILED : OUTCOME_GOOD;
  return OUTCOME_UNKNOWN;
}

static enum column_outcome outcome_of_words(struct slice cell) {
  if (column_word_among(cell, good_words))
    return OUTCOME_GOOD;
  return column_word_among(cell, bad_words) ? OUTCOME_FAILED : OUTCOME_UNKNOWN;
}

/* "503", "503.0", "503 Service Unavailable", "HTTP/1.1 503", "5xx". 3xx and 0 are read differently by
 * different tools. */
static enum column_outcome outcome_of_status(struct slice cell, bool grpc) {
  struct slice rest = cell, number;
  uint64_t code, more;
  if (slice_starts(rest, "HTTP/") && slice_field(&number, &rest, ' '))
    rest = slice_trim(rest);
  if (rest.length == 3 && slice_is_word((struct slice){rest.start + 1, 2}, "xx"))
    return *rest.start == '2'                         ? OUTCOME_GOOD
           : *rest.start == '4' || *rest.start == '5' ? OUTCOME_FAILED
                                                      : OUTCOME_UNKNOWN;
  if (!slice_field(&number, &rest, ' ') ||
      decimal_range(&code, &more, NULL, number, 0) != DECIMAL_OK || code != more)
    return outcome_of_words(cell);
  if (grpc && code <= 16)
    return code == 0 ? OUTCOME_GOOD : OUTCOME_FAILED;
  return code >= 200 && code <= 299   ? OUTCOME_GOOD
         : code >= 400 && code <= 599 ? OUTCOME_FAILED
                                      : OUTCOME_UNKNOWN;
}

/* Numbers of other lengths are sizes. */
static enum column_outcome outcome_of_response(struct slice cell) {
  uint64_t number;
  enum column_outcome outcome = outcome_of_status(cell, false);
  bool size = decimal_whole(&number, cell) == DECIMAL_OK && (number < 100 || number > 599);
  return size ? OUTCOME_SILENT : outcome;
}

static enum column_outcome outcome_of_exit(struct slice cell) {
  bool negative = cell.length > 1 && cell.start[0] == '-';
  struct slice number = {cell.start + negative, cell.length - negative};
  uint64_t code;
  if (decimal_whole(&code, number) != DECIMAL_OK)
    return outcome_of_words(cell);
  return code == 0 ? OUTCOME_GOOD : OUTCOME_FAILED;
}

/* Any text is that of an error, but a number is only a code or a count where it is whole. */
static enum column_outcome outcome_of_error(struct slice cell) {
  uint64_t lower, upper;
  if (column_word_among(cell, no) || slice_is_word(cell, "ok") || slice_is_word(cell, "success"))
    return OUTCOME_SILENT;
  if (decimal_range(&lower, &upper, NULL, cell, 0) == DECIMAL_OK)
    return lower == upper ? OUTCOME_FAILED : OUTCOME_UNKNOWN;
  return OUTCOME_FAILED;
}

enum column_outcome column_outcome(enum column_role role, struct slice cell) {
  bool empty = column_word_among(cell, nothing);
  switch (role) {
  case COLUMN_STATUS:
  case COLUMN_STATUS_GRPC:
    return empty ? OUTCOME_UNKNOWN : outcome_of_status(cell, role == COLUMN_STATUS_GRPC);
  case COLUMN_STATUS_OR_SIZE:
    return empty ? OUTCOME_SILENT : outcome_of_response(cell);
  case COLUMN_EXIT:
    return empty ? OUTCOME_UNKNOWN : outcome_of_exit(cell);
  case COLUMN_SUCCESS: {
    enum column_outcome flag = outcome_of_flag(cell, true);
    return flag == OUTCOME_UNKNOWN ? outcome_of_words(cell) : flag;
  }
  case COLUMN_SUCCESS_OR_TIME: {
    enum column_outcome flag = outcome_of_flag(cell, true);
    return flag == OUTCOME_UNKNOWN ? OUTCOME_SILENT : flag;
  }
  case COLUMN_FAILURE:
    return empty ? OUTCOME_SILENT : outcome_of_flag(cell, false);
  case COLUMN_ERROR:
    return empty ? OUTCOME_SILENT : outcome_of_error(cell);
  case COLUMN_MESSAGE:
    return empty ? OUTCOME_SILENT : outcome_of_status(cell, false);
  default:
    return OUTCOME_SILENT;
  }
}
