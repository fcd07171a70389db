/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/law/span_map.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "measure/yaml/load.h"
#include "measure/yaml/tree.h"

struct parsing {
  const char *path;
  struct text *message;
  char place[512]; /* what is wrong, with its line */
};

static struct slice trimmed(struct slice text) {
  while (text.length > 0 && text.start[0] == ' ')
    text = (struct slice){text.start + 1, text.length - 1};
  while (text.length > 0 && text.start[text.length - 1] == ' ')
    text.length--;
  return text;
}

static bool begins(struct slice *text, const char *word) {
  size_t length = strlen(word);
  if (text->length <= length || memcmp(text->start, word, length) != 0)
    return false;
  *text = trimmed((struct slice){text->start + length, text->length - length});
  return true;
}

static bool ends(struct slice *text, const char *word) {
  size_t length = strlen(word);
  if (text->length <= length || memcmp(text->start + text->length - length, word, length) != 0)
    return false;
  *text = trimmed((struct slice){text->start, text->length - length});
  return true;
}

/* " [k]" or " [2]" behind a name. */
static bool take_number(struct span_name *name, struct slice *text) {
  size_t open = text->length;
  while (open > 0 && text->start[open - 1] != '[')
    open--;
  if (text->length < 4 || text->start[text->length - 1] != ']' || open < 2 ||
      text->start[open - 2] != ' ')
    return true;
  struct slice inside = {text->start + open, text->length - open - 1};
  name->each = inside.length == 1 && inside.start[0] == 'k';
  name->last = inside.length == 4 && memcmp(inside.start, "last", 4) == 0;
  for (size_t i = 0; i < inside.length && !name->each && !name->last; i++) {
    if (!isdigit((unsigned char)inside.start[i]) || name->number > 1000000)
      return false;
    name->number = 10 * name->number + (uint32_t)(inside.start[i] - '0');
  }
  *text = trimmed((struct slice){text->start, open - 1});
  return name->each || name->last || name->number > 0;
}

static bool take_name(struct span_name *name, struct slice text, struct parsing *parsing,
                      const struct tree_node *node) {
  static const struct {
    const char *word;
    enum span_kind kind;
  } kinds[] = {{"client ", SPAN_CLIENT},
               {"server ", SPAN_SERVER},
               {"internal ", SPAN_INTERNAL},
               {"producer ", SPAN_PRODUCER},
               {"consumer ", SPAN_CONSUMER}};
  text = trimmed(text);
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds && name->kind == SPAN_UNKNOWN; i++)
    if (begins(&text, kinds[i].word))
      name->kind = kinds[i].kind;
  if (!take_number(name, &text))
    return tree_complain(parsing->place, sizeof parsing->place, node,
                         "\"%s\": in brackets stands which of several spans is meant, [1] the "
                         "first by its start, [last], or [k]",
                         node->text);
  const char *slash = memchr(text.start, '/', text.length);
  if (slash == NULL || slash == text.start || slash + 1 == text.start + text.length)
    return tree_complain(parsing->place, sizeof parsing->place, node,
                         "\"%s\": write a span as SERVICE/OPERATION", node->text);
  name->service = mem_copy_text(text.start, (size_t)(slash - text.start));
  name->operation = mem_copy_text(slash + 1, text.length - (size_t)(slash + 1 - text.start));
  return true;
}

static bool take_moment(struct span_name *name, enum span_moment *moment, struct slice text,
                        struct parsing *parsing, const struct tree_node *node) {
  text = trimmed(text);
  if (ends(&text, " start"))
    *moment = SPAN_STARTS;
  else if (ends(&text, " end"))
    *moment = SPAN_ENDS;
  else
    return tree_complain(parsing->place, sizeof parsing->place, node,
                         "\"%s\": say of both spans whether their start or their end is meant, as "
                         "in web/ask start -> pay/charge start",
                         node->text);
  return take_name(name, text, parsing, node);
}

static const char *find_arrow(struct slice text) {
  for (size_t i = 0; i + 4 <= text.length; i++)
    if (memcmp(text.start + i, " -> ", 4) == 0)
      return text.start + i;
  return NULL;
}

static bool take_term(struct span_occurrence *occurrence, struct parsing *parsing,
                      const struct tree_node *node) {
  vector_push(&occurrence->terms, (struct span_term){.to_moment = SPAN_ENDS});
  struct span_term *term = &occurrence->terms.data[occurrence->terms.count - 1];
  if (node->kind != TREE_TEXT)
    return tree_complain(parsing->place, sizeof parsing->place, node,
                         "write one span, or one moment -> another");
  struct slice text = trimmed((struct slice){node->text, strlen(node->text)});
  occurrence->maybe |= begins(&text, "maybe ");
  const char *arrow = find_arrow(text);
  bool taken;
  if (arrow != NULL) {
    term->part = SPAN_BETWEEN;
    struct slice left = {text.start, (size_t)(arrow - text.start)};
    struct slice right = {arrow + 4, text.length - left.length - 4};
    taken = take_moment(&term->from, &term->from_moment, left, parsing, node) &&
            take_moment(&term->to, &term->to_moment, right, parsing, node);
  } else {
    term->part = begins(&text, "own ")      ? SPAN_OWN
                 : begins(&text, "before ") ? SPAN_BEFORE
                                            : SPAN_WHOLE;
    taken =
        take_name(&term->from, text, parsing, node) && take_name(&term->to, text, parsing, node);
  }
  occurrence->each |= term->from.each || term->to.each;
  return taken;
}

/* Whether the letter k stands in the name as a word. */
static bool is_k(const char *name, size_t i) {
  return name[i] == 'k' && i > 0 && !isalnum((unsigned char)name[i - 1]) && name[i - 1] != '_' &&
         !isalnum((unsigned char)name[i + 1]) && name[i + 1] != '_';
}

static bool has_k(const char *name) {
  for (size_t i = 0; name[i] != '\0'; i++)
    if (is_k(name, i))
      return true;
  return false;
}

static bool take_occurrence(struct span_map *map, struct parsing *parsing,
                            const struct tree_node *node) {
  vector_push(&map->occurrences,
              (struct span_occurrence){.name = mem_copy_text(node->key, strlen(node->key)),
                                       .line = node->line});
  struct span_occurrence *occurrence = &map->occurrences.data[map->occurrences.count - 1];
  bool taken = true;
  if (node->kind == TREE_LIST)
    for (size_t i = 0; i < node->count && taken; i++)
      taken = take_term(occurrence, parsing, node->items[i]);
  else
    taken = take_term(occurrence, parsing, node);
  if (taken && occurrence->terms.count == 0)
    return tree_complain(parsing->place, sizeof parsing->place, node, "%s is an empty list",
                         node->key);
  if (taken && occurrence->each != has_k(node->key))
    return tree_complain(parsing->place, sizeof parsing->place, node,
                         "%s: k stands on both sides, as in Fetch[k]: item/get [k], or on none",
                         node->key);
  return taken;
}

static bool take_map(struct span_map *map, struct parsing *parsing, const struct tree_node *root) {
  const struct tree_node *request = tree_find(root, "request");
  const struct tree_node *occurrences = tree_find(root, "occurrences");
  for (size_t i = 0; i < root->count; i++)
    if (root->items[i] != request && root->items[i] != occurrences)
      return tree_complain(parsing->place, sizeof parsing->place, root->items[i],
                           "unknown key \"%s\"; known are request and occurrences",
                           root->items[i]->key);
  if (request != NULL) {
    struct span_name name = {0};
    if (request->kind != TREE_TEXT)
      return tree_complain(parsing->place, sizeof parsing->place, request,
                           "request is a span: SERVICE/OPERATION");
    bool taken =
        take_name(&name, (struct slice){request->text, strlen(request->text)}, parsing, request);
    map->service = name.service;
    map->operation = name.operation;
    if (!taken)
      return false;
  }
  if (occurrences == NULL || occurrences->kind != TREE_MAPPING || occurrences->count == 0)
    return tree_complain(parsing->place, sizeof parsing->place, root,
                         "there are no occurrences; write them as in \"occurrences:\", and below "
                         "it \"  Handle: own pay/charge\"");
  for (size_t i = 0; i < occurrences->count; i++)
    if (!take_occurrence(map, parsing, occurrences->items[i]))
      return false;
  return true;
}

bool span_map_read(struct span_map *map, const char *path, struct text *message) {
  struct parsing parsing = {.path = path, .message = message};
  char *bytes = NULL;
  size_t length = 0;
  *map = (struct span_map){0};
  int error = shaped_read_file(&bytes, &length, path);
  if (error != 0) {
    text_format(message, "%s: cannot be read: %s", path, strerror(error));
    free(bytes);
    return false;
  }
  struct tree_node *root = tree_parse(bytes, length, parsing.place, sizeof parsing.place);
  bool taken = root != NULL && take_map(map, &parsing, root);
  if (!taken)
    text_format(message, "%s: %s", path, parsing.place);
  tree_free(root);
  free(bytes);
  return taken;
}

static void name_clear(struct span_name *name) {
  mem_free(name->service);
  mem_free(name->operation);
}

void span_map_keep_request(struct span_map *map) {
  for (size_t i = 0; i < map->occurrences.count; i++) {
    struct span_occurrence *occurrence = &map->occurrences.data[i];
    for (size_t t = 0; t < occurrence->terms.count; t++) {
      name_clear(&occurrence->terms.data[t].from);
      name_clear(&occurrence->terms.data[t].to);
    }
    vector_clear(&occurrence->terms);
    mem_free(occurrence->name);
  }
  vector_clear(&map->occurrences);
}

void span_map_clear(struct span_map *map) {
  span_map_keep_request(map);
  mem_free(map->service);
  mem_free(map->operation);
}

void span_occurrence_say(struct text *text, const struct span_occurrence *occurrence, uint32_t k) {
  for (size_t i = 0; occurrence->name[i] != '\0'; i++)
    if (occurrence->each && is_k(occurrence->name, i))
      text_format(text, "%u", k);
    else
      text_append_bytes(text, &occurrence->name[i], 1);
}
