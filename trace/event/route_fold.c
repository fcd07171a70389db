/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/event/route_fold.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/slice.h"
#include "base/text.h"

enum { DEPTH_MOST = 16 }; /* parts behind these stay as they are */

/* One path, as it was and as it is told. */
struct told_path {
  uint32_t was, is; /* names */
  const char *text; /* of `is` */
  uint64_t requests;
};

/* By text, where '/' comes before all other bytes: so paths with one beginning stand together. */
static int compare_paths(const void *left, const void *right) {
  const struct told_path *a = left, *b = right;
  size_t i = 0;
  while (a->text[i] == b->text[i] && a->text[i] != '\0')
    i++;
  int x = a->text[i] == '/' ? 1 : (unsigned char)a->text[i] + (a->text[i] != '\0');
  int y = b->text[i] == '/' ? 1 : (unsigned char)b->text[i] + (b->text[i] != '\0');
  return (x > y) - (x < y);
}

/* The part of a path behind so many slashes; of length 0 where there is none. */
static struct slice part_of(const char *text, size_t depth) {
  for (; depth != 0 && *text != '\0'; text++)
    depth -= *text == '/';
  return (struct slice){text, depth != 0 ? 0 : strcspn(text, "/")};
}

static bool same_beginning(const struct told_path *a, const struct told_path *b, size_t depth) {
  struct slice part = part_of(a->text, depth);
  size_t length = (size_t)(part.start - a->text);
  return strncmp(a->text, b->text, length) == 0 && part_of(b->text, depth).length != 0;
}

static void star(struct span_names *names, struct told_path *path, struct slice part) {
  struct text text;
  text_init(&text);
  text_append_bytes(&text, path->text, (size_t)(part.start - path->text));
  text_append(&text, "*");
  text_append(&text, part.start + part.length);
  path->is = names_number(names, (struct slice){text_get(&text), text.length});
  path->text = names_text(names, path->is);
  text_clear(&text);
}

/* Paths with one beginning. A value of the part behind it stays if it is asked for often. */
static void fold_part(struct span_names *names, struct told_path *paths, size_t count,
                      size_t depth) {
  size_t values = 0;
  uint64_t requests = 0;
  for (size_t i = 0; i < count; i++) {
    values +=
        i == 0 || !slice_same(part_of(paths[i].text, depth), part_of(paths[i - 1].text, depth));
    requests += paths[i].requests;
  }
  for (size_t i = 0, end; i < count && values > ROUTE_VALUES_MOST; i = end) {
    struct slice part = part_of(paths[i].text, depth);
    uint64_t here = 0;
    for (end = i; end < count && slice_same(part_of(paths[end].text, depth), part); end++)
      here += paths[end].requests;
    for (size_t k = i; k < end && here * ROUTE_VALUES_MOST < requests; k++)
      star(names, &paths[k], part_of(paths[k].text, depth));
  }
}

static void fold_all(struct span_names *names, struct told_path *paths, size_t count) {
  for (size_t depth = 1; depth <= DEPTH_MOST; depth++) {
    qsort(paths, count, sizeof *paths, compare_paths);
    for (size_t i = 0, end; i < count; i = end) {
      end = i + 1;
      if (part_of(paths[i].text, depth).length == 0)
        continue;
      while (end < count && same_beginning(&paths[i], &paths[end], depth))
        end++;
      fold_part(names, paths + i, end - i, depth);
    }
  }
}

typedef VECTOR(struct told_path) path_list;

/* One entry for each path that requests have. */
static void list_paths(const struct event_log *log, path_list *paths) {
  size_t count = log->names.texts.count;
  uint64_t *requests = mem_alloc(count, sizeof *requests);
  for (size_t i = 0; i < log->requests.count; i++)
    requests[log->requests.data[i].route] += !log->requests.data[i].is_pattern;
  for (uint32_t name = 0; name < count; name++)
    if (requests[name] != 0)
      vector_push(paths,
                  ((struct told_path){name, name, names_text(&log->names, name), requests[name]}));
  mem_free(requests);
}

/* Expects them in the order of compare_paths. */
static struct event_folded count_folded(const path_list *paths) {
  struct event_folded folded = {0};
  for (size_t i = 0; i < paths->count; i++) {
    const struct told_path *path = &paths->data[i];
    if (path->was == path->is)
      continue;
    folded.paths++;
    folded.routes += i == 0 || paths->data[i - 1].is != path->is;
    folded.example = path->was;
  }
  return folded;
}

static void apply(struct event_log *log, const path_list *paths) {
  uint32_t *folded = mem_alloc(log->names.texts.count, sizeof *folded);
  for (size_t i = 0; i < paths->count; i++)
    folded[paths->data[i].was] = paths->data[i].is;
  for (size_t i = 0; i < log->requests.count; i++)
    if (!log->requests.data[i].is_pattern)
      log->requests.data[i].route = folded[log->requests.data[i].route];
  mem_free(folded);
}

struct event_folded event_routes_fold(struct event_log *log) {
  path_list paths = {0};
  struct event_folded folded = {0};
  list_paths(log, &paths);
  if (paths.count > ROUTE_VALUES_MOST) {
    fold_all(&log->names, paths.data, paths.count);
    qsort(paths.data, paths.count, sizeof *paths.data, compare_paths);
    folded = count_folded(&paths);
  }
  if (folded.paths != 0)
    apply(log, &paths);
  vector_clear(&paths);
  return folded;
}
