/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Messages that are passed on: one process sends, a broker takes it and sends to another process in
 * the same thread, and nobody answers, as with MQTT's quality of service 0. What is asked and told
 * (measure/talk/shape.h) does not cover that.
 */
#ifndef MEASURE_TALK_RELAY_H
#define MEASURE_TALK_RELAY_H

#include "base/text.h"
#include "measure/talk/part.h"

struct talk_relay {
  long sender, broker, receiver; /* parts, each with a pattern */
  uint16_t port;                 /* the broker's */
  uint64_t messages, passed;     /* that the broker took; of these, that it passed on to one */
  char name[TALK_NAME];          /* of the broker */
  const char *stopped;           /* why there is none; NULL: there is one */
};

/* Of a broker that the user named. */
void relay_learn(struct talk_relay *relay, const struct talk *talk, const struct talk_parts *parts);

/* The probe file, the protocol, and what was recorded as the probes' events. */
void relay_probes(struct text *text, const struct talk_relay *relay, const struct talk_parts *parts,
                  const char *origin);
void relay_protocol(struct text *text, const struct talk_relay *relay, const char *origin);
void relay_events(struct text *text, const struct talk_relay *relay, const struct talk_parts *parts,
                  const struct talk *talk);

#endif
