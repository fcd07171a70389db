/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One step of a model: an action at a node, with a received message when the action has one. A
 * `record` says what a step did, in terms a timeline, a path query or a user can read.
 *
 * Statements of a step see the assignments before them; messages and charges they ask about are
 * those of the state before the step. Executions of repeated components, timeouts and clock reads
 * are occurrences numbered by the step (solver/judge/interpreter.h).
 */
#ifndef SOLVER_JUDGE_STEP_H
#define SOLVER_JUDGE_STEP_H

#include "solver/judge/world.h"

struct valuation;

struct step {
  const struct action *action;
  int64_t node;
  int64_t fields[INDEX_COUNT_MAX]; /* of the received message; zero beyond */
  int64_t choices[CHOICES_MAX];    /* what it chooses; zero beyond */
};

typedef VECTOR(struct step) step_vector;

enum step_result {
  STEP_TAKEN,
  STEP_NOT_ENABLED,
  STEP_SENT_TWICE,     /* an error of the model */
  STEP_CHARGED_TWICE,  /* an error of the model */
  STEP_WAIT_EXCEEDED,  /* the node's clock is beyond the delivery time plus the message's wait */
  STEP_WAITS_TOO_LONG, /* the message is delivered after the waiting of the schedule's slot */
  STEP_OVERTAKES,      /* advanced: the message was delivered before the arrival time, or after
                        * another that could be received */
  STEP_PASSES_OVER,    /* a message of a higher priority was there */
  STEP_READ_OUTSIDE,   /* the clock is read before the start or after the end */
  STEP_TOO_EARLY,      /* eager: it starts before the step taken before it */
  STEP_TOO_LATE,       /* eager: something was due before its start */
  STEP_TOO_MANY,       /* it sends a message sooner than the arrivals of its kind allow */
  STEP_OVERFLOW,       /* an integer left 64 bits */
};

struct record_message {
  const struct message *message;
  int64_t fields[INDEX_COUNT_MAX];
  int64_t receiver;
  const struct occurrence *delay;
  struct rational left, delivered; /* when it leaves its sender; 0 without times */
};

struct record_assignment {
  char *name;  /* "acked", "votes[backup[1]]": of the acting node */
  char *value; /* "{backup[0], backup[1]}" */
};

/* What a step did. The record owns its texts and numbers; occurrences live in the interpreter. */
struct step_record {
  struct step step;
  enum step_result result;
  bool timed;
  struct rational start, end;                 /* 0 without times; of a loss: when the message would
                                               * have been there */
  const struct occurrence *wait, *wait_delay; /* of the received message, or NULL */
  const struct occurrence *timeout;           /* how long it waited for messages, or NULL */
  const struct occurrence *read;              /* how long after the start it read, or NULL */
  struct rational read_at;                    /* the value read */
  VECTOR(const struct occurrence *) costs;
  VECTOR(struct record_message) sent;
  VECTOR(struct record_assignment) assignments;
  VECTOR(const struct statement *) time_assignments; /* to states of type TIME, as executed */
  VECTOR(int64_t) powers; /* the values of the powers in what was assigned so, as they are read */
  char *fault;            /* of SENT_TWICE and CHARGED_TWICE: what, "Request(1)"; else NULL */
};

typedef VECTOR(struct step_record) record_vector;

void record_init(struct step_record *record);
void record_clear(struct step_record *record);
void record_vector_clear(record_vector *records);

/* Appends the enabled steps to `steps`, by action, then by message or node, then by what is chosen
 * (of more than 256 values the first). Times do not count: a
 * step whose guards compare times is listed as long as control alone does not forbid it. */
void step_list(step_vector *steps, struct world *world);

/* The same for one node. */
void step_list_node(step_vector *steps, struct world *world, const struct role *role, int64_t node);

/* Takes the step. With a valuation the world must be timed, and time passes; else only control
 * changes. On every result but STEP_TAKEN the world is as before. `record` (initialised by the
 * caller) may be NULL. */
enum step_result step_take(struct world *world, const struct step *step,
                           const struct valuation *valuation, struct step_record *record);

/* When the step would start and end in this timed world; it need not be enabled, but a message that
 * it receives must be sent. */
void step_window(struct rational *start, struct rational *end, struct world *world,
                 const struct step *step, const struct valuation *valuation);

/* Whether the guards of an action let the receiver take the message, for some choice; without those
 * that keep actions to their slots, and not by an action that would read its clock. The world is
 * timed. */
bool step_could_take(struct world *world, const struct world_message *message,
                     const struct valuation *valuation);

/* A fixed total order, and whether two steps are the same. */
int step_compare(const struct step *a, const struct step *b);

/* What tells a step of an action at a node from others, as recorded runs list it: the fields of its
 * message, then what it chooses. */
size_t step_argument_count(const struct action *action);
int64_t step_argument(const struct step *step, size_t index);
void step_set_argument(struct step *step, size_t index, int64_t value);

/* Appends what a step chooses: "(1, 3)", nothing where it does not. */
void step_print_choices(struct text *text, const struct step *step);

/* Appends "Handle on Request(1)", "Ask(1, 3)"; of a loss "loses Request(1)". */
void step_print_action(struct text *text, const struct step *step);

/* Appends "backup[1].Handle on Request(1)", "client.Ask(1, 3)", "backup[1] loses Request(1)". */
void step_print(struct text *text, const struct step *step);

/* The message that the step receives in this world, or NULL. */
struct world_message *step_message(const struct world *world, const struct step *step);

#endif
