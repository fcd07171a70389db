/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the drafted files call things: one name for each service (its role and place) and for each
 * call of a request (its messages, components and moments).
 */
#ifndef MEASURE_TALK_NAMES_H
#define MEASURE_TALK_NAMES_H

#include "base/text.h"
#include "measure/talk/shape.h"

struct talk_names {
  char role[SHAPE_CALLS][TALK_NAME]; /* by call: of the service that is asked */
  char call[SHAPE_CALLS][TALK_NAME]; /* the role's name, with a number from the second call on */
};

/* A role's name for a program: of the last word's file what stands before its dot, "/srv/up.py" is
 * up; where that is no name, by the port. */
void talk_role_name(char name[TALK_NAME], const char *program, uint16_t port);

void talk_names_make(struct talk_names *names, const struct talk_shape *shape,
                     const struct talk_parts *parts);

/* What both files are made of, in the same order. */
struct talk_draft {
  const struct talk_shape *shape;
  const struct talk_parts *parts;
  const struct talk_names *names;
  const char *origin; /* "recorded for 5 s": how it was learnt */
};

/* Calls that a call makes, by stage. */
unsigned draft_stages(const struct talk_draft *draft, size_t call);
size_t draft_in_stage(size_t calls[SHAPE_CALLS], const struct talk_draft *draft, size_t call,
                      unsigned stage);

/* The call of a family that this one is, or is made for; TALK_NONE: it is made once, by one. */
long draft_choice(const struct talk_draft *draft, size_t call);

/* The same of the step behind stage `stage` - 1, which may make the choice, or follow one. */
long draft_choice_at(const struct talk_draft *draft, size_t call, unsigned stage);

/* Whether what a call does is done by members of a family: the chosen ones'. */
bool draft_is_member(const struct talk_draft *draft, size_t call);

/* The role that goes on behind a stage: behind calls side by side it is one of its own. */
void draft_role(char name[2 * TALK_NAME], const struct talk_draft *draft, size_t call,
                unsigned stage);

/* A line of `places`. */
void talk_pattern_append(struct text *text, const char *place, const char *pattern);

/* The probe file, the protocol. */
void draft_probes(struct text *text, const struct talk_draft *draft);
void draft_protocol_of(struct text *text, const struct talk_draft *draft);

/* What was recorded, as events of the drafted probe file's probes (measure/outside/event_text.h). */
void draft_events(struct text *text, const struct talk_draft *draft, const struct talk *talk);

#endif
