/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a request makes: whom each service asks while it answers, in which order. Learned of requests
 * that are alone in their process (or else in their thread), of which it is certain what they asked.
 */
#ifndef MEASURE_TALK_SHAPE_H
#define MEASURE_TALK_SHAPE_H

#include "measure/talk/part.h"

enum {
  SHAPE_CALLS = 16,   /* of a request, at most: what makes more is not followed */
  SHAPE_MEMBERS = 16, /* of a family */
  SHAPE_DEPTH = 6,
  SHAPE_NOTES = 64,
};

/* One service asking another one, once in each request. The first is the client's. */
struct shape_call {
  long caller;              /* the call that is being answered meanwhile; of the first TALK_NONE */
  long service;             /* that is asked */
  uint16_t port;            /* 0: its members have different ones, */
  uint16_t low, high;       /* between these */
  bool chosen;              /* one member of a family */
  unsigned members;         /* of the service; 1: no family */
  long part[SHAPE_MEMBERS]; /* the parts that are the members */
  unsigned stage;           /* of the calls of one caller: what has one number runs side by side */
  bool followed;            /* the calls that it makes are calls here, too */
  bool asked_here, told_here; /* the caller's, the callee's end was seen */
  bool by_thread;             /* it is asked in the thread in which what comes before it came */
  unsigned tells; /* in so many pieces it is answered, always; 1: or their number varies */
  unsigned asks;  /* pieces of a question, of the first call; the first of them has */
  uint64_t first_least, first_most; /* so many bytes, which none of the others has */
};

struct shape_note {
  bool guess; /* else: cannot tell */
  char *text; /* owned */
};

struct talk_shape {
  size_t count;
  struct shape_call calls[SHAPE_CALLS];
  uint64_t requests; /* of the first call */
  uint64_t alone;    /* of these, alone */
  long client;       /* the part that asks first, or TALK_NONE: it is not of this host */
  VECTOR(struct shape_note) notes;
  const char *stopped; /* why nothing can be drafted; NULL */
};

/* Families of which one request asks several members are split. */
void shape_learn(struct talk_shape *shape, struct talk *talk, struct talk_parts *parts);
void shape_clear(struct talk_shape *shape);

/* "guess" or "cannot tell", printf-like. */
void shape_note(struct talk_shape *shape, bool guess, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
