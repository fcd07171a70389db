/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What nodes do. A free node starts, of all that it can do, what it can do first:
 *
 *   a message    once it is delivered, when some action's guards hold; behind others of its FIFO
 *                channel; in the advanced model the first delivered of those that can be taken
 *   a timer      once it is due
 *   a timeout    after some time up to its bare name since the node became free
 *   the rest     at once when the node becomes free, or not until its next step
 *
 * and waits if there is nothing. What can be done at the same time is ordered by the run's habits.
 * A message whose guards do not hold stays where it is. A scheduled node does what its slot has,
 * and is idle only when there is nothing else.
 *
 * A message waits for its receiver's work (that is its Queuing) from its delivery on; but when the
 * receiver was free and its state kept it from taking the message, only from the end of the step
 * after which it could.
 */
#ifndef TESTS_SIMULATOR_NODE_H
#define TESTS_SIMULATOR_NODE_H

#include "tests/simulator/cluster.h"

/* Does the next step of all nodes: false when there is none, or a mistake was found. */
bool node_step(struct cluster *cluster);

/* Ends the run: what could be taken has waited up to now. */
void node_finish(struct cluster *cluster);

#endif
