/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/span/row.h"

#include <string.h>

#include "base/moment.h"
#include "trace/span/kind.h"
#include "trace/span/value.h"

void row_clear(struct row_maker *maker) {
  column_values_clear(&maker->values);
  vector_clear(&maker->tags);
  vector_clear(&maker->links);
  text_clear(&maker->date);
}

static bool is_said(const struct row_maker *maker, enum span_role role) {
  return value_said(maker->values.text[role]).length != 0;
}

/* ---- times */

/* "2026-01-31 12:00:00" and what follows. */
static bool is_date(struct slice text) {
  return text.length >= 19 && text.start[4] == '-' && text.start[7] == '-' && text.start[13] == ':';
}

/* As base/moment.h has it: a T between day and time; without a zone it is UTC. */
static bool take_date(struct row_maker *maker, int64_t *ns, struct slice text) {
  struct text *date = &maker->date;
  text_clear(date);
  text_append_bytes(date, text.start, text.length);
  date->data[10] = 'T';
  char *end = date->data + 19 + strcspn(date->data + 19, " Zz+-");
  if (*end == '\0' || slice_is_word((struct slice){end, strlen(end)}, "z") ||
      strcmp(end, " UTC") == 0 || strncmp(end, " +0000", 6) == 0) {
    *end = '\0';
    date->length = strlen(date->data);
    text_append(date, "Z");
  } else if (*end == ' ') {
    return false;
  } else if (strlen(end) == 5 && strchr(end, ':') == NULL) { /* +0100 */
    const char minutes[] = {':', end[3], end[4], '\0'};
    end[3] = '\0';
    date->length -= 2;
    text_append(date, minutes);
  }
  return moment_read(ns, date->data) && *ns <= SPAN_TIME_MAX;
}

static bool fail_unit(struct json_scan *scan, struct slice text, const char *what) {
  return scan_fail(scan, text.start,
                   "nothing says in which unit the %s %.*s is; say which key it has and in which "
                   "unit: --columns ..,%s:ms=KEY,.. (ns, us, ms or s)",
                   what, (int)(text.length < 40 ? text.length : 40), text.start, what);
}

static bool take_time(struct row_maker *maker, struct json_scan *scan, int64_t *ns,
                      enum span_role role, const char *what) {
  struct slice text = maker->values.text[role];
  if (is_date(text))
    return take_date(maker, ns, text) ||
           scan_fail(scan, text.start,
                     "the %s '%.*s' is no moment; write it as 2026-01-31T12:00:00.25Z", what,
                     (int)(text.length < 40 ? text.length : 40), text.start);
  int shift = maker->values.shift[role];
  if (shift < 0)
    return fail_unit(scan, text, what);
  return value_time(scan, ns, text, shift, what);
}

/* Of a row with a caller and a called one: a negative duration is the called one's. */
static bool take_side(const struct row_maker *maker, struct span_record *record,
                      int64_t *duration) {
  bool called = *duration < 0, message = slice_is_word(maker->values.text[COLUMN_KIND], "mq");
  if (called)
    *duration = -*duration;
  record->kind = message ? SPAN_CONSUMER : called ? SPAN_SERVER : SPAN_CLIENT;
  return called || message;
}

static bool take_end(struct row_maker *maker, struct json_scan *scan, struct span_record *record,
                     bool *called) {
  int64_t duration = 0;
  record->end = record->start;
  if (is_said(maker, COLUMN_END))
    return take_time(maker, scan, &record->end, COLUMN_END, "end");
  if (!is_said(maker, COLUMN_DURATION)) {
    record->mark |= SPAN_UNFINISHED;
    return true;
  }
  if (!take_time(maker, scan, &duration, COLUMN_DURATION, "duration"))
    return false;
  if (is_said(maker, COLUMN_RPC))
    *called = take_side(maker, record, &duration);
  return value_end(scan, &record->end, record->start, duration,
                   maker->values.text[COLUMN_DURATION]);
}

/* ---- words */

static enum span_kind kind_of(const struct row_maker *maker, bool nested) {
  static const struct {
    const char *word;
    enum span_kind kind;
  } words[] = {{"entry", SPAN_SERVER},          {"exit", SPAN_CLIENT},
               {"local", SPAN_INTERNAL},        {"subsegment", SPAN_INTERNAL},
               {"rpc_server", SPAN_SERVER},     {"rpc_client", SPAN_CLIENT},
               {"remote", SPAN_CLIENT},         {"aws", SPAN_CLIENT},
               {"request", SPAN_SERVER},        {"messaging", SPAN_CONSUMER},
               {"http.server", SPAN_SERVER},    {"http.client", SPAN_CLIENT},
               {"rpc.server", SPAN_SERVER},     {"rpc.client", SPAN_CLIENT},
               {"rpc", SPAN_UNKNOWN},           {"queue.publish", SPAN_PRODUCER},
               {"queue.process", SPAN_CONSUMER}};
  struct slice word = maker->values.text[COLUMN_KIND];
  if (slice_starts(word, "SpanKind."))
    word = (struct slice){word.start + 9, word.length - 9};
  if (maker->layout->api_kinds && word.length == 1 && *word.start >= '0' && *word.start <= '4')
    return (enum span_kind)(*word.start - '0' + SPAN_INTERNAL);
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (slice_is_word(word, words[i].word))
      return words[i].kind;
  enum span_kind kind = kind_of_word(word);
  return kind == SPAN_UNKNOWN && !nested ? maker->layout->outer_kind : kind;
}

static enum span_status status_of(const struct row_maker *maker) {
  static const char *const bad[] = {
      "failure",     "failed",  "internal_error",     "unknown_error",     "deadline_exceeded",
      "unavailable", "aborted", "resource_exhausted", "permission_denied", "unauthenticated"};
  struct slice word = maker->values.text[COLUMN_STATUS], error = maker->values.text[COLUMN_ERROR];
  if (error.length != 0 && !slice_is_word(error, "false") && !slice_is(error, "0") &&
      !slice_is_word(error, "null") && !slice_is_word(error, "none") && !slice_is_word(error, "no"))
    return SPAN_ERROR;
  if (slice_starts(word, "StatusCode."))
    word = (struct slice){word.start + 11, word.length - 11};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    if (slice_is_word(word, bad[i]))
      return SPAN_ERROR;
  return slice_is_word(word, "success") ? SPAN_OK : status_of_word(word);
}

/* Without "0x". */
static struct slice id_of(struct slice text) {
  text = value_said(text);
  bool marked = text.length > 2 && text.start[0] == '0' && (text.start[1] | 0x20) == 'x';
  return marked ? (struct slice){text.start + 2, text.length - 2} : text;
}

/* "0.1" of "0.1.2". */
static struct slice caller_of(struct slice rpc) {
  while (rpc.length != 0 && rpc.start[rpc.length - 1] != '.')
    rpc.length--;
  return rpc.length == 0 ? (struct slice){"", 0} : (struct slice){rpc.start, rpc.length - 1};
}

/* ---- spans */

static struct slice name_of(struct row_maker *maker, enum span_role role) {
  struct intake *intake = maker->intake;
  return intake_text(intake, intake_name(intake, value_said(maker->values.text[role])));
}

static void take_ids(struct row_maker *maker, struct span_record *record, struct slice *trace) {
  const struct slice *text = maker->values.text;
  *trace = id_of(text[COLUMN_TRACE]);
  if (is_said(maker, COLUMN_RPC)) {
    record->id = text[COLUMN_RPC];
    record->parent = caller_of(text[COLUMN_RPC]);
    return;
  }
  record->id = id_of(text[COLUMN_SPAN]);
  record->parent = id_of(text[COLUMN_PARENT]);
  if (is_said(maker, COLUMN_PARENT_TRACE) &&
      !slice_same(id_of(text[COLUMN_PARENT_TRACE]), *trace)) {
    record->parent = (struct slice){"", 0};
    maker->intake->notes.foreign++;
  } else if (slice_is(text[COLUMN_RELATION], "FOLLOWS_FROM")) {
    record->mark |= SPAN_FOLLOWS;
  }
}

/* Links but to the parent, with their ids as ours are; to another trace only if the store keeps
 * them. */
static size_t take_links(const struct row_maker *maker, struct slice trace, struct slice parent,
                         struct slice links[VALUE_LINKS_MAX], char (*rooms)[VALUE_LINK_MAX]) {
  size_t count = 0;
  for (size_t i = 0; i < maker->links.count && count < VALUE_LINKS_MAX; i++) {
    struct slice to = id_of(maker->links.data[i].trace), span = id_of(maker->links.data[i].span);
    bool own = to.length == 0 || slice_same(to, trace);
    if ((own && slice_same(span, parent)) || (!own && !maker->intake->store->keeps_foreign))
      continue;
    links[count] = own ? span : value_link(rooms[count], to, span);
    count++;
  }
  return count;
}

/* Whether the row is a span at all; what it is not is counted. */
static bool is_span(struct row_maker *maker) {
  struct intake_notes *notes = &maker->intake->notes;
  bool ends = is_said(maker, COLUMN_END) || is_said(maker, COLUMN_DURATION);
  notes->rows++;
  if ((!is_said(maker, COLUMN_SPAN) && !is_said(maker, COLUMN_RPC)) ||
      (maker->layout->whole && !ends)) {
    notes->no_spans++;
    return false;
  }
  if (is_said(maker, COLUMN_START))
    return true;
  notes->untimed++;
  return false;
}

bool row_scatter(struct row_maker *maker, struct json_scan *scan, bool nested) {
  struct intake *intake = maker->intake;
  char rooms[VALUE_LINKS_MAX][VALUE_LINK_MAX];
  struct slice links[VALUE_LINKS_MAX];
  struct span_record record = {
      .id = {"", 0}, .tags = maker->tags.data, .tag_count = maker->tags.count, .links = links};
  struct slice trace;
  bool called = false;
  if (!is_span(maker))
    return true;
  if (!take_time(maker, scan, &record.start, COLUMN_START, "start"))
    return false;
  record.kind = kind_of(maker, nested);
  if (!take_end(maker, scan, &record, &called))
    return false;
  record.status = status_of(maker);
  take_ids(maker, &record, &trace);
  record.link_count = take_links(maker, trace, record.parent, links, rooms);
  bool sides = is_said(maker, COLUMN_RPC) && is_said(maker, COLUMN_CALLED);
  record.service = name_of(maker, !sides ? COLUMN_SERVICE : called ? COLUMN_CALLED : COLUMN_CALLER);
  record.operation = name_of(maker, COLUMN_NAME);
  record.instance = name_of(maker, COLUMN_HOST);
  intake->notes.serviceless += record.service.length == 0;
  maker->status = intake_scatter(intake, trace, &record);
  return maker->status == STATUS_OK;
}
