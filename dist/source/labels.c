/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/source/labels.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

void labels_add_escaped(label_list *list, struct slice name, struct slice escaped) {
  struct text text;
  text_init(&text);
  text_append_bytes(&text, name.start, name.length);
  text_append(&text, "=\"");
  text_append_bytes(&text, escaped.start, escaped.length);
  text_append(&text, "\"");
  char *label = text_take(&text);
  vector_push(list, label);
}

static void append_escaped(struct text *text, struct slice value) {
  size_t from = 0;
  for (size_t i = 0; i < value.length; i++) {
    char c = value.start[i];
    if (c != '\n' && c != '"' && c != '\\')
      continue;
    text_append_bytes(text, value.start + from, i - from);
    text_append_bytes(text, "\\", 1);
    text_append_bytes(text, c == '\n' ? "n" : &c, 1);
    from = i + 1;
  }
  text_append_bytes(text, value.start + from, value.length - from);
}

void labels_add(label_list *list, struct slice name, struct slice value) {
  struct text escaped;
  text_init(&escaped);
  append_escaped(&escaped, value);
  labels_add_escaped(list, name, (struct slice){text_get(&escaped), escaped.length});
  text_clear(&escaped);
}

void labels_append(struct text *set, struct slice name, struct slice value) {
  if (set->length != 0)
    text_append_bytes(set, ",", 1);
  size_t start = set->length;
  text_append_bytes(set, name.start, name.length);
  for (size_t i = start; i < set->length; i++)
    if (!isalnum((unsigned char)set->data[i]) && set->data[i] != '.')
      set->data[i] = '_';
  text_append_bytes(set, "=\"", 2);
  append_escaped(set, value);
  text_append_bytes(set, "\"", 1);
}

static int compare_labels(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

char *labels_take(label_list *list) {
  struct text text;
  text_init(&text);
  text_append(&text, "");
  if (list->count > 1)
    qsort(list->data, list->count, sizeof *list->data, compare_labels);
  for (size_t i = 0; i < list->count; i++)
    text_format(&text, "%s%s", i == 0 ? "" : ",", list->data[i]);
  labels_clear(list);
  return text_take(&text);
}

void labels_clear(label_list *list) {
  for (size_t i = 0; i < list->count; i++)
    mem_free(list->data[i]);
  vector_clear(list);
}

/* --- the choice --- */

struct choice_scan {
  const char *at;
};

static void skip_blanks(struct choice_scan *scan) {
  while (*scan->at == ' ' || *scan->at == '\t')
    scan->at++;
}

static bool take(struct choice_scan *scan, const char *what) {
  skip_blanks(scan);
  size_t length = strlen(what);
  if (strncmp(scan->at, what, length) != 0)
    return false;
  scan->at += length;
  return true;
}

static struct slice take_name(struct choice_scan *scan, const char *others) {
  skip_blanks(scan);
  const char *start = scan->at;
  while (isalnum((unsigned char)*scan->at) ||
         (*scan->at != '\0' && strchr(others, *scan->at) != NULL))
    scan->at++;
  return (struct slice){start, (size_t)(scan->at - start)};
}

/* The value itself, owned. */
static char *unescape(struct slice escaped) {
  struct text text;
  text_init(&text);
  text_append(&text, "");
  for (size_t i = 0; i < escaped.length; i++) {
    bool escape = escaped.start[i] == '\\' && i + 1 < escaped.length;
    const char *c = &escaped.start[escape ? ++i : i];
    text_append_bytes(&text, escape && *c == 'n' ? "\n" : c, 1);
  }
  return text_take(&text);
}

/* Whether POSIX and Prometheus mean the same by it: no escape but of what is special, none within
 * brackets, no group with a question mark and no repetition that takes little. */
static bool is_common(const char *expression) {
  bool within = false;
  for (const char *c = expression; *c != '\0'; c++) {
    if (*c == '\\') {
      if (within || c[1] == '\0' || strchr(".^$*+?()[]{}|\\-/", *++c) == NULL)
        return false;
      continue;
    }
    if (!within && strchr("(+}", *c) != NULL && c[1] == '?')
      return false;
    within = within ? *c != ']' : *c == '[';
  }
  return true;
}

static bool compile(struct label_match *match) {
  struct text whole;
  text_init(&whole);
  char *expression = unescape((struct slice){match->value, strlen(match->value)});
  text_format(&whole, "^(%s)$", expression);
  match->regular = is_common(expression) &&
                   regcomp(&match->expression, text_get(&whole), REG_EXTENDED | REG_NOSUB) == 0;
  mem_free(expression);
  text_clear(&whole);
  return match->regular;
}

static bool take_match(struct label_choice *selection, struct choice_scan *scan) {
  struct slice name = take_name(scan, "_.");
  struct label_match match = {.not = false};
  if (name.length == 0)
    return false;
  bool regular = take(scan, "=~");
  match.not = !regular && (take(scan, "!=") || (regular = take(scan, "!~")));
  if (!regular && !match.not &&!take(scan, "="))
    return false;
  if (!take(scan, "\""))
    return false;
  const char *start = scan->at;
  while (*scan->at != '"' && *scan->at != '\0')
    scan->at += *scan->at == '\\' && scan->at[1] != '\0' ? 2 : 1;
  if (*scan->at == '\0')
    return false;
  match.name = mem_copy_text(name.start, name.length);
  match.value = mem_copy_text(start, (size_t)(scan->at++ - start));
  bool good = !regular || compile(&match);
  vector_push(&selection->matches, match);
  return good;
}

static bool take_matches(struct label_choice *selection, struct choice_scan *scan) {
  if (!take(scan, "{"))
    return selection->metric != NULL;
  while (!take(scan, "}"))
    if (!take_match(selection, scan) || (!take(scan, ",") && *scan->at != '}'))
      return false;
  return true;
}

bool selection_parse(struct label_choice *selection, const char *text) {
  struct choice_scan scan = {text};
  *selection = (struct label_choice){0};
  struct slice name = take_name(&scan, "_:.");
  metric_ends_in(name, "_bucket", &name);
  if (name.length != 0)
    selection->metric = mem_copy_text(name.start, name.length);
  bool good = take_matches(selection, &scan);
  skip_blanks(&scan);
  if (good && *scan.at == '\0')
    return true;
  selection_clear(selection);
  return false;
}

void selection_clear(struct label_choice *selection) {
  mem_free(selection->metric);
  for (size_t i = 0; i < selection->matches.count; i++) {
    struct label_match *match = &selection->matches.data[i];
    mem_free(match->name);
    mem_free(match->value);
    if (match->regular)
      regfree(&match->expression);
  }
  vector_clear(&selection->matches);
}

struct slice labels_value(const char *labels, const char *name) {
  size_t length = strlen(name);
  while (*labels != '\0') {
    bool found = strncmp(labels, name, length) == 0 && labels[length] == '=';
    const char *start = strchr(labels, '"') + 1, *end = start;
    while (*end != '"')
      end += *end == '\\' ? 2 : 1;
    if (found)
      return (struct slice){start, (size_t)(end - start)};
    labels = end + 1;
    labels += *labels == ',';
  }
  return (struct slice){"", 0};
}

static bool matches(const struct label_match *match, struct slice escaped) {
  if (!match->regular)
    return slice_is(escaped, match->value);
  char *value = unescape(escaped);
  bool found = regexec(&match->expression, value, 0, NULL, 0) == 0;
  mem_free(value);
  return found;
}

bool selection_takes(const struct label_choice *selection, const char *labels) {
  for (size_t i = 0; i < selection->matches.count; i++) {
    const struct label_match *match = &selection->matches.data[i];
    if (matches(match, labels_value(labels, match->name)) == match->not )
      return false;
  }
  return true;
}

bool metric_ends_in(struct slice name, const char *suffix, struct slice *base) {
  size_t length = strlen(suffix);
  if (name.length <= length || memcmp(name.start + name.length - length, suffix, length) != 0)
    return false;
  *base = (struct slice){name.start, name.length - length};
  return true;
}
