/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Families that belong to a family: `role disk[server]`, `role replica[shard, n]`, disk(s),
 * server(d), replica[p] (checker.h).
 */
#include <string.h>

#include "lang/checker.h"
#include "lang/owner.h"

/* The role that the brackets of a family begin with; NULL: they say a number, or it is reported. */
static const struct role *named_owner(struct checker *checker, const struct declaration *d) {
  const struct symbol *symbol = d->formula->kind != SYNTAX_NAME
                                    ? NULL
                                    : symbol_of_kind(checker, SYMBOL_ROLE, d->formula->name.text);
  return symbol == NULL ? NULL : symbol->role;
}

/* Two sizes, of which the first is a number. */
static void report_size(struct checker *checker, const struct declaration *d) {
  struct diagnostic *report = REPORT(checker, E0466, d->formula->span,
                                     "of two sizes the first is a role: each of its nodes has "
                                     "nodes of \"%.60s\"",
                                     d->name.text);
  diagnostic_hint(report,
                  "declare the groups above, such as \"external group[...]\" when they take no "
                  "steps, and write \"role %.60s[group, ...]\"",
                  d->name.text);
}

static bool may_own(struct checker *checker, const struct declaration *d,
                    const struct role *owner) {
  struct diagnostic *report;
  if (owner->span.start >= d->name.span.start) {
    report = REPORT(checker, E0466, d->formula->span, "\"%.60s\" is declared below", owner->name);
    diagnostic_note(report, owner->span, "declared here");
    diagnostic_hint(report, "declare it above, as \"%.60s\" belongs to it", d->name.text);
    return false;
  }
  if (owner->count != NULL)
    return true;
  report = REPORT(checker, E0466, d->formula->span, "role \"%.60s\" is one node, not a family",
                  owner->name);
  diagnostic_note(report, owner->span, "declared here");
  diagnostic_hint(report, "remove it: \"role %.60s\" is one node, \"role %.60s[n]\" n of them",
                  d->name.text, d->name.text);
  return false;
}

bool check_owned_role(struct checker *checker, const struct declaration *d, struct role *role) {
  struct type integer = type_of(TYPE_INT);
  const struct role *owner = named_owner(checker, d);
  if (owner == NULL && d->expression == NULL)
    return false;
  if (owner == NULL) {
    report_size(checker, d);
    role->count = term_error(checker, d->formula->span);
  } else if (!may_own(checker, d, owner)) {
    role->count = term_error(checker, d->formula->span);
  } else if (d->expression == NULL) {
    role->owner = owner;
    role->count = owner->count;
  } else {
    role->owner = owner;
    role->each = check_typed(checker, d->expression, &integer, "the size of a family");
    role->count = term_pair(checker, TERM_MUL, integer, role->each->span, owner->count, role->each);
  }
  return true;
}

const struct term *term_of_role(struct checker *checker, const struct term *node,
                                const struct role *role, struct source_span span) {
  const struct role *from = node->type.role;
  if (from == role)
    return node;
  bool back = (node->kind == TERM_OWNER || node->kind == TERM_OWNED) &&
              node->args[0]->type.role == role && role_pairs(role, from);
  return back ? node->args[0]
              : term_pair(checker, role_conversion(from, role), type_node(role), span, node, NULL);
}

/* That a node of `from` says nothing of one of `role`. */
static void report_stranger(struct checker *checker, struct source_span span,
                            const struct role *from, const struct role *role) {
  struct diagnostic *d;
  if (role->owner == from) {
    d = REPORT(checker, E0467, span, "several nodes of \"%.60s\" belong to one of \"%.60s\"",
               role->name, from->name);
    diagnostic_note(d, role->span, "declared here");
    diagnostic_hint(d, "%.60s[...] is the set of them", role->name);
    return;
  }
  d = REPORT(checker, E0467, span, "a node of \"%.60s\" tells none of \"%.60s\"", from->name,
             role->name);
  diagnostic_note(d, from->span, "\"%.60s\" is declared here", from->name);
  if (from->owner == NULL && from->count != NULL && role->count != NULL)
    diagnostic_hint(d, "declare that each belongs to one: \"role %.60s[%.60s]\"", from->name,
                    role->name);
}

/* The argument, a node; NULL: reported. */
static struct term *node_argument(struct checker *checker, const struct syntax *syntax,
                                  const char *what) {
  struct term *node = check_term(checker, syntax);
  if (node->type.kind == TYPE_NODE)
    return node;
  if (node->type.kind != TYPE_ERROR)
    REPORT(checker, E0301, syntax->span, "\"%.60s\" takes a node, not %s", what,
           type_text(checker, &node->type));
  return NULL;
}

struct term *check_conversion(struct checker *checker, const struct syntax *syntax,
                              const struct role *role) {
  if (is_forbidden(checker, syntax->span, may_mention_nodes(checker), "a node"))
    return term_error(checker, syntax->span);
  const struct term *node = node_argument(checker, syntax_arg(syntax, 0), role->name);
  if (node == NULL)
    return term_error(checker, syntax->span);
  if (role_tells(node->type.role, role)) {
    const struct term *made = term_of_role(checker, node, role, syntax->span);
    struct term *copy = arena_copy(checker->arena, made, 1, sizeof *copy);
    copy->span = syntax->span;
    return copy;
  }
  report_stranger(checker, syntax->span, node->type.role, role);
  return term_error(checker, syntax->span);
}

struct term *check_owned_set(struct checker *checker, const struct syntax *syntax,
                             const struct role *role) {
  struct diagnostic *d;
  if (is_forbidden(checker, syntax->span, may_mention_nodes(checker), "a set of nodes"))
    return term_error(checker, syntax->span);
  if (syntax->args.count != 2) {
    REPORT(checker, E0302, syntax->span, "\"%.60s\" has 1 index, not %zu", role->name,
           syntax->args.count - 1);
    return term_error(checker, syntax->span);
  }
  const struct term *node = node_argument(checker, syntax_arg(syntax, 1), role->name);
  if (node == NULL)
    return term_error(checker, syntax->span);
  if (role->owner == node->type.role && role->each != NULL)
    return term_pair(checker, TERM_OWNED_SET, type_set(role), syntax->span, node, NULL);
  if (role_tells(node->type.role, role)) {
    d = REPORT(checker, E0467, syntax->span, "one node of \"%.60s\" is meant, not a set",
               role->name);
    diagnostic_hint(d, "write %.60s(...)", role->name);
  } else {
    report_stranger(checker, syntax->span, node->type.role, role);
  }
  return term_error(checker, syntax->span);
}

static bool is_asked(const struct checker *checker) {
  for (size_t i = 0; i < checker->bounds.count; i++)
    if (checker->bounds.data[i]->expression == NULL)
      return true;
  return false;
}

/* A bound that is asked for may become a sum over all whose work one step on a timer does. */
static void order_gathered(struct checker *checker) {
  for (size_t i = 0; i < checker->actions.count && is_asked(checker); i++) {
    const struct action *action = checker->actions.data[i];
    for (size_t k = 0; k < checker->states.count; k++) {
      const struct state *set = checker->states.data[k];
      bool gathered = action->timer != NULL && set->role == action->role &&
                      set->type.kind == TYPE_SET && set->type.role->count != NULL;
      if (gathered)
        checker->roles.data[set->type.role->id]->ordered = true;
    }
  }
}

/* A family that others belong to or that belongs to one is ordered together with its pairs: they
 * are the same numbers. */
void check_orders(struct checker *checker) {
  order_gathered(checker);
  bool changed = true;
  while (changed) {
    changed = false;
    for (size_t i = 0; i < checker->roles.count; i++) {
      struct role *role = checker->roles.data[i];
      if (role->owner == NULL || role->each != NULL || role->ordered == role->owner->ordered)
        continue;
      role->ordered = checker->roles.data[role->owner->id]->ordered = true;
      changed = true;
    }
  }
}
