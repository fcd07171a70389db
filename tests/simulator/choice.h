/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What one node can do next, from its state and what is under way to it. */
#ifndef TESTS_SIMULATOR_CHOICE_H
#define TESTS_SIMULATOR_CHOICE_H

#include "tests/simulator/cluster.h"

enum source { SOURCE_MESSAGE, SOURCE_TIMER, SOURCE_SPONTANEOUS, SOURCE_IDLE };

struct choice {
  const struct action *action;
  size_t mail; /* of SOURCE_MESSAGE: which */
  enum source source;
  int64_t start_ns; /* not before */
  int64_t due_ns;   /* when it was delivered or due */
  int64_t chosen[CHOICES_MAX];
};

typedef VECTOR(struct choice) choices_t;

/* Everything that the node can start with at the earliest time at which it can start with anything.
 * The caller clears them. */
void choices_find(choices_t *choices, struct cluster *cluster, const struct actor *actor);

/* Whether some action could take the mail at that time, did the node's loop not stand elsewhere. */
bool choices_take(struct cluster *cluster, const struct actor *actor, const struct mail *mail,
                  int64_t at_ns);

/* Which of them, one at least, by the run's habits; the others are dropped. */
struct choice choices_pick(choices_t *choices, struct cluster *cluster);

/* Binds the variables of the choice's action: the node, the mail's fields, what is chosen. */
void choice_bind(struct cluster *cluster, const struct actor *actor, const struct choice *choice);

/* What the clock shows when the chosen action reads it. */
int64_t choice_read(struct cluster *cluster, const struct actor *actor,
                    const struct choice *choice);

/* Whether the chosen step may send what it may send, by the arrivals that the file declares. */
bool choice_arrives(struct cluster *cluster, const struct actor *actor,
                    const struct choice *choice);

/* Whether a mail on the same FIFO channel that will be received must be so before. */
bool choices_is_behind(const struct cluster *cluster, const struct mail *mail);

/* When a pacer lets a message of this kind go that the node sends at sent_ns, behind all that it
 * has sent: every mail that it sent earlier keeps its distance, one T for each from there on. */
int64_t choices_paced(struct cluster *cluster, const struct message *message, int64_t from,
                      int64_t sent_ns);

/* When a pacer that holds what comes too soon lets this message leave: as soon as, of what the node
 * has sent before, any k + B that leave one after the other take k*T at least. */
int64_t choices_left(struct cluster *cluster, const struct message *message, int64_t from,
                     int64_t sent_ns);

/* Calls `pay` for each occurrence that the action charges, with what it takes; the variable of a
 * batch is bound to its member. Until its next step a node draws the same for the same: whichever
 * action it compares. */
typedef void (*choice_pay)(struct cluster *cluster, const struct term *cost, int64_t ns,
                           void *context);
void choice_costs(struct cluster *cluster, const struct actor *actor, const struct action *action,
                  choice_pay pay, void *context);

#endif
