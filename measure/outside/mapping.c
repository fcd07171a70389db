/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/outside/mapping.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "measure/outside/mapping_read.h"

bool mapping_read_letter(char letter[16], const char *text, const char *behind) {
  size_t length = 0;
  while (isalnum((unsigned char)text[length]) || text[length] == '_')
    length++;
  letter[0] = '\0';
  if (length == 0 || length > 15 || isdigit((unsigned char)text[0]) ||
      strcmp(text + length, behind) != 0)
    return false;
  memcpy(letter, text, length);
  letter[length] = '\0';
  return true;
}

bool mapping_read_name(struct mapping_reading *reading, struct mapping_name *name,
                       const struct tree_node *at, const char *text) {
  size_t length = strcspn(text, "[");
  *name = (struct mapping_name){.index = -1};
  if (length == 0 || length > CONDITION_NAME)
    return tree_complain(reading->message, reading->size, at,
                         "\"%s\": a name of 1 to 63 letters is expected", text);
  memcpy(name->text, text, length);
  const char *index = text + length;
  if (*index == '\0')
    return true;
  char *end = NULL;
  name->of_member = mapping_read_letter(name->letter, index + 1, "]");
  if (!name->of_member && isdigit((unsigned char)index[1]))
    name->index = (int32_t)strtol(index + 1, &end, 10);
  if (name->of_member || (end != NULL && strcmp(end, "]") == 0 && name->index >= 0 &&
                          name->index < (int32_t)MAPPING_MEMBERS))
    return true;
  return tree_complain(
      reading->message, reading->size, at,
      "\"%s\": write NAME, NAME[0] .. NAME[%d], or NAME[r] for each member of a family", text,
      MAPPING_MEMBERS - 1);
}

void mapping_name_print(char *text, size_t size, const struct mapping_name *name, uint32_t member) {
  if (name->of_member)
    snprintf(text, size, "%s[%u]", name->text, member);
  else if (name->index >= 0)
    snprintf(text, size, "%s[%d]", name->text, name->index);
  else
    snprintf(text, size, "%s", name->text);
}

const char *mapping_text(struct mapping_reading *reading, const struct tree_node *mapping,
                         const char *key) {
  const struct tree_node *value = tree_find(mapping, key);
  if (value != NULL && value->kind == TREE_TEXT && *value->text != '\0')
    return value->text;
  tree_complain(reading->message, reading->size, value == NULL ? mapping : value,
                "%s: %s is missing", mapping->key == NULL ? "the file" : mapping->key, key);
  return NULL;
}

bool mapping_copy(struct mapping_reading *reading, char *to, const struct tree_node *mapping,
                  const char *key) {
  const char *text = mapping_text(reading, mapping, key);
  if (text == NULL)
    return false;
  if (strlen(text) > CONDITION_NAME)
    return tree_complain(reading->message, reading->size, mapping, "%s: is longer than 63 bytes",
                         key);
  strcpy(to, text);
  return true;
}

bool mapping_known(struct mapping_reading *reading, const struct tree_node *mapping,
                   const char *const *keys) {
  if (mapping->kind != TREE_MAPPING)
    return tree_complain(reading->message, reading->size, mapping, "%s: write {KEY: VALUE, ...}",
                         mapping->key);
  for (size_t i = 0; i < mapping->count; i++) {
    size_t known = 0;
    while (keys[known] != NULL && strcmp(keys[known], mapping->items[i]->key) != 0)
      known++;
    if (keys[known] == NULL)
      return tree_complain(reading->message, reading->size, mapping->items[i],
                           "%s: there is no key \"%s\" here", mapping->key, mapping->items[i]->key);
  }
  return true;
}

const struct tree_node *mapping_section(struct mapping_reading *reading, const char *key,
                                        size_t most) {
  const struct tree_node *section = tree_find(reading->file, key);
  if (section != NULL && section->kind == TREE_MAPPING && section->count >= 1 &&
      section->count <= most)
    return section;
  tree_complain(reading->message, reading->size, section == NULL ? reading->file : section,
                "%s: a section of 1 to %zu is needed to say what events mean in the protocol", key,
                most);
  return NULL;
}

static bool read_place(struct mapping_reading *reading, const struct tree_node *at) {
  struct outside_mapping *mapping = reading->mapping;
  struct mapping_place *place = &mapping->places[mapping->place_count];
  if (!mapping_read_name(reading, &place->name, at, at->key))
    return false;
  if (place->name.of_member)
    return tree_complain(reading->message, reading->size, at, "%s: name each member: %s[0], %s[1]",
                         at->key, place->name.text, place->name.text);
  int failed = at->kind != TREE_TEXT ? REG_BADPAT
                                     : regcomp(&place->command, at->text, REG_EXTENDED | REG_NOSUB);
  if (failed != 0)
    return tree_complain(
        reading->message, reading->size, at,
        "%s: a regular expression for command lines is expected, such as 'etcd --name m1 '",
        at->key);
  mapping->place_count++;
  if (place->name.index >= (int32_t)mapping->members)
    mapping->members = (uint32_t)place->name.index + 1;
  return true;
}

static bool read_places(struct mapping_reading *reading) {
  const struct tree_node *section = mapping_section(reading, "places", MAPPING_PLACES);
  reading->mapping->members = 1;
  for (size_t i = 0; section != NULL && i < section->count; i++)
    if (!read_place(reading, section->items[i]))
      return false;
  return section != NULL;
}

static bool read_request(struct mapping_reading *reading) {
  static const char *const keys[] = {"name", "node", "from", "to", "within", "unpaired", NULL};
  struct outside_mapping *mapping = reading->mapping;
  const struct tree_node *request = mapping_section(reading, "request", 6);
  if (request == NULL || !mapping_known(reading, request, keys) ||
      !mapping_copy(reading, mapping->request, request, "name"))
    return false;
  const char *node = mapping_text(reading, request, "node");
  if (node == NULL || !mapping_read_name(reading, &mapping->node, request, node) ||
      !mapping_read_stretch(reading, &mapping->time, request))
    return false;
  const struct tree_node *unpaired = tree_find(request, "unpaired");
  mapping->exclude =
      unpaired != NULL && unpaired->kind == TREE_TEXT && strcmp(unpaired->text, "excluded") == 0;
  if (unpaired != NULL && !mapping->exclude &&
      (unpaired->kind != TREE_TEXT || strcmp(unpaired->text, "endless") != 0))
    return tree_complain(reading->message, reading->size, unpaired,
                         "unpaired: either endless or excluded");
  mapping->within_ns = UINT64_C(10000000000);
  if (mapping->time.from != 0)
    return tree_complain(reading->message, reading->size, request,
                         "from: must be the first of the moments, which begins a request");
  return true;
}

struct outside_mapping *mapping_read(const struct tree_node *file,
                                     const struct outside_probe *probes, uint32_t probe_count,
                                     char *message, size_t size) {
  struct outside_mapping *mapping = mem_alloc(1, sizeof *mapping);
  memset(mapping, 0, sizeof *mapping);
  struct mapping_reading reading = {mapping, file, probes, probe_count, message, size};
  const struct tree_node *queueing = tree_find(file, "queueing");
  if (queueing != NULL && queueing->kind == TREE_TEXT && strlen(queueing->text) <= CONDITION_NAME)
    strcpy(mapping->queueing, queueing->text);
  if (read_places(&reading) && mapping_read_moments(&reading) && read_request(&reading) &&
      mapping_read_steps(&reading) && mapping_read_messages(&reading))
    return mapping;
  mapping_free(mapping);
  return NULL;
}

void mapping_free(struct outside_mapping *mapping) {
  for (uint32_t i = 0; mapping != NULL && i < mapping->place_count; i++)
    regfree(&mapping->places[i].command);
  mem_free(mapping);
}

uint32_t mapping_place_of(const struct outside_mapping *mapping, const char *command) {
  for (uint32_t i = 0; i < mapping->place_count; i++)
    if (regexec(&mapping->places[i].command, command, 0, NULL, 0) == 0)
      return i;
  return MAPPING_NONE;
}

static bool looks_at(const struct mapping_moment *moment, const struct mapping_name *place) {
  return strcmp(place->text, moment->place.text) == 0 &&
         (moment->place.of_member || moment->place.index == place->index);
}

uint64_t mapping_looks_at(const struct outside_mapping *mapping, uint32_t probe) {
  uint64_t places = 0;
  for (uint32_t i = 0; i < mapping->moment_count; i++) {
    const struct mapping_moment *moment = &mapping->moments[i];
    if (moment->kind != MAPPING_EVENT || moment->probe != probe)
      continue;
    if (!moment->placed)
      return UINT64_MAX;
    for (uint32_t k = 0; k < mapping->place_count; k++)
      if (looks_at(moment, &mapping->places[k].name))
        places |= UINT64_C(1) << k;
  }
  return places;
}
