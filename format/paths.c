/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* memmem */
#include "format/paths.h"

#include <string.h>

#include "base/hash.h"

enum { DEPTH_MOST = 64, PATHS_MOST = 600, DEPTH_KEPT = 8, DOCUMENTS_MOST = 8, VALUE_MOST = 200 };
/* Of later values. */
enum { VALUES_MOST = 32 << 10 };

struct walk {
  struct format_paths *paths;
  const char *at, *end;
  struct text path;
  bool broken; /* no JSON, or its end is missing */
};

static void skip_blanks(struct walk *walk) {
  while (walk->at < walk->end && memchr(" \t\r\n", *walk->at, 4) != NULL)
    walk->at++;
}

static bool take(struct walk *walk, char byte) {
  skip_blanks(walk);
  if (walk->at == walk->end || *walk->at != byte)
    return false;
  walk->at++;
  return true;
}

static bool take_string(struct walk *walk, struct slice *string) {
  if (!take(walk, '"'))
    return false;
  const char *start = walk->at;
  while (walk->at < walk->end && *walk->at != '"')
    walk->at += *walk->at == '\\' ? 2 : 1;
  if (walk->at >= walk->end) {
    walk->at = walk->end;
    return false;
  }
  *string = (struct slice){start, (size_t)(walk->at - start)};
  walk->at++;
  return true;
}

static struct format_path *find(const struct format_paths *paths, struct slice path) {
  uint64_t hash = hash_bytes(0, path);
  for (size_t i = 0; i < paths->all.count; i++) {
    struct format_path *known = &paths->all.data[i];
    if (known->hash == hash && known->length == path.length &&
        memcmp(paths->texts.data + known->start, path.start, path.length) == 0)
      return known;
  }
  return NULL;
}

static void keep_value(struct format_paths *paths, struct slice path, struct slice value) {
  if (value.length == 0 || value.length > VALUE_MOST || paths->long_values.length > VALUES_MOST)
    return;
  text_append_bytes(&paths->long_values, path.start, path.length);
  text_append_bytes(&paths->long_values, "\001", 1);
  text_append_bytes(&paths->long_values, value.start, value.length);
  text_append_bytes(&paths->long_values, "\002", 1);
}

static void note(struct walk *walk, struct slice value, bool string) {
  struct format_paths *paths = walk->paths;
  struct slice path = {text_get(&walk->path), walk->path.length};
  struct format_path *known = find(paths, path);
  if (string)
    keep_value(paths, path, value);
  if (known != NULL) {
    if (known->value.length == 0)
      known->value = value;
    return;
  }
  if (paths->all.count == PATHS_MOST)
    return;
  struct format_path new = {paths->texts.length, path.length, hash_bytes(0, path), value};
  text_append_bytes(&paths->texts, path.start, path.length);
  vector_push(&paths->all, new);
}

static bool is_number_byte(char byte) {
  return (byte >= '0' && byte <= '9') || byte == '.' || byte == '-' || byte == '+' || byte == 'e' ||
         byte == 'E';
}

static bool take_scalar(struct walk *walk, struct slice *value, bool *string) {
  static const char *const words[] = {"true", "false", "null", "NaN", "Infinity"};
  skip_blanks(walk);
  *string = walk->at < walk->end && *walk->at == '"';
  if (*string)
    return take_string(walk, value);
  const char *start = walk->at;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    size_t length = strlen(words[i]);
    if ((size_t)(walk->end - walk->at) >= length && memcmp(walk->at, words[i], length) == 0)
      walk->at += length;
  }
  while (walk->at < walk->end && is_number_byte(*walk->at))
    walk->at++;
  *value = (struct slice){start, (size_t)(walk->at - start)};
  return value->length != 0;
}

static bool take_value(struct walk *walk, int depth);

static bool take_object(struct walk *walk, int depth) {
  size_t length = walk->path.length;
  struct slice key;
  walk->at++;
  if (take(walk, '}'))
    return true;
  do {
    if (!take_string(walk, &key))
      return false;
    text_format(&walk->path, "%s%.*s", length == 0 ? "" : ".",
                (int)(key.length > VALUE_MOST ? VALUE_MOST : key.length), key.start);
    bool good = take(walk, ':');
    if (good && depth < DEPTH_KEPT)
      note(walk, (struct slice){"", 0}, false);
    good = good && take_value(walk, depth + 1);
    walk->path.length = length;
    walk->path.data[length] = '\0';
    if (!good)
      return false;
  } while (take(walk, ','));
  return take(walk, '}');
}

static bool take_list(struct walk *walk, int depth) {
  size_t length = walk->path.length;
  walk->at++;
  if (take(walk, ']'))
    return true;
  text_append(&walk->path, "[]");
  bool good;
  do
    good = take_value(walk, depth + 1);
  while (good && take(walk, ','));
  walk->path.length = length;
  walk->path.data[length] = '\0';
  return good && take(walk, ']');
}

static bool take_value(struct walk *walk, int depth) {
  struct slice value = {"", 0};
  bool string = false;
  skip_blanks(walk);
  if (walk->at == walk->end || depth > DEPTH_MOST)
    return false;
  if (*walk->at == '{')
    return take_object(walk, depth);
  if (*walk->at == '[')
    return take_list(walk, depth);
  if (!take_scalar(walk, &value, &string))
    return false;
  if (depth < DEPTH_KEPT)
    note(walk, value, string);
  return true;
}

/* Brackets begin other things, too: "[main] 3", "{main};f 3". */
static bool begins(struct walk *walk) {
  struct walk ahead = *walk;
  skip_blanks(&ahead);
  if (ahead.at == ahead.end || (*ahead.at != '{' && *ahead.at != '['))
    return false;
  bool object = *ahead.at++ == '{';
  skip_blanks(&ahead);
  if (ahead.at == ahead.end)
    return true;
  return object ? *ahead.at == '"' || *ahead.at == '}'
                : memchr("[{\"]-0123456789tfn", *ahead.at, 18) != NULL;
}

void format_paths_read(struct format_paths *paths, struct slice bytes) {
  struct walk walk = {.paths = paths, .at = bytes.start, .end = bytes.start + bytes.length};
  *paths = (struct format_paths){0};
  text_append(&walk.path, "");
  text_append(&paths->texts, "");
  text_append(&paths->long_values, "\002");
  bool good = true;
  while (good && paths->documents < DOCUMENTS_MOST && begins(&walk)) {
    paths->documents++;
    good = take_value(&walk, 0);
    skip_blanks(&walk);
  }
  /* An end that is missing is none that is wrong. */
  bool ended = walk.at >= walk.end || paths->documents == DOCUMENTS_MOST;
  paths->json = paths->documents != 0 && (good || ended || paths->all.count != 0);
  if (!paths->json)
    paths->all.count = 0;
  text_clear(&walk.path);
}

void format_paths_clear(struct format_paths *paths) {
  text_clear(&paths->texts);
  text_clear(&paths->long_values);
  vector_clear(&paths->all);
}

/* ---- conditions */

static bool has_value(const struct format_paths *paths, struct slice path, struct slice part) {
  struct slice rest = {paths->long_values.data, paths->long_values.length};
  struct slice field;
  while (slice_field(&field, &rest, '\002')) {
    if (field.length > path.length && memcmp(field.start, path.start, path.length) == 0 &&
        field.start[path.length] == '\001' &&
        memmem(field.start + path.length + 1, field.length - path.length - 1, part.start,
               part.length) != NULL)
      return true;
  }
  return false;
}

static bool meets_one(const struct format_paths *paths, struct slice one) {
  bool wanted = one.start[0] != '!';
  if (!wanted)
    one = (struct slice){one.start + 1, one.length - 1};
  const char *equal = memchr(one.start, '=', one.length),
             *within = memchr(one.start, '~', one.length);
  const char *sign = equal != NULL ? equal : within;
  struct slice path = {one.start, sign == NULL ? one.length : (size_t)(sign - one.start)};
  const struct format_path *known = find(paths, path);
  bool is = known != NULL;
  if (is && sign != NULL) {
    struct slice value = {sign + 1, (size_t)(one.start + one.length - sign - 1)};
    is = equal != NULL ? slice_same(known->value, value) : has_value(paths, path, value);
  }
  return is == wanted;
}

bool format_paths_meet(const struct format_paths *paths, const char *condition) {
  struct slice alternatives = {condition, strlen(condition)}, way, one;
  if (!paths->json)
    return false;
  while (slice_field(&way, &alternatives, '|')) {
    bool all = true;
    while (all && slice_field(&one, &way, '&'))
      all = one.length != 0 && meets_one(paths, one);
    if (all)
      return true;
  }
  return false;
}
