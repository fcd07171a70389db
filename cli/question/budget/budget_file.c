/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/budget/budget_file.h"

#include <inttypes.h>
#include <string.h>

#include "base/digest.h"
#include "base/duration.h"
#include "base/file.h"
#include "base/memory.h"
#include "cli/question/budget/budget.h"
#include "lang/source.h"
#include "measure/yaml/tree.h"

enum { BYTES_MOST = 1 << 20 };

/* --- reading ---------------------------------------------------------------------------------- */

struct budget_reading {
  struct budget_file *file;
  const char *path;
  const struct asker *asker;
};

static enum status fail_at(const struct budget_reading *r, const struct tree_node *at,
                           const char *what) {
  return asker_fail(r->asker, STATUS_DATA, "%s:%u: %s", r->path,
                    at->key != NULL ? at->key_line : at->line, what);
}

static enum status read_text(const struct budget_reading *r, const char *key, const char **value) {
  const struct tree_node *node = tree_find(r->file->tree, key);
  if (node == NULL)
    return asker_fail(r->asker, STATUS_DATA,
                      "%s: there is no `%s`; `tailproof budget --out FILE` writes whole files",
                      r->path, key);
  if (node->kind != TREE_TEXT)
    return fail_at(r, node, "give one value");
  *value = node->text;
  return STATUS_OK;
}

static enum status read_settings(const struct budget_reading *r, const char *key, settings *list) {
  const struct tree_node *node = tree_find(r->file->tree, key);
  if (node == NULL)
    return STATUS_OK;
  if (node->kind != TREE_MAPPING)
    return fail_at(r, node, "give a mapping, NAME: VALUE");
  for (size_t i = 0; i < node->count; i++) {
    const struct tree_node *item = node->items[i];
    if (item->kind != TREE_TEXT)
      return fail_at(r, item, "give one value");
    vector_push(list, (struct setting){item->key, item->text});
  }
  return STATUS_OK;
}

static enum status read_keys(const struct budget_reading *r) {
  static const char *const known[] = {"budget", "protocol", "digest",     "bound", "objective",
                                      "set",    "groups",   "dependence", "each",  "promises"};
  for (size_t i = 0; i < r->file->tree->count; i++) {
    bool found = false;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
      found |= strcmp(known[k], r->file->tree->items[i]->key) == 0;
    if (!found)
      return fail_at(r, r->file->tree->items[i],
                     "no such key in a budget; there are budget, protocol, digest, bound, "
                     "objective, set, groups, dependence, each and promises");
  }
  return STATUS_OK;
}

static enum status read_values(const struct budget_reading *r) {
  struct budget_file *file = r->file;
  const char *version = NULL, *dependence = NULL;
  enum status status = read_keys(r);
  if (status == STATUS_OK)
    status = read_text(r, "budget", &version);
  if (status == STATUS_OK && strcmp(version, "1") != 0)
    status = fail_at(r, tree_find(file->tree, "budget"),
                     "a budget of another version; this program reads version 1");
  const struct {
    const char *key, **value;
  } wanted[] = {{"protocol", &file->protocol},
                {"digest", &file->digest},
                {"bound", &file->bound},
                {"objective", &file->objective},
                {"dependence", &dependence}};
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted && status == STATUS_OK; i++)
    status = read_text(r, wanted[i].key, wanted[i].value);
  file->independent = dependence != NULL && strcmp(dependence, "independent") == 0;
  if (status == STATUS_OK && !file->independent && strcmp(dependence, "unknown") != 0)
    status = fail_at(r, tree_find(file->tree, "dependence"), "it is unknown or independent");
  file->each = tree_find(file->tree, "each") != NULL;
  if (status == STATUS_OK)
    status = read_settings(r, "set", &file->set);
  if (status == STATUS_OK)
    status = read_settings(r, "groups", &file->groups);
  if (status == STATUS_OK)
    status = read_settings(r, "promises", &file->promises);
  if (status == STATUS_OK && file->promises.count == 0)
    status = asker_fail(r->asker, STATUS_DATA, "%s: there are no promises in it", r->path);
  return status;
}

enum status budget_file_read(struct budget_file *file, const char *path,
                             const struct asker *asker) {
  *file = (struct budget_file){0};
  char *bytes = NULL, line[256] = "";
  size_t length = 0;
  struct text message;
  text_init(&message);
  enum status status = file_read(path, BYTES_MOST, &bytes, &length, &message);
  if (status != STATUS_OK) {
    asker_fail(asker, status, "%s", text_get(&message));
    text_clear(&message);
    return status;
  }
  text_clear(&message);
  file->tree = tree_parse(bytes, length, line, sizeof line);
  mem_free(bytes);
  if (file->tree == NULL)
    return asker_fail(asker, STATUS_DATA, "%s: %s", path, line);
  return read_values(&(struct budget_reading){file, path, asker});
}

void budget_file_clear(struct budget_file *file) {
  vector_clear(&file->set);
  vector_clear(&file->groups);
  vector_clear(&file->promises);
  tree_free(file->tree);
}

/* --- writing ---------------------------------------------------------------------------------- */

/* In quotes, whatever is in it. */
static void quote(struct text *text, const char *value) {
  text_append(text, "'");
  for (; *value != '\0'; value++)
    text_format(text, *value == '\'' ? "''" : "%c", *value);
  text_append(text, "'");
}

static void put_settings(struct text *text, const char *key, const settings *list) {
  if (list->count == 0)
    return;
  text_format(text, "%s:\n", key);
  for (size_t i = 0; i < list->count; i++) {
    text_append(text, "  ");
    quote(text, list->data[i].name);
    text_append(text, ": ");
    quote(text, list->data[i].value);
    text_append(text, "\n");
  }
}

void decimal_print(struct text *text, uint64_t x, int places) {
  uint64_t unit = 1;
  for (int i = 0; i < places; i++)
    unit *= 10;
  text_format(text, "%" PRIu64, x / unit);
  uint64_t rest = x % unit;
  if (rest == 0)
    return;
  text_append(text, ".");
  for (; rest != 0; rest %= unit) {
    unit /= 10;
    text_format(text, "%" PRIu64, rest / unit);
  }
}

void promise_print(struct text *text, const struct promise *promise) {
  text_append(text, "p");
  decimal_print(text, SURVIVAL_ONE - promise->miss, 16);
  text_append(text, "<=");
  int exponent = 9;
  for (uint64_t unit = 1000000000; exponent > 0 && promise->limit_ns < unit; unit /= 1000)
    exponent -= 3;
  decimal_print(text, promise->limit_ns, exponent);
  text_append(text, unit_name(exponent));
}

enum status budget_file_write(const char *path, const struct budget *b, struct text *message) {
  struct text text;
  char digest[DIGEST_LENGTH + 1];
  const struct source *source = b->calculation.protocol.source;
  digest_bytes(digest, source->bytes, source->length);
  text_init(&text);
  text_append(&text,
              "# Promises of parts that suffice for an objective of the whole. Of one part: "
              "tailproof budget\n# --check FILE --component NAME --data MEASUREMENTS; of the "
              "whole: --check FILE PROTOCOL.\nbudget: 1\nprotocol: ");
  const char *slash = strrchr(b->request->of.path, '/');
  quote(&text, slash == NULL ? b->request->of.path : slash + 1);
  text_format(&text, "\ndigest: '%s'\nbound: ", digest);
  quote(&text, b->calculation.bound->name);
  text_append(&text, "\nobjective: ");
  quote(&text, b->slos.data[0].text);
  text_format(&text, "\ndependence: %s\n", b->request->independent ? "independent" : "unknown");
  if (b->request->each)
    text_append(&text, "each: yes\n");
  put_settings(&text, "set", &b->request->of.set);
  put_settings(&text, "groups", &b->request->groups);
  text_append(&text, "promises:\n");
  for (size_t g = 0; g < b->parts.count; g++) {
    if (b->parts.data[g].promise.miss >= SURVIVAL_ONE) /* nothing is needed of it */
      continue;
    text_append(&text, "  ");
    quote(&text, b->parts.data[g].name);
    text_append(&text, ": ");
    promise_print(&text, &b->parts.data[g].promise);
    for (size_t i = 0; i < b->parts.data[g].also.count; i++) {
      text_append(&text, ", ");
      promise_print(&text, &b->parts.data[g].also.data[i]);
    }
    text_append(&text, "\n");
  }
  enum status status = file_write(path, text.data, text.length, message);
  text_clear(&text);
  return status;
}
