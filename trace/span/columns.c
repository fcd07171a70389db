/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* memmem */
#include "trace/span/columns.h"

#include <string.h>

#include "base/memory.h"

static const char *const roles[COLUMN_COUNT] = {
    [COLUMN_TRACE] = "trace",       [COLUMN_SPAN] = "span",
    [COLUMN_PARENT] = "parent",     [COLUMN_PARENT_TRACE] = "parent_trace",
    [COLUMN_RPC] = "rpc",           [COLUMN_START] = "start",
    [COLUMN_END] = "end",           [COLUMN_DURATION] = "duration",
    [COLUMN_SERVICE] = "service",   [COLUMN_CALLER] = "caller",
    [COLUMN_CALLED] = "called",     [COLUMN_NAME] = "name",
    [COLUMN_KIND] = "kind",         [COLUMN_STATUS] = "status",
    [COLUMN_ERROR] = "error",       [COLUMN_HOST] = "host",
    [COLUMN_RELATION] = "relation", [COLUMN_TAGS] = "tags",
};

static const char example[] =
    "write --columns trace=KEY,span=KEY,parent=KEY,start:ms=KEY,duration:us=KEY,service=KEY,"
    "name=KEY";

static bool refuse(struct text *message, struct slice what, const char *why) {
  text_format(message, "--columns: '%.*s' %s; %s", (int)(what.length < 60 ? what.length : 60),
              what.start, why, example);
  return false;
}

static struct slice before(struct slice text, const char *end) {
  return (struct slice){text.start, (size_t)(end - text.start)};
}

static struct slice from(struct slice text, const char *start) {
  return (struct slice){start, (size_t)(text.start + text.length - start)};
}

/* ---- units */

static int shift_of(struct slice unit) {
  static const struct {
    const char *word;
    int shift;
  } units[] = {{"ns", 0}, {"us", 3}, {"ms", 6}, {"s", 9}};
  for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    if (slice_is(unit, units[i].word))
      return units[i].shift;
  return -1;
}

int columns_unit(struct slice name) {
  static const struct {
    const char *end;
    int shift;
  } ends[] = {{"_ns", 0}, {".ns", 0},    {"nano", 0},         {"nanos", 0},
              {"_us", 3}, {".us", 3},    {"micros", 3},       {"_ms", 6},
              {".ms", 6}, {"millis", 6}, {"nanoseconds", 0},  {"microseconds", 3},
              {"_s", 9},  {"_sec", 9},   {"milliseconds", 6}, {"seconds", 9}};
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    size_t length = strlen(ends[i].end);
    if (name.length > length &&
        slice_is_word((struct slice){name.start + name.length - length, length}, ends[i].end))
      return ends[i].shift;
  }
  return -1;
}

static bool is_time(enum span_role role) {
  return role == COLUMN_START || role == COLUMN_END || role == COLUMN_DURATION;
}

/* ---- reading */

/* What stands before a path and behind it. */
static void take_marks(struct column_source *source, struct slice path) {
  static const struct {
    const char *mark;
    enum column_from from;
  } marks[] = {{"^^", FROM_OUTERMOST}, {"^", FROM_AROUND}, {"$", FROM_LATEST}};
  for (size_t i = 0; i < sizeof marks / sizeof *marks && source->from == FROM_SPAN; i++)
    if (path.length > 2 && slice_starts(path, marks[i].mark)) {
      source->from = marks[i].from;
      path = from(path, path.start + strlen(marks[i].mark));
    }
  if (path.length > 2 && path.start[0] == '\'' && path.start[path.length - 1] == '\'') {
    source->from = FROM_TEXT;
    source->path = (struct slice){path.start + 1, path.length - 2};
    return;
  }
  const char *plus = memchr(path.start, '+', path.length);
  const char *brace = memchr(path.start, '{', path.length);
  if (plus != NULL && plus + 1 < path.start + path.length) {
    source->other = from(path, plus + 1);
    path = before(path, plus);
  } else if (brace != NULL && path.start[path.length - 1] == '}') {
    source->word = (struct slice){brace + 1, path.length - 2 - (size_t)(brace - path.start)};
    path = before(path, brace);
  }
  source->path = path;
}

static void take_paths(struct span_columns *columns, enum span_role role, int shift,
                       struct slice paths) {
  struct slice path;
  while (slice_field(&path, &paths, '|')) {
    struct column_source source = {.role = role, .shift = shift, .other = {"", 0}, .word = {"", 0}};
    take_marks(&source, path);
    if (shift < 0 && is_time(role))
      source.shift = columns_unit(source.path);
    if (source.path.length != 0)
      vector_push(&columns->sources, source);
  }
}

static bool take_item(struct span_columns *columns, struct slice item, struct text *message) {
  const char *equals = memchr(item.start, '=', item.length);
  if (equals == NULL || equals + 1 == item.start + item.length)
    return refuse(message, item, "is no ROLE=KEY");
  struct slice role = before(item, equals), unit = {"", 0};
  const char *colon = memchr(role.start, ':', role.length);
  if (colon != NULL) {
    unit = from(role, colon + 1);
    role = before(role, colon);
  }
  size_t found = 0;
  while (found < COLUMN_COUNT && !slice_is(role, roles[found]))
    found++;
  if (found == COLUMN_COUNT)
    return refuse(message, role,
                  "is no role: trace, span, parent, start, end, duration, service, name, kind, "
                  "status, error, host, tags and rpc are");
  if (colon != NULL && (shift_of(unit) < 0 || !is_time((enum span_role)found)))
    return refuse(message, item, "names no unit of a time (ns, us, ms, s)");
  take_paths(columns, (enum span_role)found, shift_of(unit), from(item, equals + 1));
  return true;
}

static bool has(const struct span_columns *columns, enum span_role role) {
  for (size_t i = 0; i < columns->sources.count; i++)
    if (columns->sources.data[i].role == role)
      return true;
  return false;
}

static bool is_enough(const struct span_columns *columns, struct text *message) {
  const char *lacks = !has(columns, COLUMN_TRACE)                               ? "trace"
                      : !has(columns, COLUMN_SPAN) && !has(columns, COLUMN_RPC) ? "span"
                      : !has(columns, COLUMN_START)                             ? "start"
                      : !has(columns, COLUMN_END) && !has(columns, COLUMN_DURATION)
                          ? "duration, or end"
                          : NULL;
  if (lacks != NULL)
    text_format(message, "--columns: nothing is the %s; %s", lacks, example);
  return lacks == NULL;
}

bool columns_read(struct span_columns *columns, const char *text, struct text *message) {
  *columns = (struct span_columns){.text = mem_copy_text(text, strlen(text))};
  struct slice rest = {columns->text, strlen(text)}, item;
  while (slice_field(&item, &rest, ','))
    if (item.length != 0 && !take_item(columns, item, message))
      return false;
  return is_enough(columns, message);
}

void columns_clear(struct span_columns *columns) {
  mem_free(columns->text);
  vector_clear(&columns->sources);
}

/* ---- values */

static bool is_minus_one(struct slice text) {
  return slice_is(text, "-1");
}

/* Of a parent's id: what stands for none. */
static bool is_none(struct slice text) {
  for (size_t i = 0; i < text.length; i++)
    if (text.start[i] != '0')
      return is_minus_one(text) || slice_is(text, "null") || slice_is(text, "None") ||
             slice_is(text, "0x0000000000000000");
  return true;
}

static struct slice cut(struct slice text, struct slice word) {
  const char *at =
      text.length == 0 ? NULL : memmem(text.start, text.length, word.start, word.length);
  if (at == NULL)
    return (struct slice){"", 0};
  text = from(text, at + word.length);
  const char *slash = memchr(text.start, '/', text.length);
  return slash == NULL ? text : before(text, slash);
}

static struct slice join(struct text *joined, struct slice a, struct slice b) {
  if (a.length == 0 || b.length == 0 || is_minus_one(a) || is_minus_one(b))
    return (struct slice){"", 0};
  text_clear(joined);
  text_append_bytes(joined, a.start, a.length);
  text_append_bytes(joined, ".", 1);
  text_append_bytes(joined, b.start, b.length);
  return (struct slice){joined->data, joined->length};
}

void columns_fill(struct column_values *values, const struct span_columns *columns,
                  column_look *look, void *context) {
  static const struct column_source here = {.from = FROM_SPAN};
  for (size_t i = 0; i < COLUMN_COUNT; i++)
    values->text[i] = (struct slice){"", 0};
  for (size_t i = 0; i < columns->sources.count; i++) {
    const struct column_source *source = &columns->sources.data[i];
    if (values->text[source->role].length != 0 || source->role == COLUMN_TAGS)
      continue;
    struct slice found =
        source->from == FROM_TEXT ? source->path : look(context, source, source->path);
    if (source->other.length != 0)
      found = join(&values->joined[source->role], found, look(context, &here, source->other));
    if (source->word.length != 0)
      found = cut(found, source->word);
    if (source->role == COLUMN_PARENT && is_none(found))
      continue;
    values->text[source->role] = found;
    values->shift[source->role] = source->shift;
  }
}

void column_values_clear(struct column_values *values) {
  for (size_t i = 0; i < COLUMN_COUNT; i++)
    text_clear(&values->joined[i]);
}
