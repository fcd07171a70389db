/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/draft/name.h"

#include <ctype.h>
#include <string.h>

#include "trace/draft/plan.h"

/* What cannot be a role's name (docs/language.md), and what the draft names itself. */
static const char *const taken[] = {
    "action",   "all",     "and",      "assume",    "at",       "began",     "bool",      "bound",
    "call",     "charged", "client",   "component", "cost",     "delay",     "delivered", "else",
    "enum",     "exists",  "external", "false",     "first",    "for",       "forall",    "if",
    "iff",      "implies", "in",       "index",     "int",      "invariant", "k",         "kth",
    "last",     "local",   "map",      "max",       "message",  "min",       "net",       "next",
    "not",      "now",     "of",       "on",        "or",       "over",      "param",     "pending",
    "phase",    "prev",    "protocol", "queueing",  "received", "receiver",  "repeated",  "role",
    "schedule", "send",    "sent",     "set",       "state",    "sum",       "then",      "time",
    "timeout",  "timer",   "timing",   "to",        "true",     "upto",      "when",      "within",
};

static bool is_taken(const char *name) {
  for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
    if (strcmp(taken[i], name) == 0)
      return true;
  return false;
}

void draft_identifier(struct text *identifier, const char *text) {
  char name[64];
  size_t length = 0;
  for (const char *c = text; *c != '\0' && length < 60; c++) {
    unsigned char byte = (unsigned char)*c;
    if (byte < 0x80 && isalnum(byte))
      name[length++] = (char)tolower(byte);
    else if (length > 0 && name[length - 1] != '_')
      name[length++] = '_';
  }
  while (length > 0 && name[length - 1] == '_')
    length--;
  name[length] = '\0';
  if (length == 0 || isdigit((unsigned char)name[0]) || is_taken(name))
    text_append(identifier, "call_");
  text_append(identifier, length == 0 ? "without_name" : name);
}

/* From here on a name goes without the service. */
#define LONG_NAME 24

static void add_identifier(struct text *name, const struct draft_plan *plan, uint32_t p,
                           bool with_service) {
  const struct flow_call *call = &plan->flow->calls.data[p];
  struct text full;
  text_init(&full);
  if (with_service)
    text_format(&full, "%s ", names_text(plan->names, call->service));
  text_append(&full, names_text(plan->names, call->operation));
  draft_identifier(name, text_get(&full));
  text_clear(&full);
}

static bool is_used(const struct draft_plan *plan, const char *name) {
  for (size_t p = 0; p < plan->calls.count; p++)
    if (plan->calls.data[p].name != NULL && strcmp(plan->calls.data[p].name, name) == 0)
      return true;
  return false;
}

static bool operation_is_shared(const struct draft_plan *plan, uint32_t p) {
  const struct flow_call *call = &plan->flow->calls.data[p];
  for (size_t other = 0; other < plan->calls.count; other++)
    if (plan->calls.data[other].place != DRAFT_APART &&
        plan->flow->calls.data[other].operation == call->operation &&
        plan->flow->calls.data[other].service != call->service)
      return true;
  return false;
}

static char *name_of(const struct draft_plan *plan, uint32_t p) {
  struct text name;
  text_init(&name);
  add_identifier(&name, plan, p, true);
  if (name.length > LONG_NAME && !operation_is_shared(plan, p)) {
    name.length = 0;
    add_identifier(&name, plan, p, false);
  }
  size_t length = name.length;
  for (unsigned number = 2; is_used(plan, text_get(&name)); number++) {
    name.length = length;
    text_format(&name, "_%u", number);
  }
  return text_take(&name);
}

void draft_names_make(struct draft_plan *plan) {
  for (uint32_t p = 0; p < plan->calls.count; p++)
    if (plan->calls.data[p].place != DRAFT_APART)
      plan->calls.data[p].name = name_of(plan, p);
}
