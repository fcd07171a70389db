/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a name, a field or an index in a term stands for (checker.h).
 */
#include "lang/checker.h"

#include <string.h>

struct term *term_variable(struct checker *checker, const struct variable *variable,
                           struct source_span span) {
  struct term *term = term_new(checker, TERM_VARIABLE, variable->type, span, 0);
  term->variable = variable;
  return term;
}

struct term *term_component(struct checker *checker, const struct component *component,
                            struct source_span span) {
  bool single =
      component->kind == COMPONENT_STEP && component->index_count == 0 && !component->repeated;
  struct term *term =
      term_new(checker, single ? TERM_OCCURRENCE : TERM_BARE, type_of(TYPE_TIME), span, 0);
  term->component = component;
  return term;
}

static bool is_acting(const struct checker *checker, const struct term *node) {
  const struct action *action = checker->acting;
  if (node->kind == TERM_NODE)
    return node->type.role == action->role;
  return node->kind == TERM_VARIABLE && node->variable == action->node;
}

static bool is_ghost_misused(struct checker *checker, const struct state *state,
                             struct source_span span) {
  bool target = checker->position == POSITION_TARGET;
  if (!state->ghost || (!target && (checker->position != POSITION_ACTION || checker->in_ghost)))
    return false;
  struct diagnostic *d =
      REPORT(checker, E0437, span,
             target ? "the event of a bound cannot depend on the ghost variable \"%.60s\""
                    : "the ghost variable \"%.60s\" would influence what the protocol does",
             state->name);
  diagnostic_note(d, state->span, "declared here");
  diagnostic_hint(d, "ghosts are read in invariants and in what is assigned to other ghosts; or "
                     "remove \"ghost\"");
  return true;
}

struct term *term_state(struct checker *checker, const struct state *state, const struct term *node,
                        struct source_span span) {
  bool allowed = checker->position == POSITION_ACTION || is_formula_position(checker);
  if (is_forbidden(checker, span, allowed, "the state of a node"))
    return term_error(checker, span);
  symbol_find(checker, SPACE_STATE, state->role, state->name)->used = true;
  if (is_ghost_misused(checker, state, span))
    return term_error(checker, span);
  if (checker->acting != NULL && !is_acting(checker, node)) {
    struct diagnostic *d = REPORT(checker, E0414, span, "this is the state of another node");
    diagnostic_hint(d, "an action sees only its own node's state; what it must know of others has "
                       "to come in a message");
    return term_error(checker, span);
  }
  struct term *term = term_new(checker, TERM_STATE, state->type, span, 1);
  term->state = state;
  term->args[0] = checker->acting != NULL ? checker->here : node;
  return term;
}

bool may_mention_nodes(const struct checker *checker) {
  return checker->position != POSITION_COUNT && checker->position != POSITION_ASSUME;
}

static struct term *node_of(struct checker *checker, const struct role *role,
                            struct source_span span) {
  return term_new(checker, TERM_NODE, type_node(role), span, 0);
}

static struct term *name_of_param(struct checker *checker, struct symbol *symbol,
                                  struct source_span span) {
  if (checker->position == POSITION_COUNT && symbol->param->id >= checker->params_visible) {
    struct diagnostic *d =
        REPORT(checker, E0209, span, "parameter \"%.60s\" is declared later", symbol->name);
    diagnostic_note(d, symbol->span, "declared here");
    diagnostic_hint(d, "a constraint speaks of the parameters before it; \"assume\" of all");
    return term_error(checker, span);
  }
  symbol->used = true;
  struct term *term = term_new(checker, TERM_PARAM, type_of(TYPE_INT), span, 0);
  term->param = symbol->param;
  return term;
}

static struct term *name_of_component(struct checker *checker, struct symbol *symbol,
                                      struct source_span span) {
  bool constant = symbol->component->kind == COMPONENT_CONSTANT;
  bool allowed = is_formula_position(checker) || checker->position == POSITION_ASSUME ||
                 checker->position == POSITION_EXPRESSION ||
                 (constant && checker->position != POSITION_COUNT);
  symbol->used |= constant;
  if (is_forbidden(checker, span, allowed, "the time of a component"))
    return term_error(checker, span);
  return term_component(checker, symbol->component, span);
}

static struct term *wrong_kind(struct checker *checker, const struct symbol *symbol,
                               struct source_span span) {
  struct diagnostic *d = REPORT(checker, E0309, span, "\"%.60s\" is %s, not a value", symbol->name,
                                symbol_kind_name(symbol));
  diagnostic_note(d, symbol->span, "declared here");
  if (symbol->kind == SYMBOL_MESSAGE)
    diagnostic_hint(d, "say what of it is meant: sent %s, time(%s), ...", symbol->name,
                    symbol->name);
  return term_error(checker, span);
}

static struct term *name_of_symbol(struct checker *checker, struct symbol *symbol,
                                   struct source_span span) {
  struct term *term;
  switch (symbol->kind) {
  case SYMBOL_PARAM:
    return name_of_param(checker, symbol, span);
  case SYMBOL_VALUE:
    term = term_new(checker, TERM_ENUM, type_of(TYPE_ENUM), span, 0);
    term->type.enumeration = symbol->enumeration;
    term->integer = symbol->position;
    return term;
  case SYMBOL_ROLE:
    if (is_forbidden(checker, span, may_mention_nodes(checker), "a node"))
      return term_error(checker, span);
    if (symbol->role->count == NULL)
      return node_of(checker, symbol->role, span);
    return term_new(checker, TERM_ROLE_SET, type_set(symbol->role), span, 0);
  case SYMBOL_COMPONENT:
    return name_of_component(checker, symbol, span);
  default:
    return wrong_kind(checker, symbol, span);
  }
}

struct role *only_family(struct checker *checker, const struct syntax *syntax) {
  struct role *only = NULL;
  size_t families = 0;
  for (size_t i = 0; i < checker->roles.count; i++)
    if (checker->roles.data[i]->count != NULL) {
      only = checker->roles.data[i];
      families++;
    }
  if (families == 1)
    return only;
  const char *word = syntax->name.text;
  struct diagnostic *d =
      REPORT(checker, E0307, syntax->span,
             families == 0 ? "there is no family that \"%s\" could be of"
                           : "there are several families that \"%s\" could be of",
             word);
  if (families > 1)
    diagnostic_hint(d, "name the role: %s(%s)", word, only->name);
  return NULL;
}

static struct term *end_of_family(struct checker *checker, const struct syntax *syntax) {
  struct role *role = only_family(checker, syntax);
  if (role == NULL || is_forbidden(checker, syntax->span, may_mention_nodes(checker), "a node"))
    return term_error(checker, syntax->span);
  role->ordered = true;
  enum term_kind kind = strcmp(syntax->name.text, "first") == 0 ? TERM_FIRST : TERM_LAST;
  return term_new(checker, kind, type_node(role), syntax->span, 0);
}

/* A bare state name outside an action: of a single node. */
static struct term *state_of_single(struct checker *checker, const struct syntax *syntax) {
  const struct state *found = NULL;
  for (size_t i = 0; i < checker->states.count; i++) {
    const struct state *state = checker->states.data[i];
    if (state->role->count != NULL || strcmp(state->name, syntax->name.text) != 0)
      continue;
    if (found != NULL) {
      struct diagnostic *d = REPORT(checker, E0210, syntax->span,
                                    "both \"%.60s\" and \"%.60s\" have a state \"%.60s\"",
                                    found->role->name, state->role->name, state->name);
      diagnostic_hint(d, "name the node: %s.%s", found->role->name, state->name);
      return term_error(checker, syntax->span);
    }
    found = state;
  }
  if (found == NULL)
    return NULL;
  return term_state(checker, found, node_of(checker, found->role, syntax->span), syntax->span);
}

static bool is_state_of_some_family(struct checker *checker, const char *name,
                                    const struct role **role) {
  for (size_t i = 0; i < checker->states.count; i++)
    if (strcmp(checker->states.data[i]->name, name) == 0) {
      *role = checker->states.data[i]->role;
      return true;
    }
  return false;
}

static struct term *unknown_name(struct checker *checker, const struct syntax *syntax) {
  const char *name = syntax->name.text;
  const struct role *role = NULL;
  struct diagnostic *d;
  unsigned kinds = SUGGEST_VARIABLES | 1u << SYMBOL_PARAM | 1u << SYMBOL_VALUE | 1u << SYMBOL_ROLE |
                   1u << SYMBOL_COMPONENT | 1u << SYMBOL_STATE;
  if (checker->position == POSITION_EXPRESSION && checker->in_index) {
    d = REPORT(checker, E0211, syntax->span, "index \"%.60s\" is not bound", name);
    diagnostic_hint(d, "say what it ranges over: max %.60s in ROLE (...), or a sum", name);
    return term_error(checker, syntax->span);
  }
  bool known = is_state_of_some_family(checker, name, &role);
  bool visible = checker->position == POSITION_ACTION || is_formula_position(checker);
  if (known && is_forbidden(checker, syntax->span, visible, "the state of a node"))
    return term_error(checker, syntax->span);
  if (known) {
    d = REPORT(checker, E0203, syntax->span, "\"%.60s\" is a state of \"%.60s\": of which node?",
               name, role->name);
    if (checker->acting == NULL)
      diagnostic_hint(d, "name the node: i.%.60s for some \"i in %.60s\"", name, role->name);
    else
      diagnostic_hint(d, "an action sees only its own node's state");
    return term_error(checker, syntax->span);
  }
  d = REPORT(checker, E0202, syntax->span, "unknown name \"%.60s\"", name);
  hint_nearest(checker, d, name, kinds, checker->here != NULL ? checker->here->type.role : NULL);
  return term_error(checker, syntax->span);
}

static struct term *name_now(struct checker *checker, struct source_span span) {
  if (is_forbidden(checker, span, is_formula_position(checker), "the start of the latest step"))
    return term_error(checker, span);
  if (checker->model->timing != TIMING_EAGER) {
    struct diagnostic *d = REPORT(checker, E0427, span, "only the eager timing model has \"now\"");
    if (checker->timing != NULL)
      diagnostic_note(d, checker->timing->span, "the model is chosen here");
    diagnostic_hint(d, "write \"timing eager\", or use time(NODE)");
    return term_error(checker, span);
  }
  return term_new(checker, TERM_NOW, type_of(TYPE_TIME), span, 0);
}

static struct term *name_began(struct checker *checker, struct source_span span) {
  struct diagnostic *d;
  if (checker->position == POSITION_TARGET || checker->position == POSITION_EXPRESSION) {
    d = REPORT(checker, E0441, span, "a bound cannot mention when a phase began");
    diagnostic_hint(d, "the time of a phase's end is counted from its start anyway");
    return term_error(checker, span);
  }
  if (checker->phase == NULL) {
    d = REPORT(checker, E0427, span, "\"began\" is the start of a phase, and this is in none");
    diagnostic_hint(d, "move the formula into a phase: phase NAME { ... }");
    return term_error(checker, span);
  }
  return term_new(checker, TERM_BEGAN, type_of(TYPE_TIME), span, 0);
}

struct term *check_name(struct checker *checker, const struct syntax *syntax) {
  const char *name = syntax->name.text;
  const struct variable *variable = scope_find(checker, name);
  if (variable != NULL)
    return term_variable(checker, variable, syntax->span);
  if (checker->here != NULL && checker->here->type.kind == TYPE_NODE) {
    struct symbol *own = symbol_find(checker, SPACE_STATE, checker->here->type.role, name);
    if (own != NULL)
      return term_state(checker, own->state, checker->here, syntax->span);
  }
  struct symbol *symbol = symbol_find(checker, SPACE_GLOBAL, NULL, name);
  if (symbol != NULL)
    return name_of_symbol(checker, symbol, syntax->span);
  if (checker->acting == NULL && checker->position != POSITION_INITIAL) {
    struct term *term = state_of_single(checker, syntax);
    if (term != NULL)
      return term;
  }
  if (strcmp(name, "first") == 0 || strcmp(name, "last") == 0)
    return end_of_family(checker, syntax);
  if (strcmp(name, "now") == 0)
    return name_now(checker, syntax->span);
  if (strcmp(name, "began") == 0)
    return name_began(checker, syntax->span);
  return unknown_name(checker, syntax);
}

struct term *check_field(struct checker *checker, const struct syntax *syntax) {
  struct term *node = check_term(checker, syntax_arg(syntax, 0));
  if (node->type.kind == TYPE_ERROR)
    return node;
  const char *name = syntax->name.text;
  if (node->type.kind != TYPE_NODE) {
    struct diagnostic *d =
        REPORT(checker, E0301, syntax_arg(syntax, 0)->span, "only a node has state; this is %s",
               type_text(checker, &node->type));
    if (node->kind == TERM_ROLE_SET)
      diagnostic_hint(d, "name one node: forall i in %s. i.%.60s ...", node->type.role->name, name);
    return term_error(checker, syntax->span);
  }
  const struct role *role = node->type.role;
  struct symbol *symbol = symbol_find(checker, SPACE_STATE, role, name);
  if (symbol != NULL)
    return term_state(checker, symbol->state, node, syntax->span);
  struct diagnostic *d = REPORT(checker, E0203, syntax->name.span,
                                "role \"%.60s\" has no state \"%.60s\"", role->name, name);
  hint_nearest(checker, d, name, 1u << SYMBOL_STATE, role);
  return term_error(checker, syntax->span);
}

struct term *term_occurrence(struct checker *checker, const struct component *component,
                             const struct syntax *syntax) {
  size_t count = syntax->kind == SYNTAX_INDEX ? syntax->args.count - 1 : 0;
  if (component->repeated && count != 0) {
    struct diagnostic *d = REPORT(checker, E0435, syntax->span,
                                  "the executions of \"%.60s\" have no names", component->name);
    diagnostic_note(d, component->span, "it is executed any number of times");
    diagnostic_hint(d, "write %.60s, which each of them is at most", component->name);
    return term_error(checker, syntax->span);
  }
  if (component->kind == COMPONENT_CONSTANT) {
    struct diagnostic *d =
        REPORT(checker, E0309, syntax->span, "\"%.60s\" is a constant", component->name);
    diagnostic_hint(d, "write %.60s", component->name);
    return term_error(checker, syntax->span);
  }
  if (component->kind != COMPONENT_STEP) {
    struct diagnostic *d =
        REPORT(checker, E0309, syntax->span, "\"%.60s\" is indexed by a message", component->name);
    diagnostic_hint(d, "write %s(MESSAGE)", component->name);
    return term_error(checker, syntax->span);
  }
  if (count != component->index_count) {
    struct diagnostic *d = REPORT(
        checker, E0302, syntax->span, "component \"%.60s\" has %zu %s, not %zu", component->name,
        component->index_count, component->index_count == 1 ? "index" : "indices", count);
    diagnostic_note(d, component->span, "declared here");
    return term_error(checker, syntax->span);
  }
  struct term *term = term_new(checker, TERM_OCCURRENCE, type_of(TYPE_TIME), syntax->span, count);
  term->component = component;
  bool outer = checker->in_index;
  checker->in_index = true;
  for (size_t i = 0; i < count; i++)
    term->args[i] = check_typed(checker, syntax_arg(syntax, i + 1), &component->index[i],
                                "the index of a component");
  checker->in_index = outer;
  return term;
}

struct term *check_index(struct checker *checker, const struct syntax *syntax) {
  const struct syntax *base = syntax_arg(syntax, 0);
  if (base->kind == SYNTAX_NAME && scope_find(checker, base->name.text) == NULL) {
    const struct symbol *symbol = symbol_of_kind(checker, SYMBOL_COMPONENT, base->name.text);
    const struct symbol *role = symbol_of_kind(checker, SYMBOL_ROLE, base->name.text);
    if (role != NULL)
      return check_owned_set(checker, syntax, role->role);
    bool allowed = is_formula_position(checker) || checker->position == POSITION_EXPRESSION;
    if (symbol != NULL && is_forbidden(checker, syntax->span, allowed, "an occurrence"))
      return term_error(checker, syntax->span);
    if (symbol != NULL)
      return term_occurrence(checker, symbol->component, syntax);
  }
  struct term *map = check_term(checker, base);
  if (map->type.kind == TYPE_ERROR)
    return map;
  if (map->type.kind != TYPE_MAP) {
    REPORT(checker, E0301, base->span, "only a map or a component has an index; this is %s",
           type_text(checker, &map->type));
    return term_error(checker, syntax->span);
  }
  if (syntax->args.count != 2) {
    REPORT(checker, E0302, syntax->span, "a map has 1 index, not %zu", syntax->args.count - 1);
    return term_error(checker, syntax->span);
  }
  struct type key = type_node(map->type.role);
  struct term *term = term_new(checker, TERM_MAP_GET, *map->type.element, syntax->span, 2);
  term->args[0] = map;
  term->args[1] = check_typed(checker, syntax_arg(syntax, 1), &key, "the index of this map");
  return term;
}
