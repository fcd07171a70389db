/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/span/json_tree.h"

#include <string.h>

enum { DEEP = 200 }; /* what is nested more deeply is passed over */

void json_tree_clear(struct json_tree *tree) {
  vector_clear(&tree->nodes);
  vector_clear(&tree->open);
}

/* ---- reading */

static uint32_t add_node(struct json_tree *tree, uint32_t around, enum json_tree_kind kind) {
  vector_push(&tree->nodes,
              (struct json_node){
                  .first = TREE_NONE, .next = TREE_NONE, .around = around, .kind = (uint8_t)kind});
  return (uint32_t)(tree->nodes.count - 1);
}

/* A scalar is taken, of all else the beginning; what is too deep is skipped. */
static bool take_value(struct json_tree *tree, struct json_scan *scan, uint32_t node) {
  char c = scan_peek(scan);
  struct json_node *taken = &tree->nodes.data[node];
  bool nests = (c == '{' || c == '[') && tree->open.count < 2 * DEEP;
  if (!nests) {
    struct slice text = {"", 0};
    bool is_null = c == 'n';
    if (!scan_scalar(scan, &text, NULL))
      return false;
    taken->text = is_null ? (struct slice){"", 0} : text;
    return true;
  }
  taken->kind = c == '{' ? TREE_OBJECT : TREE_LIST;
  vector_push(&tree->open, node);
  vector_push(&tree->open, TREE_NONE);
  return scan_enter(scan, c);
}

/* The next member or item of what was entered last, or its end. */
static bool take_next(struct json_tree *tree, struct json_scan *scan) {
  uint32_t around = tree->open.data[tree->open.count - 2];
  uint32_t last = tree->open.data[tree->open.count - 1];
  struct slice key = {"", 0};
  bool more = tree->nodes.data[around].kind == TREE_OBJECT ? scan_key(scan, &key) : scan_item(scan);
  if (!more) {
    tree->open.count -= 2;
    return scan_good(scan);
  }
  uint32_t node = add_node(tree, around, TREE_SCALAR);
  tree->nodes.data[node].key = key;
  if (last == TREE_NONE)
    tree->nodes.data[around].first = node;
  else
    tree->nodes.data[last].next = node;
  tree->open.data[tree->open.count - 1] = node;
  return take_value(tree, scan, node);
}

bool json_tree_take(struct json_tree *tree, struct json_scan *scan, uint32_t around,
                    uint32_t *root) {
  tree->open.count = 0;
  *root = add_node(tree, around, TREE_SCALAR);
  bool good = take_value(tree, scan, *root);
  while (good && tree->open.count != 0)
    good = take_next(tree, scan);
  return good && scan_good(scan);
}

/* ---- asking */

static uint32_t member(const struct json_tree *tree, uint32_t node, struct slice key) {
  for (uint32_t i = tree->nodes.data[node].first; i != TREE_NONE; i = tree->nodes.data[i].next)
    if (slice_same(tree->nodes.data[i].key, key))
      return i;
  return TREE_NONE;
}

static uint32_t named(const struct json_tree *tree, uint32_t node, const char *key) {
  return member(tree, node, (struct slice){key, strlen(key)});
}

bool json_tree_pair(const struct json_tree *tree, uint32_t node, struct slice *key,
                    uint32_t *value) {
  static const char *const values[] = {"value", "Value", "vStr", "vBool", "vLong", "vDouble"};
  uint32_t at = tree->nodes.data[node].first;
  if (tree->nodes.data[node].kind == TREE_LIST && at != TREE_NONE) { /* ["key", "value"] */
    *key = tree->nodes.data[at].text;
    *value = tree->nodes.data[at].next;
    return tree->nodes.data[at].kind == TREE_SCALAR && *value != TREE_NONE &&
           tree->nodes.data[*value].next == TREE_NONE;
  }
  if (tree->nodes.data[node].kind != TREE_OBJECT)
    return false;
  at = named(tree, node, "key");
  at = at == TREE_NONE ? named(tree, node, "Key") : at;
  if (at == TREE_NONE || tree->nodes.data[at].kind != TREE_SCALAR)
    return false;
  *key = tree->nodes.data[at].text;
  *value = TREE_NONE;
  for (size_t i = 0; i < sizeof values / sizeof *values && *value == TREE_NONE; i++)
    *value = named(tree, node, values[i]);
  return *value != TREE_NONE;
}

static uint32_t find_pair(const struct json_tree *tree, uint32_t list, struct slice path) {
  for (uint32_t i = tree->nodes.data[list].first; i != TREE_NONE; i = tree->nodes.data[i].next) {
    struct slice key;
    uint32_t value;
    if (json_tree_pair(tree, i, &key, &value) && slice_same(key, path))
      return value;
  }
  return TREE_NONE;
}

static struct slice behind(struct slice path, size_t length) {
  return (struct slice){path.start + length, path.length - length};
}

/* `b=c` of an item. */
static bool holds(const struct json_tree *tree, uint32_t node, struct slice condition) {
  const char *equals = memchr(condition.start, '=', condition.length);
  if (equals == NULL)
    return false;
  size_t length = (size_t)(equals - condition.start);
  uint32_t found = json_tree_find(tree, node, (struct slice){condition.start, length});
  return found != TREE_NONE &&
         slice_same(json_tree_text(tree, found), behind(condition, length + 1));
}

/* Behind "[" of a path: the items that fulfil what is within. */
static uint32_t find_chosen(const struct json_tree *tree, uint32_t node, struct slice path) {
  const char *end = memchr(path.start, ']', path.length);
  if (end == NULL || tree->nodes.data[node].kind != TREE_LIST)
    return TREE_NONE;
  struct slice condition = {path.start, (size_t)(end - path.start)};
  struct slice rest = behind(path, condition.length + 1);
  if (rest.length != 0)
    rest = behind(rest, 1);
  for (uint32_t i = tree->nodes.data[node].first; i != TREE_NONE; i = tree->nodes.data[i].next) {
    uint32_t found = holds(tree, i, condition) ? json_tree_find(tree, i, rest) : TREE_NONE;
    if (found != TREE_NONE)
      return found;
  }
  return TREE_NONE;
}

static uint32_t find_in_object(const struct json_tree *tree, uint32_t node, struct slice path) {
  uint32_t found = member(tree, node, path);
  for (size_t i = 1; i < path.length && found == TREE_NONE; i++) {
    if (path.start[i] != '.' && path.start[i] != '[')
      continue;
    uint32_t within = member(tree, node, (struct slice){path.start, i});
    if (within != TREE_NONE)
      found = path.start[i] == '.' ? json_tree_find(tree, within, behind(path, i + 1))
                                   : find_chosen(tree, within, behind(path, i + 1));
  }
  return found;
}

/* Paths are as short as what people write, so that this is no deep recursion; lists in lists add to
 * it, which are at most DEEP. */
uint32_t json_tree_find(const struct json_tree *tree, uint32_t node, struct slice path) {
  const struct json_node *from = &tree->nodes.data[node];
  if (path.length == 0)
    return node;
  if (from->kind == TREE_OBJECT)
    return find_in_object(tree, node, path);
  if (from->kind != TREE_LIST)
    return TREE_NONE;
  uint32_t found = find_pair(tree, node, path);
  for (uint32_t i = from->first; i != TREE_NONE && found == TREE_NONE; i = tree->nodes.data[i].next)
    found = json_tree_find(tree, i, path);
  return found;
}

static bool ends_in_value(struct slice key) {
  static const char *const ends[] = {"Value", "_value", "value"};
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    size_t length = strlen(ends[i]);
    if (key.length >= length && memcmp(key.start + key.length - length, ends[i], length) == 0)
      return true;
  }
  return false;
}

struct slice json_tree_text(const struct json_tree *tree, uint32_t node) {
  for (int depth = 0; depth < DEEP && node != TREE_NONE; depth++) {
    const struct json_node *at = &tree->nodes.data[node];
    if (at->kind == TREE_SCALAR)
      return at->text;
    node = at->first;
    while (at->kind == TREE_OBJECT && node != TREE_NONE &&
           !ends_in_value(tree->nodes.data[node].key))
      node = tree->nodes.data[node].next;
  }
  return (struct slice){"", 0};
}
