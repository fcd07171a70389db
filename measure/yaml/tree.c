/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/yaml/tree.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <yaml.h>

#include "base/memory.h"
#include "measure/yaml/value.h"

enum { DEPTH = 16 };

struct reading {
  yaml_parser_t parser;
  char *message;
  size_t size;
};

/* --- complaints --- */

static bool complain_at(struct reading *reading, size_t line, const char *what) {
  return value_complain(reading->message, reading->size, "line %zu: %s", line + 1, what);
}

bool tree_complain(char *message, size_t size, const struct tree_node *at, const char *format,
                   ...) {
  char rest[512];
  va_list values;
  va_start(values, format);
  vsnprintf(rest, sizeof rest, format, values);
  va_end(values);
  return value_complain(message, size, "line %u: %s", at->line, rest);
}

/* The next event; false after a complaint. */
static bool next(struct reading *reading, yaml_event_t *event) {
  if (yaml_parser_parse(&reading->parser, event))
    return true;
  char what[300];
  snprintf(what, sizeof what, "%s; indent with blanks, not tabs, and close quotes and brackets",
           reading->parser.problem != NULL ? reading->parser.problem : "is no YAML");
  return complain_at(reading, reading->parser.problem_mark.line, what);
}

/* --- nodes --- */

static char *copy(const yaml_event_t *event) {
  const char *bytes = (const char *)event->data.scalar.value;
  size_t length = event->data.scalar.length;
  return memchr(bytes, '\0', length) != NULL ? NULL : mem_copy_text(bytes, length);
}

static struct tree_node *node_new(enum tree_kind kind, const yaml_event_t *event) {
  struct tree_node *node = mem_alloc(1, sizeof *node);
  node->kind = kind;
  node->line = (unsigned)event->start_mark.line + 1;
  node->column = (unsigned)event->start_mark.column + 1;
  return node;
}

static void add(struct tree_node *parent, struct tree_node *node) {
  if ((parent->count & (parent->count + 1)) == 0) /* full: 0, 1, 3, 7, ... */
    parent->items = mem_resize(parent->items, 2 * parent->count + 1, sizeof(struct tree_node *));
  parent->items[parent->count++] = node;
}

void tree_free(struct tree_node *node) {
  if (node == NULL)
    return;
  for (size_t i = 0; i < node->count; i++)
    tree_free(node->items[i]);
  mem_free(node->items);
  mem_free(node->key);
  mem_free(node->text);
  mem_free(node);
}

const struct tree_node *tree_find(const struct tree_node *mapping, const char *key) {
  for (size_t i = 0; i < mapping->count; i++)
    if (mapping->items[i]->key != NULL && strcmp(mapping->items[i]->key, key) == 0)
      return mapping->items[i];
  return NULL;
}

/* --- the file --- */

static struct tree_node *read_node(struct reading *reading, const yaml_event_t *event,
                                   unsigned depth);

/* A key that the mapping has not yet; NULL after a complaint. */
static char *read_key(struct reading *reading, const struct tree_node *mapping,
                      const yaml_event_t *event) {
  if (event->type != YAML_SCALAR_EVENT) {
    complain_at(reading, event->start_mark.line, "a key is a word here, as in \"name: value\"");
    return NULL;
  }
  char *key = copy(event);
  const char *wrong = key == NULL                       ? "a key with a NUL in it; take it out"
                      : tree_find(mapping, key) != NULL ? "this key stands above already; keep one"
                                                        : NULL;
  if (wrong == NULL)
    return key;
  complain_at(reading, event->start_mark.line, wrong);
  mem_free(key);
  return NULL;
}

static bool read_entry(struct reading *reading, struct tree_node *parent, const yaml_event_t *first,
                       unsigned depth) {
  yaml_event_t event = *first;
  char *key = NULL;
  bool is_mapping = parent->kind == TREE_MAPPING;
  if (is_mapping) {
    key = read_key(reading, parent, first);
    if (key == NULL || !next(reading, &event)) {
      mem_free(key);
      return false;
    }
  }
  struct tree_node *node = read_node(reading, &event, depth);
  if (is_mapping)
    yaml_event_delete(&event);
  if (node == NULL) {
    mem_free(key);
    return false;
  }
  node->key = key;
  node->key_line = (unsigned)first->start_mark.line + 1;
  node->key_column = (unsigned)first->start_mark.column + 1;
  add(parent, node);
  return true;
}

static bool read_items(struct reading *reading, struct tree_node *parent, unsigned depth) {
  yaml_event_type_t end =
      parent->kind == TREE_MAPPING ? YAML_MAPPING_END_EVENT : YAML_SEQUENCE_END_EVENT;
  for (bool more = true; more;) {
    yaml_event_t event;
    if (!next(reading, &event))
      return false;
    more = event.type != end;
    bool read = !more || read_entry(reading, parent, &event, depth);
    yaml_event_delete(&event);
    if (!read)
      return false;
  }
  return true;
}

static struct tree_node *read_text(struct reading *reading, const yaml_event_t *event) {
  struct tree_node *node = node_new(TREE_TEXT, event);
  node->text = copy(event);
  if (node->text != NULL)
    return node;
  complain_at(reading, event->start_mark.line, "a value with a NUL in it; take it out");
  tree_free(node);
  return NULL;
}

static struct tree_node *read_node(struct reading *reading, const yaml_event_t *event,
                                   unsigned depth) {
  if (event->type == YAML_SCALAR_EVENT)
    return read_text(reading, event);
  if (event->type == YAML_ALIAS_EVENT) {
    complain_at(reading, event->start_mark.line, "an alias; write the value again instead");
    return NULL;
  }
  if (depth == DEPTH) {
    complain_at(reading, event->start_mark.line, "too many levels; 16 are enough for all keys");
    return NULL;
  }
  struct tree_node *node =
      node_new(event->type == YAML_MAPPING_START_EVENT ? TREE_MAPPING : TREE_LIST, event);
  if (read_items(reading, node, depth + 1))
    return node;
  tree_free(node);
  return NULL;
}

/* The root from the event that begins it, and that nothing follows. */
static struct tree_node *read_root(struct reading *reading, const yaml_event_t *event) {
  if (event->type != YAML_MAPPING_START_EVENT) {
    complain_at(reading, event->start_mark.line,
                event->type == YAML_STREAM_END_EVENT ? "the file is empty; give keys and values"
                                                     : "give keys and values, as in \"probes:\"");
    return NULL;
  }
  struct tree_node *root = read_node(reading, event, 0);
  yaml_event_t after;
  for (bool more = root != NULL; more;) {
    bool good = next(reading, &after);
    if (!good) {
      tree_free(root);
      return NULL;
    }
    more = after.type != YAML_STREAM_END_EVENT;
    if (after.type == YAML_DOCUMENT_START_EVENT) {
      complain_at(reading, after.start_mark.line, "a second document; keep one in the file");
      tree_free(root);
      root = NULL;
      more = false;
    }
    yaml_event_delete(&after);
  }
  return root;
}

struct tree_node *tree_parse(const char *bytes, size_t length, char *message, size_t size) {
  struct reading reading = {.message = message, .size = size};
  if (!yaml_parser_initialize(&reading.parser))
    bug("no memory for a parser");
  yaml_parser_set_input_string(&reading.parser, (const unsigned char *)bytes, length);
  struct tree_node *root = NULL;
  yaml_event_t event;
  bool good = true, begun = false;
  while (good && !begun) {
    good = next(&reading, &event);
    if (!good)
      break;
    begun = event.type != YAML_STREAM_START_EVENT && event.type != YAML_DOCUMENT_START_EVENT;
    if (begun)
      root = read_root(&reading, &event);
    yaml_event_delete(&event);
  }
  yaml_parser_delete(&reading.parser);
  return root;
}
