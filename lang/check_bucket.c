/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Steps that send more messages of a kind at once than their `arrivals` allow. A step that sends k
 * of them needs (k - 1)*T <= (B - 1)*T, or the jitter: with k > B it can be taken with T = 0 alone,
 * and what is proved of it says nothing of any other T. */
#include "lang/checker.h"

/* The most sends of the message that are certain to go together: those of a block, and of one
 * branch of one of its `if`s (two may exclude each other). `last` gets the last of them. */
static int64_t sent_together(const struct block *block, const struct message *message,
                             const struct statement **last) {
  int64_t own = 0, most = 0;
  const struct statement *latest = NULL, *deepest = NULL;
  for (size_t i = 0; i < block->count; i++) {
    const struct statement *s = block->statements[i];
    if (s->kind == STATEMENT_SEND && s->message == message) {
      own++;
      latest = s;
    } else if (s->kind == STATEMENT_IF) {
      const struct block *const branches[] = {&s->then_block, &s->else_block};
      for (size_t k = 0; k < 2; k++) {
        const struct statement *end = NULL;
        int64_t count = sent_together(branches[k], message, &end);
        if (count > most) {
          most = count;
          deepest = end;
        }
      }
    }
  }
  if (own + most != 0)
    *last = latest == NULL || (deepest != NULL && deepest->span.start > latest->span.start)
                ? deepest
                : latest;
  return own + most;
}

/* Whether `count` of them can go together only where `every` is 0: the tolerance is a smaller
 * multiple of it, or both are durations. */
static bool is_too_many(const struct pacer *pacer, int64_t count) {
  const struct term *every = pacer->every, *most = pacer->tolerance;
  if (every->kind == TERM_TIME && rational_sign(&every->value) == 0)
    return false;
  if (most->kind == TERM_MUL && most->args[0]->kind == TERM_INT)
    return term_is_same(most->args[1], every) && most->args[0]->integer < count - 1;
  if (most->kind != TERM_TIME)
    return false;
  if (every->kind != TERM_TIME) /* any J above 0 may be enough */
    return rational_sign(&most->value) == 0 && count > 1;
  struct rational needed;
  rational_init(&needed);
  rational_set_integer(&needed, count - 1);
  rational_mul(&needed, &needed, &every->value);
  bool too_many = rational_compare(&needed, &most->value) > 0;
  rational_clear(&needed);
  return too_many;
}

void warn_bucket(struct checker *checker, const struct message *message) {
  const struct pacer *pacer = message->pacer;
  if (pacer == NULL || pacer->holds)
    return;
  for (size_t i = 0; i < checker->actions.count; i++) {
    const struct action *action = checker->actions.data[i];
    const struct statement *last = NULL;
    int64_t count = sent_together(&action->body, message, &last);
    if (count < 2 || !is_too_many(pacer, count))
      continue;
    bool never = pacer->every->kind == TERM_TIME;
    struct diagnostic *d =
        REPORT(checker, W0510, last->span,
               "\"%.60s\" sends \"%.60s\" %lld times at once, which \"%.60s\" %s", action->name,
               message->name, (long long)count, pacer->text,
               never ? "never allows" : "allows only where that time is 0");
    diagnostic_note(d, pacer->span, "the limit is declared here");
    diagnostic_hint(d, "send them in several steps, or allow %lld at once: burst %lld",
                    (long long)count, (long long)count);
  }
}
