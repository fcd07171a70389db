/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `loses K` of a message: the hidden count of each receiver, the action of a loss, and what follows
 * from its rule alone. That is said as invariants, which are proved with the others in every run.
 */
#include "lang/checker.h"
#include "lang/instantiate.h"
#include "lang/source.h"

/* --- the declaration -------------------------------------------------------------------------- */

static const struct term *most_of(struct checker *checker, const struct syntax *syntax) {
  struct type integer = type_of(TYPE_INT);
  checker->position = POSITION_ASSUME;
  const struct term *most = check_typed(checker, syntax, &integer, "how many are lost");
  if (most->type.kind == TYPE_ERROR)
    return NULL;
  bool negative = most->kind == TERM_NEG && most->args[0]->kind == TERM_INT;
  if (!negative && term_is_of_parameters(most)) {
    if (most->kind != TERM_INT)
      assume_at_least(checker, most, 0);
    return most;
  }
  struct diagnostic *d = REPORT(checker, E0468, syntax->span,
                                negative ? "no fewer than 0 messages are lost"
                                         : "how many are lost is made of numbers and parameters");
  diagnostic_hint(d, negative ? "leave \"loses\" out where nothing is lost"
                              : "declare \"param k : int >= 0\" and write \"loses k\"");
  return NULL;
}

static bool may_lose(struct checker *checker, const struct declaration *d,
                     const struct message *message) {
  const struct role *receiver = message->receiver;
  if (receiver == NULL || !receiver->external)
    return receiver != NULL;
  struct diagnostic *report =
      REPORT(checker, E0468, d->formula->span,
             "\"%.60s\" goes to \"%.60s\", which is external: what it misses changes nothing",
             message->name, receiver->name);
  diagnostic_note(report, receiver->span, "declared here");
  diagnostic_hint(report, "a bound holds for what is delivered; leave \"loses\" out");
  return false;
}

static const struct state *declare_count(struct checker *checker, const struct message *message) {
  struct state *state = hidden_state(checker, "losses", message, message->receiver, message->span);
  state->type = type_of(TYPE_INT);
  state->loses = message;
  state->initial = term_integer_literal(checker, 0, message->span);
  return state;
}

static struct term *count_at(struct checker *checker, const struct message *message,
                             const struct term *node, struct source_span span) {
  struct term *made = term_new(checker, TERM_STATE, type_of(TYPE_INT), span, 1);
  made->state = message->loss->state;
  made->args[0] = node;
  return made;
}

/* --- what is known of it ---------------------------------------------------------------------- */

static const struct term *pair(struct checker *checker, enum term_kind kind,
                               const struct term *left, const struct term *right) {
  return term_pair(checker, kind, type_of(TYPE_BOOL), left->span, left, right);
}

/* 0 <= losses(M) <= K, of each receiver */
static void say_limited(struct checker *checker, const struct message *message) {
  const struct role *role = message->receiver;
  struct source_span span = message->span;
  struct name name = {role->name, span};
  struct variable *node = variable_new(checker, name, type_node(role));
  node->domain = DOMAIN_ROLE;
  const struct term *self = role->count == NULL
                                ? term_new(checker, TERM_NODE, type_node(role), span, 0)
                                : term_variable(checker, node, span);
  const struct term *none = term_integer_literal(checker, 0, span);
  const struct term *all =
      pair(checker, TERM_AND, pair(checker, TERM_LE, none, count_at(checker, message, self, span)),
           pair(checker, TERM_LE, count_at(checker, message, self, span),
                term_copy(checker, message->loss->most, NULL, NULL, 0)));
  const struct variable *variables[] = {node};
  hidden_invariant(checker, "losses", message, span, variables, role->count != NULL, all);
}

static const struct term *about(struct checker *checker, enum term_kind kind, struct type type,
                                const struct message *message, const struct term *const *fields) {
  struct term *made = term_new(checker, kind, type, message->span, message->field_count);
  made->message = message;
  for (size_t i = 0; i < message->field_count; i++)
    made->args[i] = fields[i];
  return made;
}

/* What is lost was sent, and its receiver has missed one. */
static void say_counted(struct checker *checker, const struct message *message) {
  const struct term **fields = arena_alloc(checker->arena, message->field_count, sizeof *fields);
  const struct variable **variables = bind_fields(checker, message, message->span, fields);
  struct type truth = type_of(TYPE_BOOL), node = type_node(message->receiver);
  const struct term *receiver = about(checker, TERM_RECEIVER, node, message, fields);
  const struct term *missed =
      pair(checker, TERM_LE, term_integer_literal(checker, 1, message->span),
           count_at(checker, message, receiver, message->span));
  const struct term *sent = about(checker, TERM_SENT, truth, message, fields);
  const struct term *lost = about(checker, TERM_LOST, truth, message, fields);
  hidden_invariant(checker, "lost", message, message->span, variables, message->field_count,
                   pair(checker, TERM_IMPLIES, lost, pair(checker, TERM_AND, sent, missed)));
}

void check_loss(struct checker *checker, const struct declaration *d) {
  const struct symbol *symbol = symbol_of_kind(checker, SYMBOL_MESSAGE, d->name.text);
  if (d->formula == NULL || symbol == NULL || symbol->span.start != d->name.span.start)
    return;
  struct message *message = symbol->message;
  const struct term *most = most_of(checker, d->formula);
  if (most == NULL || !may_lose(checker, d, message))
    return;
  struct loss *loss = arena_alloc(checker->arena, 1, sizeof *loss);
  loss->span = d->formula->span;
  loss->text = keep_text(checker, source_slice(checker->source, loss->span, checker->arena));
  loss->most = most;
  loss->state = declare_count(checker, message);
  message->loss = loss;
  say_limited(checker, message);
  say_counted(checker, message);
}

/* --- the action ------------------------------------------------------------------------------- */

static void make_loss(struct checker *checker, const struct message *message) {
  struct source_span span = message->loss->span;
  const struct role *role = message->receiver;
  struct name node = {role->name, span};
  struct action *made = hidden_action(checker, role, "loses", message->name, node);
  made->id = checker->actions.count;
  made->loses = true;
  made->message = message;
  made->fields = arena_alloc(checker->arena, message->field_count, sizeof *made->fields);
  for (size_t i = 0; i < message->field_count; i++) {
    struct name name = {message->fields[i].name, span};
    made->fields[i] = variable_new(checker, name, message->fields[i].type);
  }
  const struct term *self = term_variable(checker, made->node, span);
  const struct term *less = pair(checker, TERM_LT, count_at(checker, message, self, span),
                                 term_copy(checker, message->loss->most, NULL, NULL, 0));
  struct statement *count = arena_alloc(checker->arena, 1, sizeof *count);
  count->kind = STATEMENT_ASSIGN;
  count->span = span;
  count->state = message->loss->state;
  count->value =
      term_pair(checker, TERM_ADD, type_of(TYPE_INT), span, count_at(checker, message, self, span),
                term_integer_literal(checker, 1, span));
  made->guards = arena_copy(checker->arena, &less, 1, sizeof less);
  made->guard_count = 1;
  const struct statement *step = count;
  made->body.statements = arena_copy(checker->arena, &step, 1, sizeof step);
  made->body.count = 1;
  vector_push(&checker->actions, made);
}

void make_losses(struct checker *checker) {
  for (size_t i = 0; i < checker->messages.count; i++)
    if (checker->messages.data[i]->loss != NULL)
      make_loss(checker, checker->messages.data[i]);
}

/* --- losses(M), losses(M, NODE) --------------------------------------------------------------- */

static struct term *refuse_losses(struct checker *checker, const struct syntax *syntax,
                                  const struct message *message) {
  const struct role *role = message->receiver;
  struct diagnostic *d =
      REPORT(checker, E0302, syntax->span,
             role->count == NULL ? "\"losses\" takes a message: its receiver is one node"
                                 : "of which \"%.60s\" are these the losses?",
             role->name);
  diagnostic_note(d, message->span, "declared here");
  diagnostic_hint(d, role->count == NULL ? "write losses(%.60s)" : "write losses(%.60s, NODE)",
                  message->name);
  return term_error(checker, syntax->span);
}

struct term *check_losses(struct checker *checker, const struct syntax *syntax) {
  struct source_span span = syntax->span;
  if (is_forbidden(checker, span, is_formula_position(checker), "how many messages were lost"))
    return term_error(checker, span);
  if (syntax->args.count == 0 || syntax_arg(syntax, 0)->kind != SYNTAX_NAME) {
    struct diagnostic *d = REPORT(checker, E0302, span, "\"losses\" takes the name of a message");
    diagnostic_hint(d, "of one message alone say \"lost M(..)\"");
    return term_error(checker, span);
  }
  const struct message *message = find_message(checker, syntax_arg(syntax, 0)->name);
  if (message == NULL || !is_lossy(checker, message, span))
    return term_error(checker, span);
  const struct role *role = message->receiver;
  if (syntax->args.count != (role->count == NULL ? 1 : 2))
    return refuse_losses(checker, syntax, message);
  struct type type = type_node(role);
  const struct term *node = role->count == NULL ? term_new(checker, TERM_NODE, type, span, 0)
                                                : check_typed(checker, syntax_arg(syntax, 1), &type,
                                                              "who missed the messages");
  return node->type.kind == TYPE_ERROR ? term_error(checker, span)
                                       : count_at(checker, message, node, span);
}

bool is_lossy(struct checker *checker, const struct message *message, struct source_span span) {
  if (message->loss != NULL)
    return true;
  struct diagnostic *d = REPORT(checker, E0469, span, "no \"%.60s\" is ever lost", message->name);
  diagnostic_note(d, message->span, "declared here");
  diagnostic_hint(d, "say behind its receiver how many are lost at most: loses k");
  return false;
}
