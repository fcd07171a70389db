/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Messages between threads, which are deserialised on the loop of who gets them, before the callback
 * begins and with nothing recorded of it. Private to trace/event.
 *
 * The loop is woken, and takes one message after the other of each port that has some: it makes
 * objects of its bytes, and calls back. So what lies between the callback before, or that the loop
 * was woken, and a callback of a port is that, where the recording has when the loop was woken.
 */
#ifndef TRACE_EVENT_NODE_MESSAGES_H
#define TRACE_EVENT_NODE_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>

#include "trace/event/node_ready.h"
#include "trace/event/row.h"

/* A message was deserialised from then on, until the row began. */
struct node_message {
  uint32_t row;
  int64_t from; /* ns */
};

/* Whether callbacks of this type are messages. */
bool node_message_is(const struct event_log *log, uint32_t type);

/* The turn before one. */
struct node_before {
  int64_t begin, end; /* ns */
  uint8_t class;      /* enum event_class */
};

/* Sets when the message of a row became ready. Since when it was deserialised; -1: not known. Behind
 * a turn of another kind than those for which the loop is woken, it was woken anew. */
int64_t node_message_ready(struct event_row *row, const struct node_ready *ready,
                           const struct node_before *before);

/* Adds pauses to the log for messages of the loop in the order of time, without what its thread
 * waited for a processor meanwhile; collections in which it did are shortened. */
void node_messages_place(struct event_log *log, uint32_t loop, const struct node_message *messages,
                         size_t count);

#endif
