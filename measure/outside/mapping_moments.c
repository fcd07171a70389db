/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The moments of a mapping, and what the names in their conditions stand for.
 */
#include <stdlib.h>
#include <string.h>

#include "measure/outside/mapping_read.h"

static bool complain(struct mapping_reading *reading, const struct tree_node *at, const char *what,
                     const char *name) {
  return tree_complain(reading->message, reading->size, at, "%s: %s \"%s\"",
                       at->key == NULL ? "here" : at->key, what, name);
}

/* By the name alone; `[r]`, or nothing, must be as it was defined. */
static uint32_t find_moment(const struct outside_mapping *mapping, const char *name,
                            size_t length) {
  for (uint32_t i = 0; i < mapping->moment_count; i++)
    if (strlen(mapping->moments[i].name.text) == length &&
        strncmp(mapping->moments[i].name.text, name, length) == 0)
      return i;
  return MAPPING_NONE;
}

static bool named_moment(struct mapping_reading *reading, uint32_t *moment,
                         const struct tree_node *at, const char *text) {
  struct mapping_name name;
  if (!mapping_read_name(reading, &name, at, text))
    return false;
  *moment = find_moment(reading->mapping, name.text, strlen(name.text));
  if (*moment == MAPPING_NONE || name.index >= 0 ||
      name.of_member != reading->mapping->moments[*moment].name.of_member)
    return complain(reading, at, "there is no moment before this of the name", text);
  return true;
}

bool mapping_read_moment(struct mapping_reading *reading, uint32_t *moment,
                         const struct tree_node *mapping, const char *key) {
  const char *text = mapping_text(reading, mapping, key);
  return text != NULL && named_moment(reading, moment, tree_find(mapping, key), text);
}

bool mapping_read_chose(struct mapping_reading *reading, uint32_t *chose,
                        const struct tree_node *mapping, bool family) {
  *chose = MAPPING_NONE;
  if (tree_find(mapping, "chose") == NULL)
    return true;
  if (!mapping_read_moment(reading, chose, mapping, "chose"))
    return false;
  if (family && reading->mapping->moments[*chose].name.of_member)
    return true;
  return tree_complain(reading->message, reading->size, mapping,
                       "%s: chose names a moment of a family, such as got[r], of a step or message "
                       "with the member in brackets: Forward(r)",
                       mapping->key);
}

bool mapping_read_stretch(struct mapping_reading *reading, struct mapping_stretch *stretch,
                          const struct tree_node *mapping) {
  return mapping_read_moment(reading, &stretch->from, mapping, "from") &&
         mapping_read_moment(reading, &stretch->to, mapping, "to");
}

static uint32_t field_of(const struct outside_probe *probe, const char *name) {
  if (strcmp(name, "thread") == 0)
    return CONDITION_THREAD;
  if (strcmp(name, "process") == 0)
    return CONDITION_PROCESS;
  for (uint32_t i = 0; i < probe->field_count; i++)
    if (strcmp(probe->field[i].name, name) == 0)
      return i;
  return MAPPING_NONE;
}

static bool resolve_item(struct mapping_reading *reading, const struct tree_node *at,
                         struct mapping_moment *moment, struct condition_item *item) {
  uint32_t probe = moment->probe;
  item->moment_id = MAPPING_NONE;
  if (item->moment[0] != '\0') {
    item->moment_id = find_moment(reading->mapping, item->moment, strlen(item->moment));
    if (item->moment_id == MAPPING_NONE)
      return complain(reading, at, "there is no moment before this of the name", item->moment);
    const struct mapping_moment *other = &reading->mapping->moments[item->moment_id];
    if (other->kind != MAPPING_EVENT || other->name.of_member != item->of_member ||
        (item->of_member && !moment->name.of_member))
      return complain(
          reading, at,
          "has no fields, or is of a family (write it with the index of this one, as in "
          "'got[r]': {..., where: \"thread == took[r].thread\"}, quoted):",
          item->moment);
    probe = other->probe;
  }
  item->field_id = field_of(&reading->probes[probe], item->field);
  if (item->field_id == MAPPING_NONE && item->moment[0] == '\0' && strlen(item->field) == 1 &&
      !moment->name.of_member)
    return complain(reading, at, "a letter is a member's number, in moments of a family; not in",
                    moment->name.text);
  return item->field_id != MAPPING_NONE ||
         complain(reading, at, "its probe reads no field", item->field);
}

static bool resolve_sum(struct mapping_reading *reading, const struct tree_node *at,
                        struct mapping_moment *moment, struct condition_sum *sum) {
  for (size_t i = 0; i < sum->count; i++) {
    struct condition_item *item = &sum->items[i];
    if (item->member && !moment->name.of_member)
      return complain(reading, at, "`r` is a member's number, in moments of a family; not in",
                      moment->name.text);
    if (item->named && !resolve_item(reading, at, moment, item))
      return false;
  }
  return true;
}

static bool read_where(struct mapping_reading *reading, const struct tree_node *at,
                       struct mapping_moment *moment) {
  const struct tree_node *where = tree_find(at, "where");
  if (where == NULL)
    return true;
  char why[256] = "a condition is expected";
  if (where->kind != TREE_TEXT ||
      !condition_parse(&moment->where, where->text,
                       moment->name.of_member ? moment->name.letter : NULL, why, sizeof why))
    return tree_complain(reading->message, reading->size, where, "where: %s", why);
  for (size_t i = 0; i < moment->where.count; i++)
    if (!resolve_sum(reading, at, moment, &moment->where.comparisons[i].left) ||
        !resolve_sum(reading, at, moment, &moment->where.comparisons[i].right))
      return false;
  return true;
}

static bool is_yes(const struct tree_node *mapping, const char *key) {
  const struct tree_node *value = tree_find(mapping, key);
  return value != NULL && value->kind == TREE_TEXT &&
         (strcmp(value->text, "yes") == 0 || strcmp(value->text, "true") == 0);
}

static bool find_place(const struct outside_mapping *mapping, const struct mapping_name *name) {
  for (uint32_t i = 0; i < mapping->place_count; i++) {
    const struct mapping_name *place = &mapping->places[i].name;
    if (strcmp(place->text, name->text) == 0 &&
        (name->of_member ? place->index >= 0 : place->index == name->index))
      return true;
  }
  return false;
}

/* When a call began, or was done. Of what is sent it is the first, if nothing else is said. */
static bool read_when(struct mapping_reading *reading, const struct tree_node *at,
                      struct mapping_moment *moment) {
  const struct outside_probe *probe = &reading->probes[moment->probe];
  const struct tree_node *when = tree_find(at, "when");
  moment->begun = probe->sends;
  if (when == NULL)
    return true;
  const char *text = mapping_text(reading, at, "when");
  if (text == NULL)
    return false;
  moment->begun = strcmp(text, "begun") == 0;
  if (!moment->begun && strcmp(text, "done") != 0)
    return complain(reading, at, "when is begun or done, and not", text);
  return !moment->begun || probe->begun != 0 ||
         complain(reading, at, "to know when its calls begin, add read: {begun: begun} to probe",
                  probe->name);
}

static bool read_event(struct mapping_reading *reading, const struct tree_node *at,
                       struct mapping_moment *moment) {
  static const char *const keys[] = {"probe", "at",     "after",    "where",
                                     "when",  "shared", "optional", NULL};
  const char *probe = mapping_text(reading, at, "probe");
  if (probe == NULL || !mapping_known(reading, at, keys))
    return false;
  moment->probe = 0;
  while (moment->probe < reading->probe_count &&
         strcmp(reading->probes[moment->probe].name, probe) != 0)
    moment->probe++;
  if (moment->probe == reading->probe_count)
    return complain(reading, at, "there is no probe", probe);
  if (!read_when(reading, at, moment))
    return false;
  moment->placed = tree_find(at, "at") != NULL;
  const char *place = moment->placed ? mapping_text(reading, at, "at") : NULL;
  if (moment->placed && (place == NULL || !mapping_read_name(reading, &moment->place, at, place)))
    return false;
  if (moment->placed && (!find_place(reading->mapping, &moment->place) ||
                         (moment->place.of_member && !moment->name.of_member)))
    return complain(reading, at, "there is no place (or not for a moment without [r])", place);
  moment->after = reading->mapping->moment_count - 1; /* of the first: none */
  moment->shared = is_yes(at, "shared");
  if (tree_find(at, "after") != NULL && !mapping_read_moment(reading, &moment->after, at, "after"))
    return false;
  if (moment->after != MAPPING_NONE && reading->mapping->moments[moment->after].name.of_member &&
      !moment->name.of_member)
    return complain(reading, at, "say which moment it comes after: this is of a family:",
                    reading->mapping->moments[moment->after].name.text);
  return read_where(reading, at, moment);
}

static bool read_others(struct mapping_reading *reading, const struct tree_node *at,
                        struct mapping_moment *moment, const char *key) {
  const struct tree_node *list = tree_find(at, key);
  size_t count = list->kind == TREE_LIST ? list->count : 1;
  if (list->kind == TREE_MAPPING || count == 0 || count > MAPPING_PARTS)
    return complain(reading, at, "1 to 6 moments are expected behind", key);
  for (moment->of_count = 0; moment->of_count < count; moment->of_count++) {
    const struct tree_node *item = list->kind == TREE_LIST ? list->items[moment->of_count] : list;
    uint32_t *of = &moment->of[moment->of_count];
    *of = item->kind != TREE_TEXT
              ? MAPPING_NONE
              : find_moment(reading->mapping, item->text, strcspn(item->text, "["));
    if (*of == MAPPING_NONE)
      return complain(reading, at, "there is no moment before this as it is named behind", key);
  }
  return true;
}

/* {latest: [a, b]}, {earliest: [a, b]}, {kth: 1, of: a} */
static bool read_derived(struct mapping_reading *reading, const struct tree_node *at,
                         struct mapping_moment *moment) {
  static const char *const keys[] = {"latest", "earliest", "kth", "of", "optional", NULL};
  if (!mapping_known(reading, at, keys))
    return false;
  const struct tree_node *rank = tree_find(at, "kth");
  moment->kind = rank != NULL                        ? MAPPING_KTH
                 : tree_find(at, "latest") != NULL   ? MAPPING_LATEST
                 : tree_find(at, "earliest") != NULL ? MAPPING_EARLIEST
                                                     : MAPPING_EVENT;
  if (moment->kind == MAPPING_EVENT || (rank != NULL && tree_find(at, "of") == NULL))
    return complain(reading, at, "it needs a probe, latest, earliest, or kth and of;",
                    moment->name.text);
  long k = rank != NULL && rank->kind == TREE_TEXT ? strtol(rank->text, NULL, 10) : 1;
  if (k < 1 || k > MAPPING_MEMBERS)
    return complain(reading, at, "a number from 1 on is expected behind", "kth");
  moment->rank = (uint32_t)k;
  return read_others(reading, at, moment,
                     moment->kind == MAPPING_KTH      ? "of"
                     : moment->kind == MAPPING_LATEST ? "latest"
                                                      : "earliest");
}

static bool read_one(struct mapping_reading *reading, const struct tree_node *at) {
  struct outside_mapping *mapping = reading->mapping;
  struct mapping_moment *moment = &mapping->moments[mapping->moment_count];
  if (at->kind != TREE_MAPPING)
    return complain(reading, at, "write {probe: NAME, ...} behind", at->key);
  if (!mapping_read_name(reading, &moment->name, at, at->key))
    return false;
  if (moment->name.index >= 0 ||
      find_moment(mapping, moment->name.text, strlen(moment->name.text)) != MAPPING_NONE)
    return complain(reading, at,
                    "there is another moment of the name, or it has a number:", at->key);
  moment->optional = is_yes(at, "optional");
  bool event = tree_find(at, "probe") != NULL;
  if (!(event ? read_event : read_derived)(reading, at, moment))
    return false;
  mapping->moment_count++;
  return true;
}

bool mapping_read_moments(struct mapping_reading *reading) {
  const struct tree_node *section = mapping_section(reading, "moments", MAPPING_MOMENTS);
  for (size_t i = 0; section != NULL && i < section->count; i++)
    if (!read_one(reading, section->items[i]))
      return false;
  if (section == NULL)
    return false;
  const struct mapping_moment *first = reading->mapping->moments;
  if (first->kind == MAPPING_EVENT && !first->name.of_member)
    return true;
  return complain(reading, section->items[0],
                  "a request begins with an event without [r]; this is none:", first->name.text);
}
