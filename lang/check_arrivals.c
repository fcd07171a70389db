/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `arrivals M every T burst B` and `paced every T burst B`: the pacer of a message (model.h), and
 * what follows from its rule alone. That is said as invariants, which are proved with the others in
 * every run. */
#include "lang/checker.h"

#include <string.h>

#include "lang/source.h"

/* --- the pacer -------------------------------------------------------------------------------- */

/* Durations and parameters of type time: nothing that a step could choose. */
static bool is_constant(const struct term *term) {
  switch (term->kind) {
  case TERM_TIME:
    return true;
  case TERM_BARE:
    return term->component->kind == COMPONENT_CONSTANT;
  case TERM_MUL:
    return term->args[0]->kind == TERM_INT && is_constant(term->args[1]);
  case TERM_ADD:
  case TERM_MAX:
  case TERM_MIN:
    for (size_t i = 0; i < term->count; i++)
      if (!is_constant(term->args[i]))
        return false;
    return true;
  default:
    return false;
  }
}

static const struct term *constant_time(struct checker *checker, const struct syntax *syntax,
                                        const char *what) {
  struct type time = type_of(TYPE_TIME);
  const struct term *term = check_typed(checker, syntax, &time, what);
  if (term->type.kind == TYPE_ERROR || is_constant(term))
    return term->type.kind == TYPE_ERROR ? NULL : term;
  struct diagnostic *d =
      REPORT(checker, E0450, syntax->span, "%s is a duration or a parameter", what);
  diagnostic_hint(d, "it is the same for all: declare \"param T : time\" and write T");
  return NULL;
}

void assume_at_least(struct checker *checker, const struct term *term, int64_t least) {
  struct text text;
  text_init(&text);
  text_format(&text, "%s >= %lld", source_slice(checker->source, term->span, checker->arena),
              (long long)least);
  bool said = false;
  for (size_t i = 0; i < checker->assumptions.count; i++)
    said |= strcmp(checker->assumptions.data[i]->text, text_get(&text)) == 0;
  if (!said) {
    struct assumption *made = arena_alloc(checker->arena, 1, sizeof *made);
    made->span = term->span;
    made->formula = term_pair(checker, TERM_GE, type_of(TYPE_BOOL), term->span,
                              term_copy(checker, term, NULL, NULL, 0),
                              term_integer_literal(checker, least, term->span));
    made->text = keep_text(checker, text_get(&text));
    vector_push(&checker->assumptions, made);
  }
  text_clear(&text);
}

/* (B - 1)*T */
static const struct term *tolerance_of(struct checker *checker, const struct syntax *most,
                                       bool is_jitter, const struct term *every) {
  if (is_jitter)
    return constant_time(checker, most, "the jitter of arrivals");
  struct type integer = type_of(TYPE_INT);
  struct source_span span = most->span;
  const struct term *burst = check_typed(checker, most, &integer, "a burst"), *less;
  if (burst->type.kind == TYPE_ERROR)
    return NULL;
  if (burst->kind == TERM_INT && burst->integer >= 1) {
    less = term_integer_literal(checker, burst->integer - 1, span);
  } else if (burst->kind == TERM_INT || burst->kind == TERM_NEG) {
    struct diagnostic *report = REPORT(checker, E0450, span, "a burst is at least 1");
    diagnostic_hint(report, "with \"burst 1\" no two leave closer together than the time "
                            "behind \"every\"");
    return NULL;
  } else {
    assume_at_least(checker, burst, 1);
    less =
        term_pair(checker, TERM_SUB, integer, span, burst, term_integer_literal(checker, 1, span));
  }
  return term_pair(checker, TERM_MUL, type_of(TYPE_TIME), span, less,
                   term_copy(checker, every, NULL, NULL, 0));
}

static const struct state *declare_pacer_state(struct checker *checker,
                                               const struct message *message,
                                               struct source_span span) {
  struct state *state = hidden_state(checker, "pacer", message, message->sender, span);
  state->type = type_of(TYPE_TIME);
  state->ghost = true;
  state->initial = term_zero_time(checker, span);
  return state;
}

/* --- what is known of it ---------------------------------------------------------------------- */

struct facts {
  struct checker *checker;
  const struct message *message;
  struct source_span span;
  const struct term **fields, **others; /* of two messages of the kind */
};

static const struct term *pair(const struct facts *f, enum term_kind kind, enum type_kind type,
                               const struct term *left, const struct term *right) {
  return term_pair(f->checker, kind, type_of(type), f->span, left, right);
}

static const struct term *both(const struct facts *f, const struct term *a, const struct term *b) {
  return pair(f, TERM_AND, TYPE_BOOL, a, b);
}

static const struct term *at_most(const struct facts *f, const struct term *a,
                                  const struct term *b) {
  return pair(f, TERM_LE, TYPE_BOOL, a, b);
}

static const struct term *copy(const struct facts *f, const struct term *term) {
  return term_copy(f->checker, term, NULL, NULL, 0);
}

static const struct term *about(const struct facts *f, enum term_kind kind,
                                const struct term *const *fields) {
  enum type_kind type = kind == TERM_SENT ? TYPE_BOOL : TYPE_TIME;
  struct term *made = term_new(f->checker, kind, type_of(type), f->span, f->message->field_count);
  made->message = f->message;
  made->component = kind == TERM_DELAY ? f->message->delay : NULL;
  for (size_t i = 0; i < f->message->field_count; i++)
    made->args[i] = fields[i];
  return made;
}

/* paced(M) + T */
static const struct term *next_after(const struct facts *f, const struct term *const *fields) {
  return pair(f, TERM_ADD, TYPE_TIME, about(f, TERM_PACED, fields),
              copy(f, f->message->pacer->every));
}

static void say(const struct facts *f, const char *what, const struct variable *const *variables,
                size_t count, const struct term *formula) {
  hidden_invariant(f->checker, what, f->message, f->span, variables, count, formula)->timing = true;
}

static const struct term *pacer_of(const struct facts *f, const struct term *const *fields) {
  const struct message *m = f->message;
  const struct term *node =
      m->sender_field >= 0 ? term_of_role(f->checker, fields[m->sender_field], m->sender, f->span)
                           : term_new(f->checker, TERM_NODE, type_node(m->sender), f->span, 0);
  struct term *made = term_new(f->checker, TERM_STATE, type_of(TYPE_TIME), f->span, 1);
  made->state = m->pacer->state;
  made->args[0] = node;
  return made;
}

/* When M leaves its sender: its delivery less its delay. */
static const struct term *leaves_at(const struct facts *f) {
  return pair(f, TERM_SUB, TYPE_TIME, about(f, TERM_TIME_MESSAGE, f->fields),
              about(f, TERM_DELAY, f->fields));
}

/* sent M implies left <= paced(M) <= left + (B - 1)*T, and paced(M) + T <= next */
static void say_kept(const struct facts *f) {
  const struct message *m = f->message;
  const struct variable **variables = bind_fields(f->checker, m, f->span, f->fields);
  const struct term *paced = about(f, TERM_PACED, f->fields);
  const struct term *left = leaves_at(f);
  const struct term *latest =
      pair(f, TERM_ADD, TYPE_TIME, copy(f, left), copy(f, m->pacer->tolerance));
  const struct term *all = both(f, at_most(f, left, paced),
                                both(f, at_most(f, copy(f, paced), latest),
                                     at_most(f, next_after(f, f->fields), pacer_of(f, f->fields))));
  all = pair(f, TERM_IMPLIES, TYPE_BOOL, about(f, TERM_SENT, f->fields), all);
  say(f, "paced", variables, m->field_count, all);
}

static const struct term *sender_of(const struct facts *f) {
  const struct message *m = f->message;
  return m->sender_field >= 0
             ? term_of_role(f->checker, f->fields[m->sender_field], m->sender, f->span)
             : term_new(f->checker, TERM_NODE, type_node(m->sender), f->span, 0);
}

/* A pacer that holds: sent M implies that it was handed over by now, leaves no sooner, and later
 * only when the bucket was empty. */
static void say_held(const struct facts *f) {
  const struct message *m = f->message;
  const struct variable **variables = bind_fields(f->checker, m, f->span, f->fields);
  const struct term *handed = about(f, TERM_HANDED, f->fields), *left = leaves_at(f);
  struct term *clock = term_new(f->checker, TERM_TIME_NODE, type_of(TYPE_TIME), f->span, 1);
  clock->args[0] = sender_of(f);
  const struct term *empty =
      at_most(f, pair(f, TERM_ADD, TYPE_TIME, copy(f, left), copy(f, m->pacer->tolerance)),
              about(f, TERM_PACED, f->fields));
  const struct term *all =
      both(f, at_most(f, handed, left),
           both(f, at_most(f, copy(f, handed), clock),
                pair(f, TERM_OR, TYPE_BOOL, at_most(f, copy(f, left), copy(f, handed)), empty)));
  all = pair(f, TERM_IMPLIES, TYPE_BOOL, about(f, TERM_SENT, f->fields), all);
  say(f, "handed", variables, m->field_count, all);
}

/* Of two that the same node sent, one is let go T after the other. */
static void say_apart(const struct facts *f) {
  const struct message *m = f->message;
  const struct variable **variables =
      arena_alloc(f->checker->arena, 2 * m->field_count, sizeof *variables);
  memcpy(variables, bind_fields(f->checker, m, f->span, f->fields),
         m->field_count * sizeof(void *));
  memcpy(variables + m->field_count, bind_fields(f->checker, m, f->span, f->others),
         m->field_count * sizeof(void *));
  const struct term *same = NULL, *two = NULL;
  for (size_t i = 0; i < m->field_count; i++) {
    if ((int)i == m->sender_field)
      two = pair(f, TERM_EQ, TYPE_BOOL, term_of_role(f->checker, f->fields[i], m->sender, f->span),
                 term_of_role(f->checker, f->others[i], m->sender, f->span));
    const struct term *equal = pair(f, TERM_EQ, TYPE_BOOL, f->fields[i], f->others[i]);
    same = same == NULL ? equal : both(f, same, equal);
  }
  if (same == NULL) /* there is one message of the kind */
    return;
  const struct term *given =
      both(f, about(f, TERM_SENT, f->fields), about(f, TERM_SENT, f->others));
  given = both(f, given, term_pair(f->checker, TERM_NOT, type_of(TYPE_BOOL), f->span, same, NULL));
  given = two == NULL ? given : both(f, two, given);
  const struct term *apart = pair(
      f, TERM_OR, TYPE_BOOL, at_most(f, next_after(f, f->fields), about(f, TERM_PACED, f->others)),
      at_most(f, next_after(f, f->others), about(f, TERM_PACED, f->fields)));
  say(f, "apart", variables, 2 * m->field_count, pair(f, TERM_IMPLIES, TYPE_BOOL, given, apart));
}

/* --- the declaration -------------------------------------------------------------------------- */

/* `said` is where the file gives the message a pacer. */
static bool may_have_pacer(struct checker *checker, struct source_span said,
                           const struct message *message) {
  const struct role *sender = message->sender;
  struct diagnostic *report = NULL;
  if (sender == NULL) /* reported */
    return false;
  if (message->pacer != NULL && message->pacer->holds) {
    report = REPORT(checker, E0450, said, "\"%.60s\" has a pacer, which holds what comes too soon",
                    message->name);
    diagnostic_note(report, message->pacer->span, "declared here");
    diagnostic_hint(report, "limit the message that makes %.60s send it, or leave one of them out",
                    sender->name);
  } else if (message->pacer != NULL) {
    report =
        REPORT(checker, E0450, said, "the arrivals of \"%.60s\" are declared twice", message->name);
    diagnostic_note(report, message->pacer->span, "first here");
    diagnostic_hint(report, "keep one of them");
  } else if (sender->external) {
    report = REPORT(checker, E0450, said,
                    "\"%.60s\" is sent by \"%.60s\", which is external and takes no steps",
                    message->name, sender->name);
    diagnostic_note(report, sender->span, "declared here");
    diagnostic_hint(report, "declare \"role %.60s\", with an action that sends it", sender->name);
  } else if (sender->count != NULL && message->sender_field < 0) {
    report =
        REPORT(checker, E0450, said,
               "which \"%.60s\" sends \"%.60s\" cannot be told, and each has a pacer of its own",
               sender->name, message->name);
    diagnostic_note(report, message->span, "declared here");
    diagnostic_hint(report,
                    "give the message a field that names its sender: %.60s(from: %.60s) : %.60s "
                    "from -> ...",
                    message->name, sender->name, sender->name);
  }
  return report == NULL;
}

/* From "every" on, as the file has it. */
static const char *text_of(struct checker *checker, const struct syntax *every,
                           const struct syntax *most) {
  struct source_span said = {every->span.start, most->span.end};
  struct text text;
  text_init(&text);
  text_format(&text, "every %s", source_slice(checker->source, said, checker->arena));
  const char *kept = keep_text(checker, text_get(&text));
  text_clear(&text);
  return kept;
}

static void give_pacer(struct checker *checker, struct message *message, struct pacer pacer) {
  pacer.state = declare_pacer_state(checker, message, pacer.span);
  message->pacer = arena_copy(checker->arena, &pacer, 1, sizeof pacer);
  checker->position = POSITION_INVARIANT;
  struct facts facts = {.checker = checker, .message = message, .span = pacer.span};
  facts.fields = arena_alloc(checker->arena, message->field_count, sizeof *facts.fields);
  facts.others = arena_alloc(checker->arena, message->field_count, sizeof *facts.others);
  say_kept(&facts);
  say_apart(&facts);
  if (pacer.holds)
    say_held(&facts);
}

void check_arrivals(struct checker *checker, const struct declaration *d) {
  struct message *message = find_message(checker, d->message);
  checker->position = POSITION_ASSUME;
  const struct term *every = constant_time(checker, d->expression, "the time between arrivals");
  const struct term *tolerance =
      every == NULL ? NULL : tolerance_of(checker, d->formula, d->time, every);
  if (message == NULL || tolerance == NULL || !may_have_pacer(checker, d->message.span, message))
    return;
  give_pacer(checker, message,
             (struct pacer){.span = d->message.span,
                            .text = text_of(checker, d->expression, d->formula),
                            .every = every,
                            .tolerance = tolerance});
}

/* What a pacer holds is overtaken by what goes round it, which a FIFO channel would forbid. */
static void check_channel(struct checker *checker, const struct message *message,
                          struct source_span said) {
  for (size_t i = 0; message->fifo && i < checker->messages.count; i++) {
    const struct message *other = checker->messages.data[i];
    if (other == message || !other->fifo || other->sender != message->sender ||
        other->receiver != message->receiver)
      continue;
    struct diagnostic *d = REPORT(
        checker, E0472, said,
        "\"%.60s\" waits for its pacer, and \"%.60s\" goes round it on the same FIFO channel",
        message->name, other->name);
    diagnostic_note(d, other->span, "declared here");
    diagnostic_hint(d, "make one message of both, with a field that says which it is, or leave "
                       "\"fifo\" out");
    return;
  }
}

void check_paced(struct checker *checker, const struct declaration *d) {
  const struct symbol *symbol = symbol_of_kind(checker, SYMBOL_MESSAGE, d->name.text);
  if (d->burst == NULL || symbol == NULL || symbol->span.start != d->name.span.start)
    return;
  struct message *message = symbol->message;
  struct source_span said = {d->expression->span.start, d->burst->span.end};
  checker->position = POSITION_ASSUME;
  const struct term *every = constant_time(checker, d->expression, "the time between releases");
  const struct term *tolerance =
      every == NULL ? NULL : tolerance_of(checker, d->burst, false, every);
  if (tolerance == NULL || !may_have_pacer(checker, said, message))
    return;
  check_channel(checker, message, said);
  give_pacer(checker, message,
             (struct pacer){.span = said,
                            .holds = true,
                            .text = text_of(checker, d->expression, d->burst),
                            .every = every,
                            .tolerance = tolerance});
}

void check_paced_send(struct checker *checker, const struct statement *send) {
  const struct pacer *pacer = send->message->pacer;
  if (pacer == NULL || send->variable_count == 0)
    return;
  struct diagnostic *d = REPORT(
      checker, E0451, send->span,
      pacer->holds ? "\"%.60s\" is sent to many at once, but its pacer lets them go one by one"
                   : "\"%.60s\" is sent to many at once, but its arrivals are limited one by one",
      send->message->name);
  diagnostic_note(d, pacer->span, "their limit is declared here");
  diagnostic_hint(d, "limit the message that makes this node send them, or send them one by one");
}
