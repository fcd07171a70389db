/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Finds the messages of a long execution: what a world with very many of them looks up, without
 * looking at all of them. A message is known by the occurrence of its delay, so both have one
 * number. Belongs to solver/judge/world.h, which says what a world with an index looks like; the
 * functions here keep it up to date and are for world.c and for those who take steps.
 *
 * Invariant: `ready` are the positions of the pending messages that none on their channel blocks,
 * by id of message and by fields. The other pending ones wait in their channel, in the order of
 * sending; or no action takes them, and they block nothing.
 */
#ifndef SOLVER_JUDGE_WORLD_INDEX_H
#define SOLVER_JUDGE_WORLD_INDEX_H

#include "solver/judge/world.h"

/* FIFO, from one node to another. */
struct world_channel {
  size_t ready; /* how many of its messages are */
  size_t order; /* of these */
  size_t first; /* the first of `waiting` that still waits */
  VECTOR(size_t) waiting;
};

struct world_index {
  VECTOR(size_t) sent;  /* by occurrence id of the delay: the message's position + 1, or 0 */
  VECTOR(bool) charged; /* by occurrence id */
  VECTOR(size_t) ready; /* positions */
  struct world_channel *channels; /* by sending * nodes + receiving node */
  bool *taken;                    /* by message id: there is an action that receives or loses it */
  size_t *counts;                 /* by message id: how many were sent */
};

/* Gives an index to a world in which nothing was sent or charged yet. */
void world_index_begin(struct world *world);
void world_index_end(struct world *world); /* frees it; for world_free */

/* How many messages of a kind were sent, in a world with an index. */
size_t world_index_count(const struct world *world, const struct message *message);

/* In a world with an index: the same as the functions of world.h that are called so. */
struct world_message *world_index_message(const struct world *world, const struct message *message,
                                          const int64_t *fields);
bool world_index_charged(const struct world *world, const struct component *component,
                         const int64_t *indices);
bool world_index_blocked(const struct world *world, const struct world_message *message);

/* To be called where a world may have an index, after what they say; without one they do nothing.
 */
void world_index_add(struct world *world, size_t position); /* a message was added to the list */
void world_index_charge(struct world *world, const struct occurrence *occurrence);
void world_index_sent(struct world *world, const struct world_message *message); /* has its order */
void world_index_received(struct world *world, const struct world_message *message); /* or lost */

#endif
