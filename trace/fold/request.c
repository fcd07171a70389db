/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/fold/request.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "base/hash.h"

enum { STATUSES = 3, LETTERS = 6 * STATUSES, MARKS = 256 };

/* Of a span that is read back. */
enum {
  KEPT_MARKS = SPAN_FOLLOWS | SPAN_MOVED | SPAN_SKEWED | SPAN_IN_TURN | SPAN_CUT | SPAN_TIED,
};

void fold_escape(struct text *line, const char *text, size_t length) {
  if (length == 0 || (length == 1 && *text == '-')) {
    text_append(line, length == 0 ? "-" : "%2D");
    return;
  }
  for (size_t i = 0; i < length; i++) {
    unsigned char byte = (unsigned char)text[i];
    if (byte <= ' ' || byte == '%' || byte == 0x7f)
      text_format(line, "%%%02X", byte);
    else
      text_append_bytes(line, text + i, 1);
  }
}

static int digit_of(char c) {
  return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static bool unescape(struct text *text, struct slice written) {
  if (written.length == 1 && *written.start == '-')
    return true;
  for (size_t i = 0; i < written.length; i++) {
    char byte = written.start[i];
    if (byte == '%') {
      bool both = i + 2 < written.length;
      int high = both ? digit_of(written.start[i + 1]) : -1;
      int low = both ? digit_of(written.start[i + 2]) : -1;
      if (high < 0 || low < 0)
        return false;
      byte = (char)(high * 16 + low);
      i += 2;
    }
    text_append_bytes(text, &byte, 1);
  }
  return written.length != 0;
}

/* Each text has one spelling, so that equal names are equal bytes. */
bool fold_unescape(struct text *text, struct slice written) {
  struct text again;
  size_t before = text->length;
  text_init(&again);
  bool good = unescape(text, written);
  if (good)
    fold_escape(&again, text_get(text) + before, text->length - before);
  good = good && again.length == written.length &&
         memcmp(again.data, written.start, written.length) == 0;
  text_clear(&again);
  return good;
}

bool fold_number(int64_t *value, struct slice *rest) {
  size_t i = rest->length > 0 && *rest->start == '-', first = i;
  uint64_t number = 0;
  for (; i < rest->length && rest->start[i] >= '0' && rest->start[i] <= '9'; i++)
    if (number > INT64_MAX / 10 ||
        (number = number * 10 + (uint64_t)(rest->start[i] - '0')) > INT64_MAX)
      return false;
  if (i == first)
    return false;
  *value = first == 0 ? (int64_t)number : -(int64_t)number;
  rest->start += i;
  rest->length -= i;
  return true;
}

static bool take(struct slice *rest, char c) {
  if (rest->length == 0 || *rest->start != c)
    return false;
  rest->start++;
  rest->length--;
  return true;
}

static struct slice take_word(struct slice *rest) {
  const char *end = rest->length == 0 ? NULL : memchr(rest->start, ' ', rest->length);
  size_t length = end == NULL ? rest->length : (size_t)(end - rest->start);
  struct slice word = {rest->start, length};
  rest->start += length;
  rest->length -= length;
  return word;
}

/* ---- written */

static int64_t since(int64_t time, int64_t origin) {
  int64_t difference;
  if (__builtin_sub_overflow(time, origin, &difference))
    return time > origin ? INT64_MAX : -INT64_MAX;
  return difference;
}

static void print_call(struct text *line, const struct span_store *store, uint32_t row,
                       int64_t origin, uint32_t instance) {
  int64_t start = store->start.data[row];
  int kind = 'a' + store->kind.data[row] * STATUSES + store->status.data[row];
  text_format(line, " %" PRId64 ":%" PRId64 ":%c", since(start, origin),
              since(store->end.data[row], start), kind);
  if (store->mark.data[row] != 0)
    text_format(line, "%u", store->mark.data[row]);
  if (store->instance.data[row] == instance)
    return;
  const char *name = names_text(&store->names, store->instance.data[row]);
  text_append(line, "@");
  fold_escape(line, name, strlen(name));
}

void fold_request_print(struct text *line, const struct span_store *store,
                        const struct request *request, const uint32_t *rows, size_t count) {
  int64_t origin = store->start.data[rows[0]];
  uint32_t instance = 0;
  fold_escape(line, request->id.start, request->id.length);
  text_format(line, " %" PRId64 " %zu", origin, request->count - count);
  for (size_t p = 0; p < count; p++) {
    print_call(line, store, rows[p], origin, instance);
    instance = store->instance.data[rows[p]];
  }
}

/* ---- read back */

struct slice fold_request_id(struct slice line) {
  return take_word(&line);
}

uint64_t fold_request_hash(struct slice line) {
  struct random mix = {hash_bytes(0, fold_request_id(line))};
  return random_bits(&mix);
}

struct line_call {
  int64_t offset, length, mark;
  int letter;            /* 0 .. LETTERS - 1 */
  struct slice instance; /* as written; length 0: as before */
};

static bool read_call(struct line_call *call, struct slice *rest) {
  *call = (struct line_call){0};
  if (!take(rest, ' ') || !fold_number(&call->offset, rest) || !take(rest, ':') ||
      !fold_number(&call->length, rest) || call->length < 0 || !take(rest, ':') ||
      rest->length == 0)
    return false;
  call->letter = *rest->start - 'a';
  if (call->letter < 0 || call->letter >= LETTERS)
    return false;
  rest->start++;
  rest->length--;
  if (rest->length > 0 && *rest->start >= '0' && *rest->start <= '9' &&
      !fold_number(&call->mark, rest))
    return false;
  if (call->mark >= MARKS)
    return false;
  if (take(rest, '@')) {
    call->instance = take_word(rest);
    return call->instance.length > 0;
  }
  return true;
}

static bool read_head(struct slice *rest, int64_t *origin, int64_t *others) {
  return take_word(rest).length > 0 && take(rest, ' ') && fold_number(origin, rest) &&
         *origin >= -SPAN_TIME_MAX && *origin <= SPAN_TIME_MAX && take(rest, ' ') &&
         fold_number(others, rest) && *others >= 0;
}

static bool within(int64_t origin, const struct line_call *call) {
  int64_t start, end;
  return !__builtin_add_overflow(origin, call->offset, &start) && start >= -SPAN_TIME_MAX &&
         start <= SPAN_TIME_MAX && !__builtin_add_overflow(start, call->length, &end) &&
         end <= SPAN_TIME_MAX;
}

bool fold_request_is_valid(struct slice line, size_t count) {
  int64_t origin, others;
  struct line_call call;
  struct text text;
  text_init(&text);
  bool valid = fold_unescape(&text, fold_request_id(line)) && read_head(&line, &origin, &others);
  for (size_t p = 0; p < count && valid; p++) {
    valid = read_call(&call, &line) && within(origin, &call) && (p > 0 || call.offset == 0) &&
            (call.instance.length == 0 || fold_unescape(&text, call.instance));
  }
  text_clear(&text);
  return valid && line.length == 0;
}

static struct slice slice_of(const char *text) {
  return (struct slice){text, strlen(text)};
}

static struct slice id_of(const char *ids, uint32_t position) {
  return position == SPAN_NONE ? (struct slice){"", 0}
                               : (struct slice){ids + 9 * (size_t)position, 8};
}

/* Spans get their position for an id, in digits that sort as numbers do. */
static char *make_ids(size_t count) {
  char *ids = mem_alloc(9 * count, 1);
  for (size_t p = 0; p < count; p++)
    snprintf(ids + 9 * p, 9, "%08" PRIx32, (uint32_t)p);
  return ids;
}

size_t fold_request_restore(struct builder *builder, struct slice line,
                            const struct fold_call *calls, size_t count, uint64_t *others) {
  int64_t origin = 0, beside = 0;
  struct text id, instance;
  text_init(&id);
  text_init(&instance);
  fold_unescape(&id, fold_request_id(line));
  read_head(&line, &origin, &beside);
  *others = (uint64_t)beside;
  builder_begin(builder, (struct slice){text_get(&id), id.length});
  char *ids = make_ids(count);
  for (uint32_t p = 0; p < count; p++) {
    struct line_call call;
    read_call(&call, &line);
    if (call.instance.length > 0) {
      text_clear(&instance);
      fold_unescape(&instance, call.instance);
    }
    builder_add(builder, &(struct span_record){
                             .id = id_of(ids, p),
                             .parent = id_of(ids, calls[p].parent),
                             .service = slice_of(calls[p].service),
                             .operation = slice_of(calls[p].operation),
                             .instance = slice_of(text_get(&instance)),
                             .start = origin + call.offset,
                             .end = origin + call.offset + call.length,
                             .kind = (enum span_kind)(call.letter / STATUSES),
                             .status = (enum span_status)(call.letter % STATUSES),
                             .mark = (unsigned)call.mark & KEPT_MARKS,
                         });
  }
  size_t request = builder_finish(builder);
  mem_free(ids);
  text_clear(&id);
  text_clear(&instance);
  return request;
}

/* ---- calls */

void fold_calls_free(struct fold_call *calls, size_t count) {
  for (size_t p = 0; p < count; p++) {
    mem_free(calls[p].service);
    mem_free(calls[p].operation);
  }
  mem_free(calls);
}

static bool read_name(char **name, struct slice *rest) {
  struct text text;
  text_init(&text);
  bool good = take(rest, ' ') && fold_unescape(&text, take_word(rest));
  *name = good ? text_take(&text) : NULL;
  if (good && *name == NULL)
    *name = mem_copy_text("", 0);
  text_clear(&text);
  return good;
}

/* A parent in preorder is the call before or one of its callers. */
static bool is_open(const struct fold_call *calls, uint32_t position, int64_t parent) {
  for (uint32_t p = position - 1; p != SPAN_NONE; p = calls[p].parent)
    if (p == parent)
      return true;
  return false;
}

/* Calls of one caller come by service and operation (trace/graph/call_list.h). */
static bool in_order(const struct fold_call *calls, uint32_t *last, uint32_t position) {
  uint32_t before = last[calls[position].parent];
  last[calls[position].parent] = position;
  if (before == 0)
    return true;
  int order = strcmp(calls[before].service, calls[position].service);
  return order < 0 ||
         (order == 0 && strcmp(calls[before].operation, calls[position].operation) <= 0);
}

static bool read_calls(struct fold_call *calls, uint32_t *last, const char *key, size_t count) {
  for (uint32_t p = 0; p < count; p++) {
    const char *end = strchr(key, '\n');
    struct slice rest = {key, end == NULL ? 0 : (size_t)(end - key)};
    int64_t parent = SPAN_NONE;
    if (p == 0 ? !take(&rest, '-') : !fold_number(&parent, &rest) || !is_open(calls, p, parent))
      return false;
    calls[p].parent = (uint32_t)parent;
    if (!read_name(&calls[p].service, &rest) || !read_name(&calls[p].operation, &rest) ||
        rest.length != 0 || (p > 0 && !in_order(calls, last, p)))
      return false;
    key = end + 1;
  }
  return *key == 0;
}

struct fold_call *fold_calls_new(const char *key, size_t count) {
  struct fold_call *calls = mem_alloc(count, sizeof *calls);
  uint32_t *last = mem_alloc(count, sizeof *last); /* by position: its latest call; 0: none yet */
  bool good = count > 0 && read_calls(calls, last, key, count);
  mem_free(last);
  if (good)
    return calls;
  fold_calls_free(calls, count);
  return NULL;
}
