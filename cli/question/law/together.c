/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/law/together.h"

#include <string.h>

#include "base/hash.h"
#include "base/index.h"
#include "cli/question/law/laws.h"
#include "cli/question/law/request.h"
#include "dist/evaluate/evaluate.h"

struct reading {
  struct together *together;
  const struct expression_table *table;
  struct text *message;
};

static size_t root(const struct together *together, size_t id) {
  while (together->group.data[id] != id)
    id = together->group.data[id];
  return id;
}

static void join(struct together *together, size_t a, size_t b) {
  a = root(together, a);
  b = root(together, b);
  together->group.data[a < b ? b : a] = a < b ? a : b;
}

/* The length of the first name of a list: up to a comma that is in no parentheses. */
static size_t name_length(const char *list) {
  size_t length = 0;
  int depth = 0;
  for (; list[length] != '\0' && (list[length] != ',' || depth != 0); length++)
    depth +=
        (list[length] == '(' || list[length] == '[') - (list[length] == ')' || list[length] == ']');
  return length;
}

static bool is_called(const struct occurrence *occurrence, const char *name, size_t length) {
  return (strlen(occurrence->component) == length &&
          strncmp(occurrence->component, name, length) == 0) ||
         (strlen(occurrence->label) == length && strncmp(occurrence->label, name, length) == 0);
}

static bool is_listed(const struct occurrence *occurrence, const char *list) {
  for (const char *at = list;; at++) {
    size_t length = name_length(at);
    if (is_called(occurrence, at, length))
      return true;
    at += length;
    if (*at == '\0')
      return false;
  }
}

/* The components there are, each once. */
static void list_components(struct text *text, const struct expression_table *table) {
  for (size_t i = 0; i < table->occurrences.count; i++) {
    size_t before = 0;
    const char *name = table->occurrences.data[i]->component;
    while (strcmp(table->occurrences.data[before]->component, name) != 0)
      before++;
    if (before == i)
      text_format(text, "%s%s", i == 0 ? "" : ", ", name);
  }
}

static enum status check_names(const struct reading *r, const char *option, const char *list) {
  for (const char *at = list;; at++) {
    size_t length = name_length(at);
    bool found = false;
    for (size_t i = 0; i < r->table->occurrences.count && !found; i++)
      found = is_called(r->table->occurrences.data[i], at, length);
    if (!found) {
      text_format(r->message, "--%s %s: the bound has no occurrence of \"%.*s\"; give components (",
                  option, list, (int)length, at);
      list_components(r->message, r->table);
      text_append(r->message, ") or occurrences as `tailproof bound` prints them, with commas");
      return STATUS_USAGE;
    }
    at += length;
    if (*at == '\0')
      return STATUS_OK;
  }
}

static void join_all(const struct reading *r, const char *list) {
  size_t first = SIZE_MAX;
  for (size_t i = 0; i < r->table->occurrences.count; i++) {
    if (!is_listed(r->table->occurrences.data[i], list))
      continue;
    if (first == SIZE_MAX)
      first = i;
    join(r->together, first, i);
  }
}

/* Of one message, or, where a step is listed too, of one index. */
static bool belong(const struct occurrence *a, const struct occurrence *b, bool by_message) {
  bool same = a->index_count == b->index_count;
  for (size_t i = 0; i < a->index_count && same; i++)
    same = a->indices[i] == b->indices[i];
  if (by_message && same)
    same = a->message != NULL && b->message != NULL && strcmp(a->message, b->message) == 0;
  return same;
}

static bool lists_steps(const struct reading *r, const char *list) {
  for (size_t i = 0; i < r->table->occurrences.count; i++)
    if (r->table->occurrences.data[i]->message == NULL &&
        is_listed(r->table->occurrences.data[i], list))
      return true;
  return false;
}

static uint64_t hash_of(const struct occurrence *occurrence, bool by_message) {
  uint64_t hash = hash_string(0, by_message ? occurrence->message : NULL);
  for (size_t i = 0; i < occurrence->index_count; i++)
    hash = hash_word(hash, (uint64_t)occurrence->indices[i]);
  return hash;
}

static void join_each(const struct reading *r, const char *list) {
  bool by_message = !lists_steps(r, list);
  struct index index = {0}; /* of the first occurrences that belong together */
  for (size_t i = 0; i < r->table->occurrences.count; i++) {
    const struct occurrence *occurrence = r->table->occurrences.data[i];
    if (!is_listed(occurrence, list))
      continue;
    uint64_t hash = hash_of(occurrence, by_message);
    bool found = false;
    for (struct index_look look = index_look(&index, hash); !found && index_next(&look);) {
      found = belong(occurrence, r->table->occurrences.data[look.row], by_message);
      if (found)
        join(r->together, look.row, i);
    }
    if (!found)
      index_add(&index, hash, (uint32_t)i);
  }
  index_clear(&index);
}

static void join_table(const struct reading *r, const struct laws *laws, size_t table) {
  size_t first = SIZE_MAX;
  for (size_t i = 0; i < laws->by_occurrence.count; i++) {
    if (laws->entries.data[laws->by_occurrence.data[i]]->table != table)
      continue;
    first = first == SIZE_MAX ? i : first;
    join(r->together, first, i);
  }
}

static enum status read_groups(struct reading *r, const struct calculation_request *request,
                               struct ledger *ledger) {
  enum status status = STATUS_OK;
  for (size_t i = 0; i < request->together.count && status == STATUS_OK; i++) {
    const char *list = request->together.data[i];
    status = check_names(r, "together", list);
    if (status == STATUS_OK)
      join_all(r, list);
    ledger_note(ledger, LEDGER_DIST,
                "all occurrences of %s may depend on each other in any way (--together)", list);
  }
  for (size_t i = 0; i < request->together_each.count && status == STATUS_OK; i++) {
    const char *list = request->together_each.data[i];
    status = check_names(r, "together-each", list);
    if (status == STATUS_OK)
      join_each(r, list);
    ledger_note(ledger, LEDGER_DIST,
                "occurrences of %s of one %s may depend on each other in any way (--together-each)",
                list, lists_steps(r, list) ? "index" : "message");
  }
  return status;
}

enum status together_init(struct together *together, const struct calculation_request *request,
                          const struct expression_table *table, const struct laws *laws,
                          struct ledger *ledger, struct text *message) {
  *together = (struct together){0};
  for (size_t i = 0; i < table->occurrences.count; i++) {
    vector_push(&together->group, i);
    vector_push(&together->size, 0);
  }
  struct reading reading = {together, table, message};
  enum status status = read_groups(&reading, request, ledger);
  for (size_t t = 0; t < laws->tables.count && status == STATUS_OK; t++)
    join_table(&reading, laws, t);
  for (size_t i = 0; i < table->occurrences.count; i++) {
    together->group.data[i] = root(together, i);
    together->size.data[together->group.data[i]]++;
  }
  return status;
}

void together_clear(struct together *together) {
  vector_clear(&together->group);
  vector_clear(&together->size);
}

size_t together_group(void *context, const struct occurrence *occurrence) {
  const struct together *together = context;
  size_t group = together->group.data[occurrence->id];
  return together->size.data[group] < 2 ? GROUP_ALONE : group;
}
