/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A change to recorded requests, as a user writes it:
 *
 *   NAME: *0.5                      the call's own work takes half as long
 *   NAME: + 3 ms                    each call is answered 3 ms later (farther away); also - 1 ms
 *   NAME = FILE                     the call takes as long as measured elsewhere, drawn anew
 *   NAME = mix(0.99 Hit, 0.01 Miss) the same of a law (dist/evaluate/compose.h)
 *   NAME@60 = FILE                  no change, but how long it takes with 60 calls at once
 *   load=60                         so many users at once: each call as measured at that
 * concurrency fail=1/3                        one of three replicas fails: the others get its load
 *   shards=4 skew=0.7,0.1,0.1,0.1   the load is divided; without skew into equal parts
 *   limit NAME=30                   30 servers, first come, first served, for all requests together
 *   cpu=40% FILE                    own work with a busy processor, by measured factors
 *
 * Of event loops (trace/loop/scenario.h), where a NAME is a position of the source:
 *
 *   NAME: split 4                   the callback falls into four, between which others are served
 *   NAME: offload                   another thread executes the callback
 *   NAME: at most 5 ms              it never takes longer
 *   gc: rarer 2                     every second collection happens
 *   processes: 2                    two processes behind one port, requests dealt in turn
 *
 * load, fail, shards and cpu may name calls, too: `load NAME=60`. A NAME is SERVICE or
 * SERVICE/OPERATION in which * stands for anything; in double quotes when it has signs of the
 * language in it.
 */
#ifndef TRACE_EVALUATE_CHANGE_H
#define TRACE_EVALUATE_CHANGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/rational.h"
#include "base/status.h"
#include "base/text.h"
#include "base/vector.h"

enum change_kind {
  CHANGE_SCALE,
  CHANGE_SHIFT,
  CHANGE_LAW,
  CHANGE_PROFILE,
  CHANGE_LIMIT,
  CHANGE_LOAD,
  CHANGE_FAIL,
  CHANGE_SHARDS,
  CHANGE_CPU,
  CHANGE_SPLIT, /* this and the following: of event loops */
  CHANGE_OFFLOAD,
  CHANGE_MOST,
  CHANGE_RARER,
  CHANGE_PROCESSES,
};

/* Owns its texts and numbers. */
struct request_change {
  enum change_kind kind;
  char *text;            /* as written */
  char *name;            /* "*" where none is written */
  struct rational value; /* SCALE: factor, >= 0. SHIFT: ns, any sign. MOST: ns. CPU: percent, > 0 */
  char *law;             /* LAW: file or expression; PROFILE, CPU: file */
  size_t law_column;     /* where it starts, from 1 */
  uint64_t number; /* PROFILE: concurrency; LIMIT: servers; LOAD: users; FAIL: replicas; SHARDS;
                      SPLIT: pieces; RARER; PROCESSES; each >= 1 */
  uint64_t failed; /* FAIL: 1 .. number - 1 */
  char *skew;      /* SHARDS: shares that add up to 1, as many as shards; NULL: equal ones */
};

/* STATUS_OK with *change, to be cleared; else STATUS_USAGE with nothing to clear and one line
 * without a newline in `message`: "column 7: ...", with the remedy. */
enum status change_parse(struct request_change *change, const char *text, struct text *message);
void change_clear(struct request_change *change);

/* Share i of `shards`; *share is initialised. */
void change_share(struct rational *share, const struct request_change *change, uint64_t i);

/* Whether a pattern with * means this service, or this operation of it. */
bool change_means(const char *pattern, const char *service, const char *operation);

#endif
