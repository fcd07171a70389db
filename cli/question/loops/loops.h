/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The question of `tail` about event logs: why are some requests of an event-driven server slow,
 * route by route, and what held its loop while they waited?
 */
#ifndef CLI_QUESTION_LOOPS_LOOPS_H
#define CLI_QUESTION_LOOPS_LOOPS_H

#include "base/ledger.h"
#include "cli/question/loops/quantiles.h"
#include "trace/loop/chain.h"
#include "trace/loop/judge.h"

struct loops_request {
  const struct asker *asker;
  const char *const *paths; /* of event logs */
  size_t path_count;
  const char *above;       /* "p99", "250ms"; NULL: p99 */
  const char *route;       /* only this one; * stands for anything; NULL: all */
  const char *skip;        /* "2s": requests that arrive earlier in a recording are left out; or
                              NULL */
  const char *slowest;     /* "3": the third slowest is the one that is followed; NULL: the first */
  const char *percentiles; /* "50,99" */
  struct rational confidence; /* in 0 .. 1, without the ends */
};

enum loops_verdict {
  LOOPS_EXPLAINED, /* a cause is named */
  LOOPS_TOO_FEW,   /* slow requests, or stretches of the loop in which they waited */
  LOOPS_NO_CAUSE,  /* stands out */
};

struct loops_route {
  struct loop_route *route; /* of the causes */
  struct loop_judgement judgement;
  struct loop_quantile *percentiles; /* by wanted */
  enum loops_verdict verdict;
};

struct loops_answer {
  const struct loops_request *request;
  enum status status; /* STATUS_UNKNOWN where nothing can be told of any route */
  bool found;         /* whether there is the rest: */
  double percent;     /* of --above p99; else 0 */
  double level;       /* of each route: all of them together have 1 - confidence */
  struct event_log log;
  struct event_chains chains;
  struct loop_causes causes;
  wanted_list wanted;
  VECTOR(struct loops_route) routes;
  uint32_t followed;  /* chain of the one that is followed ... */
  size_t followed_in; /* ... and its route, as an index */
  struct ledger ledger;
};

/* `request` must outlive the answer, which must not be moved and is initialised in any case. */
enum status loops_ask(struct loops_answer *answer, const struct loops_request *request);
void loops_clear(struct loops_answer *answer);

/* The slow request of the route that a finding of its judgement delays most: its index in the route,
 * and its place among the slowest from 1 (`loops_request.slowest`). */
uint32_t loops_shows(const struct loops_route *route, uint32_t finding, size_t *place);

/* Reads event logs and finds the chains of their requests; says to the ledger how many requests
 * have none, and why. Log and chains are initialised and empty. */
enum status loops_read(struct event_log *log, struct event_chains *chains, const char *const *paths,
                       size_t path_count, struct ledger *ledger, const struct asker *asker);

/* Reads "2s". STATUS_USAGE after the asker was told; NULL is 0. */
enum status loops_read_skip(int64_t *skip, const char *text, const struct asker *asker);

/* Leaves out the chains of requests that arrive before, from the start of their loop's recording;
 * what they did still holds the loop. How many are left. */
size_t loops_skip(struct event_chains *chains, const struct event_log *log, int64_t skip_ns);

/* Whether the route is asked about: * stands for anything; NULL: all are. */
bool loops_is_route(const struct event_log *log, uint32_t route, const char *wanted);

#endif
