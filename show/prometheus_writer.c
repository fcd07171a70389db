/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A document as Prometheus collects it (document.h): its text format 0.0.4,
 * https://prometheus.io/docs/instrumenting/exposition_formats/.
 *
 * Each key that is a number is a metric, tailproof_KIND_KEY, in base units: times in seconds, to
 * the nanosecond, shares with the ending _ratio. Its labels are the keys that name the object. A
 * text that is one of a few words is a metric with the value 1 and the word as a label. Other texts
 * are left out. Of the ledger it is told how many assumptions of each level there are.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "show/document.h"
#include "show/value.h"

enum { NS_OF_SECOND = 1000000000 };

/* An object with the labels that name it. */
struct named {
  const struct objects *objects;
  size_t index;
  char *labels; /* a="1",b="2" */
};
typedef VECTOR(struct named) named_list;

/* --- labels ----------------------------------------------------------------------------------- */

/* What may stand in a name: points and the like become underscores. */
static void append_name(struct text *out, const char *name) {
  for (; *name != '\0'; name++)
    text_append_bytes(out, *name == '.' || *name == '-' ? "_" : name, 1);
}

static void append_label(struct text *out, const char *name, const char *value) {
  struct text clean;
  text_init(&clean);
  value_print_text(&clean, value);
  text_append(out, out->length == 0 ? "" : ",");
  append_name(out, name);
  text_append(out, "=\"");
  for (const char *at = text_get(&clean); *at != '\0'; at++)
    text_format(out, *at == '"' || *at == '\\' ? "\\%c" : "%c", *at);
  text_append(out, "\"");
  text_clear(&clean);
}

/* Whether a="1",b="2" has the label. */
static bool has_label(const char *labels, const char *name) {
  size_t length = strlen(name);
  for (const char *at = labels; (at = strstr(at, name)) != NULL; at++)
    if ((at == labels || at[-1] == ',') && strncmp(at + length, "=\"", 2) == 0)
      return true;
  return false;
}

/* A label; where the outer object has one of that name, behind the name of the list. */
static void add_label(struct text *labels, const char *list, const char *name, const char *value) {
  struct text own, full;
  text_init(&own);
  text_init(&full);
  append_name(&own, name);
  text_format(&full, "%s_%s", list, name);
  append_label(labels, has_label(text_get(labels), own.data) ? full.data : name, value);
  text_clear(&own);
  text_clear(&full);
}

/* `list`: the key of the list that holds the objects. */
static char *labels_of(const struct objects *objects, size_t index, const char *outer,
                       const char *list) {
  struct text labels;
  text_init(&labels);
  text_append(&labels, outer);
  for (size_t k = 0; k < objects->keys; k++) {
    const struct object_key *key = &objects->kind->keys[k];
    const struct object_value *value = &objects->items.data[index].values[k];
    struct text number;
    text_init(&number);
    if (!(key->marks & MARK_NAMES) || value->state == VALUE_ABSENT)
      continue;
    if (key->type == KEY_TEXT && value->state == VALUE_GIVEN)
      add_label(&labels, list, key->key, value->text);
    else if (key->type == KEY_FLAG && value->state == VALUE_GIVEN)
      add_label(&labels, list, key->key, value->flag ? "true" : "false");
    else if (value_print(&number, key, value, "inf"))
      add_label(&labels, list, key->key, number.data);
    text_clear(&number);
  }
  return text_take(&labels);
}

static int by_labels(const void *a, const void *b) {
  const struct named *x = *(const struct named *const *)a, *y = *(const struct named *const *)b;
  int order = strcmp(x->labels, y->labels);
  return order != 0 ? order : x < y ? -1 : x > y;
}

static void number_label(struct named *named, size_t number) {
  struct text labels;
  char digits[24];
  text_init(&labels);
  text_append(&labels, named->labels);
  snprintf(digits, sizeof digits, "%zu", number);
  append_label(&labels, "n", digits);
  mem_free(named->labels);
  named->labels = text_take(&labels);
}

/* Objects that nothing tells apart, also since what is never shown is blanked, get numbers. */
static void tell_apart(named_list *list) {
  struct named **order = mem_alloc(list->count, sizeof *order);
  for (size_t i = 0; i < list->count; i++)
    order[i] = &list->data[i];
  qsort(order, list->count, sizeof(struct named *), by_labels);
  for (size_t i = 0, end; i < list->count; i = end) {
    for (end = i + 1; end < list->count && strcmp(order[i]->labels, order[end]->labels) == 0;)
      end++;
    for (size_t k = i; k < end && end - i > 1; k++)
      if (k != i)
        number_label(order[k], k - i + 1);
    if (end - i > 1)
      number_label(order[i], 1);
  }
  mem_free(order);
}

static void gather(named_list *list, const struct objects *objects, const char *outer,
                   const char *key) {
  for (size_t i = 0; objects != NULL && i < objects->items.count; i++)
    if (object_is_answer(&objects->items.data[i]))
      vector_push(list, (struct named){objects, i, labels_of(objects, i, outer, key)});
}

static void clear(named_list *list) {
  for (size_t i = 0; i < list->count; i++)
    mem_free(list->data[i].labels);
  vector_clear(list);
}

/* --- metrics ---------------------------------------------------------------------------------- */

/* Where "ns" or "ms" stands as a word of the key; NULL: nowhere. */
static const char *unit_in(const char *key) {
  for (const char *at = key; (at = strchr(at, 's')) != NULL; at++) {
    if (at-- == key || (*at != 'n' && *at != 'm')) {
      at++;
      continue;
    }
    if ((at == key || strchr("_.", at[-1]) != NULL) && strchr("_.", at[2]) != NULL)
      return at;
    at++;
  }
  return NULL;
}

/* Whether it is a time: in whole ns, or with decimals in ns or ms. */
static bool is_time(const struct object_key *key) {
  return key->type == KEY_NS ||
         ((key->type == KEY_NUMBER || key->type == KEY_DECIMAL) && unit_in(key->key) != NULL);
}

static bool ends_in(const struct text *text, const char *end) {
  size_t length = strlen(end);
  return text->length >= length && strcmp(text->data + text->length - length, end) == 0;
}

/* In base units: "ns_of_slowest" is of_slowest_seconds. _count is of histograms alone. */
static void append_metric(struct text *out, const char *prefix, const struct object_key *key) {
  const char *unit = is_time(key) ? unit_in(key->key) : NULL;
  struct text name;
  text_init(&name);
  text_append_bytes(&name, key->key, unit == NULL ? strlen(key->key) : (size_t)(unit - key->key));
  if (unit != NULL)
    text_append(&name, unit[2] == '\0' ? "" : unit + 3);
  if (name.length != 0 && (ends_in(&name, "_") || ends_in(&name, ".")))
    name.data[name.length -= 1] = '\0';
  if (key->type == KEY_COUNT && ends_in(&name, ".count"))
    name.data[name.length -= strlen(".count")] = '\0';
  append_name(out, prefix);
  text_append(out, name.length == 0 ? "" : "_");
  append_name(out, text_get(&name));
  text_clear(&name);
  if (is_time(key) || (key->type == KEY_SECONDS && !ends_in(out, "seconds")))
    text_append(out, "_seconds");
  if (key->type == KEY_SHARE)
    text_append(out, "_ratio");
}

/* Nothing of a fraction. */
static void append_digits_as_seconds(struct text *out, const char *digits) {
  char *end;
  double number = strtod(digits, &end);
  if (end != digits && *end == '\0')
    text_format(out, "%.9g", number / NS_OF_SECOND);
}

static void append_number(struct text *out, const struct object_key *key,
                          const struct object_value *value) {
  if (key->type == KEY_NS && value->state == VALUE_GIVEN)
    text_format(out, "%s%" PRIu64 ".%09" PRIu64, value->negative ? "-" : "",
                value->magnitude / NS_OF_SECOND, value->magnitude % NS_OF_SECOND);
  else if (is_time(key) && key->type == KEY_DECIMAL && value->state == VALUE_GIVEN)
    append_digits_as_seconds(out, value->text);
  else if (is_time(key) && value->state == VALUE_GIVEN)
    text_format(out, "%.9g",
                value_number(key, value) / (*unit_in(key->key) == 'n' ? NS_OF_SECOND : 1000));
  else
    value_print(out, key, value, value->negative ? "Inf" : "+Inf");
}

/* "{a="1"} 2" of one object, if it has the key. */
static void append_sample(struct text *out, const char *metric, const struct object_key *key,
                          const struct named *named, const struct object_value *value) {
  struct text labels, number;
  text_init(&labels);
  text_init(&number);
  text_append(&labels, named->labels);
  if (key->type == KEY_TEXT && value->state == VALUE_GIVEN) {
    append_label(&labels, key->key, value->text);
    text_append(&number, "1");
  } else {
    append_number(&number, key, value);
  }
  if (number.length != 0)
    text_format(out, labels.length == 0 ? "%s%s %s\n" : "%s{%s} %s\n", metric, text_get(&labels),
                number.data);
  text_clear(&labels);
  text_clear(&number);
}

static void append_help(struct text *out, const char *metric, const struct object_kind *kind,
                        const struct object_key *key) {
  text_format(out, "# HELP %s %s of %s", metric, key->key, kind->name);
  for (const char *at = key->note == NULL ? "" : key->note; *at != '\0'; at++)
    text_format(out, *at == '\\' ? "%s\\\\" : "%s%c", at == key->note ? ": " : "", *at);
  text_format(out, "\n# TYPE %s gauge\n", metric);
}

static bool is_metric(const struct object_key *key) {
  return key->type < KEY_TEXTS && !(key->marks & MARK_NAMES) &&
         (key->type != KEY_TEXT || key->words != NULL);
}

static void append_family(struct text *out, const char *prefix, const struct object_kind *kind,
                          size_t number, const named_list *list) {
  const struct object_key *key = &kind->keys[number];
  struct text metric, samples;
  text_init(&metric);
  text_init(&samples);
  append_metric(&metric, prefix, key);
  for (size_t i = 0; i < list->count; i++) {
    const struct named *named = &list->data[i];
    append_sample(&samples, metric.data, key, named,
                  &named->objects->items.data[named->index].values[number]);
  }
  if (samples.length != 0) {
    append_help(out, metric.data, kind, key);
    text_append(out, samples.data);
  }
  text_clear(&metric);
  text_clear(&samples);
}

/* The metrics of a kind, then those of the lists inside of its objects. */
static void append_kind(struct text *out, const char *prefix, const struct object_kind *kind,
                        named_list *list) {
  tell_apart(list);
  for (size_t k = 0; kind->keys[k].key != NULL; k++)
    if (is_metric(&kind->keys[k]))
      append_family(out, prefix, kind, k, list);
  for (size_t k = 0; kind->keys[k].key != NULL; k++) {
    if (kind->keys[k].type != KEY_OBJECTS)
      continue;
    named_list inside = {0};
    struct text name;
    text_init(&name);
    text_format(&name, "%s_%s", prefix, kind->keys[k].key);
    for (size_t i = 0; i < list->count; i++)
      gather(&inside, list->data[i].objects->items.data[list->data[i].index].values[k].objects,
             list->data[i].labels, kind->keys[k].key);
    append_kind(out, name.data, kind->keys[k].objects, &inside);
    clear(&inside);
    text_clear(&name);
  }
}

static void append_ledger(struct text *out, const struct ledger *ledger) {
  text_append(out, "# HELP tailproof_assumptions what the answer rests on: lines of the ledger\n"
                   "# TYPE tailproof_assumptions gauge\n");
  for (enum ledger_level level = LEDGER_STANDARD; level <= LEDGER_WARNING; level++)
    text_format(out, "tailproof_assumptions{level=\"%s\"} %zu\n", ledger_level_name(level),
                ledger_count(ledger, level));
}

void document_write_prometheus(struct text *out, const struct document *document) {
  for (size_t i = 0; document->kinds[i] != NULL; i++) {
    if (document->kinds[i] == &assumption_kind)
      continue;
    named_list list = {0};
    struct text prefix;
    text_init(&prefix);
    text_format(&prefix, "tailproof_%s", document->kinds[i]->name);
    for (size_t b = 0; b < document->blocks.count; b++)
      if (document->blocks.data[b].kind == BLOCK_OBJECTS &&
          document->blocks.data[b].objects->kind == document->kinds[i])
        gather(&list, document->blocks.data[b].objects, "", "");
    append_kind(out, prefix.data, document->kinds[i], &list);
    text_clear(&prefix);
    clear(&list);
  }
  for (size_t b = 0; b < document->blocks.count; b++)
    if (document->blocks.data[b].kind == BLOCK_LEDGER)
      append_ledger(out, document->blocks.data[b].ledger);
}
