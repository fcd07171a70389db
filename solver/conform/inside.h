/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One instance while it is checked; for the files of solver/conform only.
 */
#ifndef SOLVER_CONFORM_INSIDE_H
#define SOLVER_CONFORM_INSIDE_H

#include "base/text.h"
#include "solver/conform/conform.h"
#include "solver/judge/evaluate.h"
#include "solver/judge/step.h"
#include "solver/judge/valuation.h"

typedef VECTOR(const struct conform_event *) event_list;

/* The event of a bound for one choice of its variables. */
struct happening {
  size_t bound;
  int64_t values[INDEX_COUNT_MAX];
  int64_t time;  /* the latest, since time 0 */
  int64_t begun; /* what the bound counts from, since time 0 */
};

/* A message that its receiver could take at some time. */
struct takeable {
  const struct message *message;
  int64_t fields[INDEX_COUNT_MAX];
};

/* How long a message waits that no step receives: as long as anything happens (WAIT_ALL). One that
 * its receiver never could take waits for nothing; which these are is known after all steps
 * (WAIT_WATCHED), for another time (WAIT_KNOWN). */
enum wait_untaken { WAIT_ALL, WAIT_WATCHED, WAIT_KNOWN };

struct conform {
  struct interpreter *interpreter;
  struct conform_settings settings;
  struct values values;
  struct valuation recorded; /* of bounds */
  struct rational scratch, answer, limit;
  bool *mentioned; /* by component id: in a judged bound */
  int64_t *bindings;
  struct conform_counts counts;
  struct conform_tightness *tightness;

  /* Of the instance. */
  const struct conform_event *all;
  size_t all_count;
  int64_t origin;
  event_list steps;                    /* by node, then in order */
  size_t *next, *past;                 /* by dense node: its steps still to be taken */
  const struct conform_event **before; /* by dense node: the step taken last, or NULL */
  int64_t *free_at;                    /* by dense node: its end */
  event_list receives, sends, arrivals, waits, parts; /* by identity */
  bool *used;                                         /* by place in `sends`: a step made it */
  bool *charged;                                      /* by place in `parts`: a step did */
  bool *executed; /* by place in `all`: an execution that a step charged by its record */
  struct world *world;
  VECTOR(struct step) losses; /* of messages that no step receives, once they can be lost */
  VECTOR(struct happening) happened;
  struct conform_counts here;
  VECTOR(const struct message *) sent_now; /* by the step under way */
  int64_t slack_used;                      /* the sum of the differences tolerated */
  int64_t last_start;                      /* of any step, since time 0 */
  bool unmet;                              /* an assumption does not hold */
  enum wait_untaken untaken;
  VECTOR(struct takeable) takeable; /* of WAIT_WATCHED and WAIT_KNOWN */

  /* Of the step. */
  const struct conform_event *event;
  struct step step;
  int64_t model_start, read_offset;
  size_t costs_asked, count_without;     /* those that have no record of their own */
  size_t repeated_asked;                 /* of the costs, executions of repeated components */
  const struct occurrence *without_part; /* the latest cost that has none */
  event_list executions;                 /* those it charged by their records */

  const struct conform_event *culprit;
  struct conform_gap gap; /* of the culprit */
  enum conform_verdict verdict;
  struct text reason, allowed;
};

/* ---- conform_misfit.c */

/* Remembers the misfit with the earliest event; of one event the first reported. */
void misfit(struct conform *c, enum conform_verdict verdict, const struct conform_event *event,
            const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Lists what the node of the event could have done in the world as it is. That a step could not be
 * taken at all says more than that it would have come at the wrong time. */
void misfit_allowed(struct conform *c, const struct conform_event *event, const struct step *step);

/* ---- conform_index.c */

/* Sorts the events of the instance into the lists; misfits of single events (foreign ones,
 * duplicates, arrivals before their sending) are remembered. */
void index_events(struct conform *c);
void conform_index_clear(struct conform *c);

/* Whether the lists are sorted, and every step is one of its node's: before any is taken. */
bool index_is_valid(const struct conform *c);

/* The event with this identity in a list by identity, or NULL. `place` may be NULL. */
const struct conform_event *index_find(const event_list *list, const void *what,
                                       const int64_t *arguments, size_t count, size_t *place);

/* ---- conform_step.c */

/* Recorded parts that no step charged. */
void leftover_parts(struct conform *c);

/* Takes the step of an event; false after a misfit. */
bool take_step(struct conform *c, const struct conform_event *event);

/* Whether the time before such a step may be counted as part of its cost. */
bool counts_in(const struct conform *c, const struct action *action);

/* The values of the step under way. */
struct valuation stepping_valuation(struct conform *c);

/* ---- conform_message.c */

/* After a step that sent: compares with what was recorded, and gives the messages their recorded
 * delivery times and their occurrences the recorded values. */
bool match_sends(struct conform *c, size_t step_number);

/* Before a step that receives: its message is there, and its wait as recorded. */
bool match_receipt(struct conform *c, int64_t *delivered);

/* Has the network lose what nobody receives, as far as the messages before it are out of its way.
 */
void take_losses(struct conform *c);

/* Remembers the messages that their receivers can take now. */
void watch_untaken(struct conform *c);

/* Recorded sends that no step made, messages taken out of a queue by none, parts of none. */
void leftovers(struct conform *c);

/* ---- conform_bound.c */

/* Notes the events of the bounds that have happened after the step taken last. */
void note_events(struct conform *c);

/* Assumptions, bounds and requests of the whole instance; whether it is complete. */
bool judge_instance(struct conform *c);

/* After an instance that fits. */
void keep_tightness(struct conform *c);

/* Since time 0 of the instance. */
static inline int64_t since(const struct conform *c, int64_t moment) {
  return moment - c->origin;
}

static inline int64_t whole(const struct rational *value) {
  int64_t result = 0;
  rational_floor(&result, value);
  return result;
}

static inline size_t dense(const struct conform *c, const struct conform_event *event) {
  return interpreter_node(c->interpreter, event->role, event->node);
}

static inline void set_value(struct conform *c, const struct occurrence *occurrence, int64_t ns) {
  if (values_is_set(&c->values, occurrence))
    return;
  rational_set_integer(&c->scratch, ns);
  values_set(&c->values, occurrence, &c->scratch);
}

#endif
