/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The places that name something, with the checker's rules of who is called what where. */
#include <string.h>

#include "lang/name_scope.h"

enum { ABBREVIATIONS_FOLLOWED = 20 };

static void walk_term(struct name_walk *walk, const struct syntax *term);

static const struct name_entry *find_role(const struct name_walk *walk, const char *text) {
  return name_find(walk, 1u << NAME_ROLE, NULL, text);
}

static void use_global(struct name_walk *walk, const struct name *name, unsigned kinds) {
  if (name->text != NULL)
    name_use_add(walk, name->span, name_find(walk, kinds, NULL, name->text));
}

static const struct name_entry *find_variable(const struct name_walk *walk, const char *text) {
  for (size_t i = walk->scope.count; i-- > 0;)
    if (strcmp(walk->scope.data[i]->text, text) == 0)
      return walk->scope.data[i];
  return NULL;
}

/* A state of a role that is one node. */
static const struct name_entry *state_of_single(const struct name_walk *walk, const char *text) {
  for (size_t i = 0; i < walk->index->entries.count; i++) {
    const struct name_entry *role = walk->index->entries.data[i];
    if (role->kind != NAME_ROLE || role->declaration->formula != NULL)
      continue;
    const struct name_entry *state = name_find(walk, 1u << NAME_STATE, role, text);
    if (state != NULL)
      return state;
  }
  return NULL;
}

static const struct name_entry *resolve(const struct name_walk *walk, const char *text) {
  const struct name_entry *found = find_variable(walk, text);
  if (found == NULL && walk->here != NULL)
    found = name_find(walk, 1u << NAME_STATE, walk->here, text);
  if (found == NULL)
    found = name_find(walk, NAMES_GLOBAL, NULL, text);
  if (found == NULL && !walk->acting && !walk->initial)
    found = state_of_single(walk, text);
  return found;
}

static const struct name_entry *role_of(struct name_walk *walk, const struct syntax *term);

static const struct name_entry *resolve_field(struct name_walk *walk, const struct syntax *term) {
  const struct name_entry *role = role_of(walk, syntax_arg(term, 0));
  return role == NULL ? NULL : name_find(walk, 1u << NAME_STATE, role, term->name.text);
}

static const struct name_entry *only_family(const struct name_walk *walk) {
  const struct name_entry *only = NULL;
  for (size_t i = 0; i < walk->index->entries.count; i++) {
    const struct name_entry *role = walk->index->entries.data[i];
    if (role->kind != NAME_ROLE || role->declaration->formula == NULL)
      continue;
    if (only != NULL)
      return NULL;
    only = role;
  }
  return only;
}

/* Of what an abbreviation stands for; one of a chain that is too long, or that ends in itself, has
 * none. */
static const struct name_entry *role_of_body(struct name_walk *walk,
                                             const struct name_entry *abbreviation) {
  if (walk->abbreviations == ABBREVIATIONS_FOLLOWED)
    return NULL;
  walk->abbreviations++;
  const struct name_entry *found = role_of(walk, abbreviation->declaration->formula);
  walk->abbreviations--;
  return found;
}

static const struct name_entry *role_of_name(struct name_walk *walk, const char *text) {
  const struct name_entry *entry = resolve(walk, text);
  if (entry == NULL)
    return strcmp(text, "first") == 0 || strcmp(text, "last") == 0 ? only_family(walk) : NULL;
  if (entry->kind == NAME_ABBREVIATION)
    return role_of_body(walk, entry);
  return entry->kind == NAME_ROLE ? entry : entry->role;
}

static const struct name_entry *role_of_call(struct name_walk *walk, const struct syntax *term) {
  const struct name_entry *abbreviation =
      name_find(walk, 1u << NAME_ABBREVIATION, NULL, term->name.text);
  if (abbreviation != NULL)
    return role_of_body(walk, abbreviation);
  if (term->args.count != 1)
    return NULL;
  const struct name_entry *role = name_find(walk, 1u << NAME_ROLE, NULL, term->name.text);
  if (role != NULL)
    return role;
  const struct syntax *arg = syntax_arg(term, 0);
  if (strcmp(term->name.text, "receiver") != 0)
    return role_of(walk, arg);
  const struct name_entry *message =
      arg->name.text == NULL ? NULL : name_find(walk, 1u << NAME_MESSAGE, NULL, arg->name.text);
  return message == NULL ? NULL : find_role(walk, message->declaration->receiver.role.text);
}

/* The role of a node, of a set's members or of a map's elements. */
static const struct name_entry *role_of(struct name_walk *walk, const struct syntax *term) {
  const struct name_entry *found = NULL;
  switch (term->kind) {
  case SYNTAX_NAME:
    return role_of_name(walk, term->name.text);
  case SYNTAX_CALL:
    return role_of_call(walk, term);
  case SYNTAX_FIELD:
    found = resolve_field(walk, term);
    return found == NULL ? NULL : found->role;
  case SYNTAX_INDEX:
  case SYNTAX_BEFORE:
    return role_of(walk, syntax_arg(term, 0));
  case SYNTAX_SET:
  case SYNTAX_ADD:
  case SYNTAX_SUB:
  case SYNTAX_INTERSECTION:
  case SYNTAX_ITE:
    for (size_t i = term->kind == SYNTAX_ITE; i < term->args.count && found == NULL; i++)
      found = role_of(walk, syntax_arg(term, i));
    return found;
  default:
    return NULL;
  }
}

static void walk_terms(struct name_walk *walk, const struct list *terms) {
  for (size_t i = 0; i < terms->count; i++)
    walk_term(walk, terms->items[i]);
}

static struct name_entry *push_variable(struct name_walk *walk, const struct name *name,
                                        const struct name_entry *role) {
  struct name_entry *made = name_declare(walk, NAME_VARIABLE, name, NULL);
  made->role = role;
  vector_push(&walk->scope, made);
  return made;
}

static void walk_binders(struct name_walk *walk, const struct list *binders) {
  for (size_t i = 0; i < binders->count; i++) {
    const struct binder *binder = list_binder(binders, i);
    walk_term(walk, binder->domain);
    push_variable(walk, &binder->name, role_of(walk, binder->domain))->binder = binder;
  }
}

/* Words such as next(i) and time(i) mean nothing that is declared. */
static bool is_function(const char *text) {
  static const char *const words[] = {"first",    "last",    "next",  "prev",   "index",   "time",
                                      "receiver", "arrival", "paced", "handed", "released"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strcmp(words[i], text) == 0)
      return true;
  return false;
}

static void walk_binding(struct name_walk *walk, const struct syntax *term) {
  size_t depth = walk->scope.count;
  if (term->kind == SYNTAX_KTH_OVER)
    walk_term(walk, syntax_arg(term, 1));
  walk_binders(walk, &term->binders);
  walk_term(walk, syntax_arg(term, 0));
  walk->scope.count = depth;
}

/* What the latest use stands in. */
static void use_whole(struct name_walk *walk, struct source_span name, struct source_span whole) {
  size_t count = walk->index->uses.count;
  if (count != 0 && walk->index->uses.data[count - 1].span.start == name.start)
    walk->index->uses.data[count - 1].whole = whole;
}

/* C[i], m[b]: the name first, then the rest. */
static void walk_index(struct name_walk *walk, const struct syntax *term) {
  const struct syntax *base = syntax_arg(term, 0);
  walk_term(walk, base);
  if (base->kind == SYNTAX_NAME)
    use_whole(walk, base->name.span, term->span);
  for (size_t i = 1; i < term->args.count; i++)
    walk_term(walk, syntax_arg(term, i));
}

static void walk_term(struct name_walk *walk, const struct syntax *term) {
  switch (term->kind) {
  case SYNTAX_INDEX:
    walk_index(walk, term);
    return;
  case SYNTAX_NAME:
    name_use_add(walk, term->name.span, resolve(walk, term->name.text));
    break;
  case SYNTAX_FIELD:
    name_use_add(walk, term->name.span, resolve_field(walk, term));
    break;
  case SYNTAX_CALL:
    if (!is_function(term->name.text))
      use_global(walk, &term->name, NAMES_GLOBAL);
    use_whole(walk, term->name.span, term->span);
    break;
  case SYNTAX_SENT:
  case SYNTAX_PENDING:
  case SYNTAX_RECEIVED:
  case SYNTAX_LOST:
    use_global(walk, &term->name, 1u << NAME_MESSAGE);
    break;
  case SYNTAX_CHARGED:
    use_global(walk, &term->name, NAMES_GLOBAL);
    break;
  default:
    break;
  }
  if (term->binders.count != 0)
    walk_binding(walk, term);
  else
    walk_terms(walk, &term->args);
}

static void walk_optional(struct name_walk *walk, const struct syntax *term) {
  if (term != NULL)
    walk_term(walk, term);
}

static void walk_type(struct name_walk *walk, const struct type_syntax *type) {
  if (type == NULL)
    return;
  use_global(walk, &type->name, 1u << NAME_ROLE | 1u << NAME_ENUM);
  walk_type(walk, type->element);
}

static void walk_block(struct name_walk *walk, const struct block_syntax *block);

static void walk_statement(struct name_walk *walk, const struct statement_syntax *statement) {
  size_t depth = walk->scope.count;
  if (statement->kind == STATEMENT_SYNTAX_ASSIGN && walk->here != NULL)
    name_use_add(walk, statement->name.span,
                 name_find(walk, 1u << NAME_STATE, walk->here, statement->name.text));
  else if (statement->kind == STATEMENT_SYNTAX_SEND)
    use_global(walk, &statement->name, 1u << NAME_MESSAGE);
  walk_binders(walk, &statement->binders);
  walk_optional(walk, statement->key);
  walk_optional(walk, statement->value);
  walk_terms(walk, &statement->args);
  walk_optional(walk, statement->to);
  walk_block(walk, statement->then_block);
  walk_block(walk, statement->else_block);
  walk->scope.count = depth;
}

static void walk_block(struct name_walk *walk, const struct block_syntax *block) {
  for (size_t i = 0; block != NULL && i < block->statements.count; i++)
    walk_statement(walk, block->statements.items[i]);
}

/* The field that the index-th argument of a message is for, or NULL. */
static const struct name_entry *field_at(const struct name_walk *walk,
                                         const struct name_entry *message, size_t index) {
  if (message == NULL || index >= message->declaration->items.count)
    return NULL;
  const struct item_syntax *item = message->declaration->items.items[index];
  return name_find(walk, 1u << NAME_FIELD, message, item->name.text);
}

/* A name that is known is used, a new one is a variable: the field's. */
static void walk_pattern_name(struct name_walk *walk, const struct name *name,
                              const struct name_entry *field) {
  const struct name_entry *known = find_variable(walk, name->text);
  if (known != NULL)
    name_use_add(walk, name->span, known);
  else
    push_variable(walk, name, field == NULL ? NULL : field->role)->owner = field;
}

/* on M(x, y) */
static void walk_pattern(struct name_walk *walk, const struct declaration *d) {
  const struct name_entry *message =
      d->message.text == NULL ? NULL : name_find(walk, 1u << NAME_MESSAGE, NULL, d->message.text);
  use_global(walk, &d->message, 1u << NAME_MESSAGE);
  for (size_t i = 0; i < d->names.count; i++)
    walk_pattern_name(walk, d->names.items[i], field_at(walk, message, i));
}

/* from sent M(x, y) */
static void walk_from(struct name_walk *walk, const struct declaration *d) {
  if (d->from.text == NULL)
    return;
  const struct name_entry *message = name_find(walk, 1u << NAME_MESSAGE, NULL, d->from.text);
  use_global(walk, &d->from, 1u << NAME_MESSAGE);
  for (size_t i = 0; i < d->from_args.count; i++) {
    const struct syntax *arg = d->from_args.items[i];
    bool word = arg->kind == SYNTAX_NAME &&
                (strcmp(arg->name.text, "first") == 0 || strcmp(arg->name.text, "last") == 0);
    if (arg->kind == SYNTAX_NAME && !word &&
        name_find(walk, NAMES_GLOBAL, NULL, arg->name.text) == NULL)
      walk_pattern_name(walk, &arg->name, field_at(walk, message, i));
    else
      walk_term(walk, arg);
  }
}

static void walk_action(struct name_walk *walk, const struct declaration *d) {
  const struct name_entry *role = find_role(walk, d->role.text);
  use_global(walk, &d->role, 1u << NAME_ROLE);
  use_global(walk, &d->slot, 1u << NAME_SLOT);
  walk->here = role;
  walk->acting = true;
  if (d->node.text != NULL)
    push_variable(walk, &d->node, role);
  walk_pattern(walk, d); /* what is chosen may depend on the fields */
  walk_binders(walk, &d->binders);
  use_global(walk, &d->timeout, 1u << NAME_TIMEOUT);
  walk_optional(walk, d->timer);
  if (d->read.text != NULL)
    push_variable(walk, &d->read, NULL);
  walk_optional(walk, d->cost);
  walk_block(walk, d->block);
  walk->acting = false;
  walk->here = NULL;
  walk->scope.count = 0;
}

static void walk_state(struct name_walk *walk, const struct declaration *d) {
  use_global(walk, &d->name, 1u << NAME_ROLE);
  if (d->node.text != NULL)
    push_variable(walk, &d->node, find_role(walk, d->name.text));
  walk->initial = true;
  for (size_t i = 0; i < d->items.count; i++) {
    const struct item_syntax *item = d->items.items[i];
    walk_type(walk, item->type);
    walk_optional(walk, item->initial);
  }
  walk->initial = false;
  walk->scope.count = 0;
}

static void walk_items(struct name_walk *walk, const struct declaration *d) {
  for (size_t i = 0; i < d->items.count; i++) {
    const struct item_syntax *item = d->items.items[i];
    walk_type(walk, item->type);
    for (size_t k = 0; k < item->index.count; k++)
      walk_type(walk, item->index.items[k]);
  }
}

static void walk_side(struct name_walk *walk, const struct declaration *d,
                      const struct side_syntax *side) {
  const struct name_entry *message = name_find(walk, 1u << NAME_MESSAGE, NULL, d->name.text);
  use_global(walk, &side->role, 1u << NAME_ROLE);
  if (side->field.text != NULL)
    name_use_add(walk, side->field.span,
                 name_find(walk, 1u << NAME_FIELD, message, side->field.text));
}

static void walk_message(struct name_walk *walk, const struct declaration *d) {
  walk_items(walk, d);
  walk_side(walk, d, &d->sender);
  walk_side(walk, d, &d->receiver);
  use_global(walk, &d->over, 1u << NAME_DELAY);
  walk_optional(walk, d->formula);
  walk_optional(walk, d->expression);
  walk_optional(walk, d->burst);
}

/* A bound, or the end of a phase. */
static void walk_claim(struct name_walk *walk, const struct declaration *d) {
  walk_binders(walk, &d->binders);
  walk_from(walk, d);
  walk_optional(walk, d->at);
  walk->here = d->at == NULL ? NULL : role_of(walk, d->at);
  walk_optional(walk, d->formula);
  walk->here = NULL;
  use_global(walk, &d->message, 1u << NAME_MESSAGE);
  walk_terms(walk, &d->args);
  walk_optional(walk, d->expression);
  walk->scope.count = 0;
}

static void walk_abbreviation(struct name_walk *walk, const struct declaration *d) {
  walk_items(walk, d);
  for (size_t i = 0; i < d->items.count; i++) {
    const struct item_syntax *item = d->items.items[i];
    push_variable(walk, &item->name, find_role(walk, item->type->name.text));
  }
  walk_term(walk, d->formula);
  walk->scope.count = 0;
}

static void walk_declaration(struct name_walk *walk, const struct declaration *d) {
  switch (d->kind) {
  case DECLARATION_LET:
    walk_abbreviation(walk, d);
    break;
  case DECLARATION_COMPONENT:
    walk_items(walk, d);
    break;
  case DECLARATION_MESSAGE:
    walk_message(walk, d);
    break;
  case DECLARATION_STATE:
    walk_state(walk, d);
    break;
  case DECLARATION_ARRIVALS:
    use_global(walk, &d->message, 1u << NAME_MESSAGE);
    walk_term(walk, d->expression);
    walk_term(walk, d->formula);
    break;
  case DECLARATION_SCHEDULE:
    use_global(walk, &d->role, 1u << NAME_ROLE);
    use_global(walk, &d->timeout, 1u << NAME_TIMEOUT);
    break;
  case DECLARATION_ACTION:
    walk_action(walk, d);
    break;
  case DECLARATION_BOUND:
  case DECLARATION_END:
    walk_claim(walk, d);
    break;
  case DECLARATION_PHASE:
    for (size_t i = 0; i < d->parts.count; i++)
      walk_declaration(walk, d->parts.items[i]);
    break;
  default:
    walk_optional(walk, d->formula);
    walk_optional(walk, d->expression); /* of a family: how many belong to each */
    break;
  }
}

void name_walk_uses(struct name_walk *walk) {
  for (size_t i = 0; i < walk->ast->declarations.count; i++)
    walk_declaration(walk, walk->ast->declarations.items[i]);
}
