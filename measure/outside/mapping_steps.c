/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The steps and messages of a mapping.
 */
#include <stdio.h>
#include <string.h>

#include "measure/outside/mapping_read.h"

/* "Wal(r)" or "Vote(0, r)": what stands before "(" into `name`, at most `most` bytes. */
static bool read_call(struct mapping_reading *reading, const struct tree_node *at, const char *text,
                      char *name, size_t most, struct mapping_name *arguments, uint32_t *count) {
  size_t length = strcspn(text, "(");
  const char *rest = text + length;
  bool fine = length >= 1 && length <= most;
  if (fine) {
    memcpy(name, text, length);
    name[length] = '\0';
  }
  while (fine && *rest != '\0' && strcmp(rest, ")") != 0) {
    char argument[16];
    int read = 0;
    fine = *count < MAPPING_ARGUMENTS && sscanf(rest + 1, " %15[^,) ] %n", argument, &read) == 1;
    if (fine) {
      struct mapping_name *to = &arguments[(*count)++];
      int number = -1, end = 0;
      to->of_member = mapping_read_letter(to->letter, argument, "");
      fine = to->of_member ||
             (sscanf(argument, "%d%n", &number, &end) == 1 && argument[end] == '\0' && number >= 0);
      to->index = number;
    }
    rest += fine ? 1 + read : 0;
  }
  return fine ||
         tree_complain(reading->message, reading->size, at,
                       "%s: write a name, perhaps with arguments that are numbers or the letter "
                       "of a member",
                       text);
}

/* One letter stands for the member, in the node and in all arguments. */
static bool check_letters(struct mapping_reading *reading, const struct tree_node *at,
                          const struct mapping_name *const *nodes, uint32_t node_count,
                          const struct mapping_name *arguments, uint32_t count) {
  const char *letter = NULL;
  for (uint32_t i = 0; i < node_count + count; i++) {
    const struct mapping_name *name = i < node_count ? nodes[i] : &arguments[i - node_count];
    if (!name->of_member)
      continue;
    if (letter != NULL && strcmp(letter, name->letter) != 0)
      return tree_complain(reading->message, reading->size, at,
                           "%s: %s and %s both stand for the member here: write one of them",
                           at->key, letter, name->letter);
    letter = name->letter;
  }
  return true;
}

/* "Append", which has the indices of its step, or "Append[r]". Of a step that chooses, the index is
 * of what was chosen, and most components have none: there they have the index that is written. */
static bool read_component(struct mapping_reading *reading, struct mapping_part *part,
                           const struct mapping_step *step, const struct tree_node *at,
                           const char *written) {
  if (!mapping_read_name(reading, &part->component, at, written))
    return false;
  part->as_step = strchr(written, '[') == NULL && step->chose == MAPPING_NONE;
  if (!part->component.of_member || step->family)
    return true;
  return tree_complain(reading->message, reading->size, at,
                       "%s: of a member, and no [r] or (r) in the step", written);
}

static bool read_part(struct mapping_reading *reading, struct mapping_step *step,
                      const struct tree_node *at) {
  static const char *const keys[] = {"from", "to", NULL};
  struct mapping_part *part = &step->parts[step->part_count];
  if (step->part_count == MAPPING_PARTS)
    return tree_complain(reading->message, reading->size, at, "%s: more than %d parts", at->key,
                         MAPPING_PARTS);
  step->part_count++;
  return mapping_known(reading, at, keys) && read_component(reading, part, step, at, at->key) &&
         mapping_read_stretch(reading, &part->time, at);
}

static bool read_costs(struct mapping_reading *reading, struct mapping_step *step,
                       const struct tree_node *at) {
  const struct tree_node *parts = tree_find(at, "parts");
  if (parts != NULL && parts->kind != TREE_MAPPING)
    return tree_complain(reading->message, reading->size, parts,
                         "parts: write {COMPONENT: {from: .., to: ..}}");
  for (size_t i = 0; parts != NULL && i < parts->count; i++)
    if (!read_part(reading, step, parts->items[i]))
      return false;
  if (tree_find(at, "component") == NULL)
    return true;
  const char *written = mapping_text(reading, at, "component");
  struct mapping_part part = {.time = step->time};
  if (written == NULL || !read_component(reading, &part, step, at, written))
    return false;
  if (part.as_step)
    strcpy(step->component, part.component.text);
  else if (step->part_count < MAPPING_PARTS)
    step->parts[step->part_count++] = part;
  return part.as_step || tree_find(at, "parts") == NULL ||
         tree_complain(reading->message, reading->size, at,
                       "%s: write the component among the parts", at->key);
}

static bool of_family(const struct mapping_name *names, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    if (names[i].of_member)
      return true;
  return false;
}

/* Moments of a family belong to steps and messages of each member. */
static bool check_family(struct mapping_reading *reading, const struct tree_node *at, bool family,
                         uint32_t moment) {
  return family || !reading->mapping->moments[moment].name.of_member ||
         tree_complain(reading->message, reading->size, at,
                       "%s: a moment of a family, and no [r] or (r) here", at->key);
}

/* "standby[r].Receive(r)": the node, the action "standby.Receive", and its arguments. */
static bool read_step(struct mapping_reading *reading, const struct tree_node *at) {
  static const char *const keys[] = {"at", "from", "to", "component", "parts", "chose", NULL};
  struct mapping_step *step = &reading->mapping->steps[reading->mapping->step_count++];
  const char *dot = strchr(at->key, '.');
  char node[96], action[CONDITION_NAME + 1];
  if (dot == NULL || (size_t)(dot - at->key) >= sizeof node)
    return tree_complain(reading->message, reading->size, at,
                         "%s: write ROLE.ACTION or ROLE[r].ACTION(r)", at->key);
  snprintf(node, sizeof node, "%.*s", (int)(dot - at->key), at->key);
  if (!mapping_known(reading, at, keys) || !mapping_read_name(reading, &step->node, at, node) ||
      !read_call(reading, at, dot + 1, action, CONDITION_NAME, step->arguments,
                 &step->argument_count))
    return false;
  strcpy(step->action, step->node.text);
  strcat(strcat(step->action, "."), action);
  const struct mapping_name *nodes[] = {&step->node};
  if (!check_letters(reading, at, nodes, 1, step->arguments, step->argument_count))
    return false;
  step->family = step->node.of_member || of_family(step->arguments, step->argument_count);
  bool moment = tree_find(at, "at") != NULL;
  if (moment ? !mapping_read_moment(reading, &step->time.from, at, "at")
             : !mapping_read_stretch(reading, &step->time, at))
    return false;
  if (moment)
    step->time.to = step->time.from;
  if (!mapping_read_chose(reading, &step->chose, at, step->family))
    return false;
  return check_family(reading, at, step->family, step->time.from) &&
         check_family(reading, at, step->family, step->time.to) && read_costs(reading, step, at);
}

static bool read_nodes(struct mapping_reading *reading, struct mapping_message *message,
                       const struct tree_node *at) {
  const char *from = mapping_text(reading, at, "from");
  const char *to = from == NULL ? NULL : mapping_text(reading, at, "to");
  return to != NULL && mapping_read_name(reading, &message->from, at, from) &&
         mapping_read_name(reading, &message->to, at, to);
}

static bool read_message(struct mapping_reading *reading, const struct tree_node *at) {
  static const char *const keys[] = {"from",  "to",    "sent",  "arrived",
                                     "taken", "delay", "chose", NULL};
  struct mapping_message *message = &reading->mapping->messages[reading->mapping->message_count++];
  if (!mapping_known(reading, at, keys) ||
      !read_call(reading, at, at->key, message->name, CONDITION_NAME, message->arguments,
                 &message->argument_count) ||
      !read_nodes(reading, message, at) || !mapping_copy(reading, message->delay, at, "delay") ||
      !mapping_read_moment(reading, &message->sent, at, "sent") ||
      !mapping_read_moment(reading, &message->arrived, at, "arrived"))
    return false;
  message->taken = message->arrived;
  if (tree_find(at, "taken") != NULL && !mapping_read_moment(reading, &message->taken, at, "taken"))
    return false;
  message->family = message->from.of_member || message->to.of_member ||
                    of_family(message->arguments, message->argument_count);
  const struct mapping_name *nodes[] = {&message->from, &message->to};
  if (!check_letters(reading, at, nodes, 2, message->arguments, message->argument_count) ||
      !mapping_read_chose(reading, &message->chose, at, message->family))
    return false;
  return check_family(reading, at, message->family, message->sent) &&
         check_family(reading, at, message->family, message->arrived) &&
         check_family(reading, at, message->family, message->taken);
}

bool mapping_read_steps(struct mapping_reading *reading) {
  const struct tree_node *section = mapping_section(reading, "steps", MAPPING_STEPS);
  for (size_t i = 0; section != NULL && i < section->count; i++)
    if (!read_step(reading, section->items[i]))
      return false;
  return section != NULL;
}

bool mapping_read_messages(struct mapping_reading *reading) {
  if (tree_find(reading->file, "messages") == NULL)
    return true;
  const struct tree_node *section = mapping_section(reading, "messages", MAPPING_STEPS);
  for (size_t i = 0; section != NULL && i < section->count; i++)
    if (!read_message(reading, section->items[i]))
      return false;
  return section != NULL;
}
