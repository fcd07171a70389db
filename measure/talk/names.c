/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/talk/names.h"
#include "measure/talk/exchange.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Words of the language (docs/language.md), and names that every draft has. */
static bool is_taken_word(const char *name) {
  static const char *const words[] = {
      "action",   "all",       "and",   "assume",  "at",        "bool",     "bound",    "charged",
      "client",   "component", "cost",  "delay",   "delivered", "else",     "enum",     "exists",
      "external", "false",     "for",   "forall",  "if",        "iff",      "implies",  "in",
      "int",      "invariant", "map",   "max",     "message",   "min",      "not",      "of",
      "on",       "or",        "param", "pending", "protocol",  "queueing", "received", "role",
      "send",     "sent",      "set",   "state",   "sum",       "then",     "to",       "true",
      "when",     "within",    "d",     "bus",     "u",         "first",    "last",     "next",
      "prev",     "index",     "time",  "now",     "kth",       "losses",   "lost",     "request",
      "sender",   "receiver"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strcmp(words[i], name) == 0)
      return true;
  return false;
}

enum { SHORT = 24 };

void talk_role_name(char name[TALK_NAME], const char *program, uint16_t port) {
  const char *word = strrchr(program, ' ');
  word = word == NULL ? program : word + 1;
  const char *base = strrchr(word, '/');
  base = base == NULL ? word : base + 1;
  size_t length = 0;
  for (; length < SHORT && base[length] != '\0' && (base[length] != '.' || length == 0); length++)
    name[length] =
        (char)(isalnum((unsigned char)base[length]) ? tolower((unsigned char)base[length]) : '_');
  name[length] = '\0';
  while (length > 0 && name[length - 1] == '_')
    name[--length] = '\0';
  if (length == 0 || !isalpha((unsigned char)*name))
    snprintf(name, TALK_NAME, "port_%u", port);
  else if (is_taken_word(name))
    strcat(name, "_server");
}

static bool is_used(char list[SHAPE_CALLS][TALK_NAME], size_t count, const char *name) {
  for (size_t i = 0; i < count; i++)
    if (strcmp(list[i], name) == 0)
      return true;
  return false;
}

/* `name`, or with the first number that is free. */
static void set_unused(char list[SHAPE_CALLS][TALK_NAME], size_t at, const char *name) {
  snprintf(list[at], TALK_NAME, "%s", name);
  for (unsigned number = 2; is_used(list, at, list[at]); number++)
    snprintf(list[at], TALK_NAME, "%.*s_%u", SHORT + 8, name, number);
}

void talk_names_make(struct talk_names *names, const struct talk_shape *shape,
                     const struct talk_parts *parts) {
  for (size_t i = 0; i < shape->count; i++) {
    const struct shape_call *call = &shape->calls[i];
    char name[TALK_NAME];
    size_t same = 0;
    while (same < i && shape->calls[same].service != call->service)
      same++;
    talk_role_name(name, parts->list.data[call->part[0]].program, call->low);
    if (same < i)
      snprintf(names->role[i], TALK_NAME, "%s", names->role[same]);
    else
      set_unused(names->role, i, name);
    set_unused(names->call, i, names->role[i]);
  }
}

/* --- the tree --- */

unsigned draft_stages(const struct talk_draft *draft, size_t call) {
  unsigned stages = 0;
  for (size_t i = 0; i < draft->shape->count; i++)
    if (draft->shape->calls[i].caller == (long)call && draft->shape->calls[i].stage >= stages)
      stages = draft->shape->calls[i].stage + 1;
  return stages;
}

size_t draft_in_stage(size_t calls[SHAPE_CALLS], const struct talk_draft *draft, size_t call,
                      unsigned stage) {
  size_t count = 0;
  for (size_t i = 0; i < draft->shape->count; i++)
    if (draft->shape->calls[i].caller == (long)call && draft->shape->calls[i].stage == stage)
      calls[count++] = i;
  return count;
}

long draft_choice(const struct talk_draft *draft, size_t call) {
  for (long at = (long)call; at != TALK_NONE; at = draft->shape->calls[at].caller)
    if (draft->shape->calls[at].chosen)
      return at;
  return TALK_NONE;
}

long draft_choice_at(const struct talk_draft *draft, size_t call, unsigned stage) {
  size_t calls[SHAPE_CALLS], count = draft_in_stage(calls, draft, call, stage);
  for (size_t k = 0; k < count; k++)
    if (draft->shape->calls[calls[k]].chosen)
      return (long)calls[k];
  long choice = draft_choice(draft, call);
  if (stage == 0 || choice != TALK_NONE)
    return choice;
  count = draft_in_stage(calls, draft, call, stage - 1);
  return count == 1 && draft->shape->calls[calls[0]].chosen ? (long)calls[0] : TALK_NONE;
}

bool draft_is_member(const struct talk_draft *draft, size_t call) {
  return draft->shape->calls[call].chosen;
}

void draft_role(char name[2 * TALK_NAME], const struct talk_draft *draft, size_t call,
                unsigned stage) {
  size_t calls[SHAPE_CALLS];
  unsigned behind = 0;
  for (unsigned i = 0; i < stage; i++)
    behind += draft_in_stage(calls, draft, call, i) > 1;
  if (behind == 0)
    snprintf(name, 2 * TALK_NAME, "%s", draft->names->role[call]);
  else
    snprintf(name, 2 * TALK_NAME, "%s_then%u", draft->names->call[call], behind);
}
