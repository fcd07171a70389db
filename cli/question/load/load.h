/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The question of `load`: how long do requests take that come when they come, whether or not the
 * server keeps up? Latency is counted from when a request was due.
 */
#ifndef CLI_QUESTION_LOAD_LOAD_H
#define CLI_QUESTION_LOAD_LOAD_H

#include "base/asker.h"
#include "cli/question/setting.h"
#include "cli/question/store/gather.h"
#include "measure/load/arrivals.h"

struct load_request {
  const struct asker *asker;
  const char *const *target; /* an address http[s]://... or redis://..., or a command */
  size_t target_count;       /* at least 1 */
  const char *rate;          /* a second; NULL: 100 */
  unsigned length_ms;        /* 0: 10 s, unless `requests` or `times` says how many there are */
  unsigned requests;         /* at most so many; 0: as many as there is time for */
  unsigned warmup_ms;        /* requests due before do not count */
  unsigned timeout_ms;       /* from when one was due; 0: 10 s */
  unsigned connections;      /* processes or commands to Redis, at most at a time; 0: 100 */
  unsigned seed;
  bool constant;       /* equal gaps; else a Poisson process */
  const char *times;   /* a file of times in seconds to be replayed; or NULL */
  const char *routes;  /* paths with weights: "/page*9,/report"; or NULL: the address's */
  const char *method;  /* NULL: GET */
  texts headers;       /* "Name: value" */
  const char *body;    /* a file; or NULL */
  const char *send;    /* of redis:// the command, words with blanks between; else NULL */
  const char *ca;      /* of https://: a file of certificates that are trusted; or NULL */
  bool insecure;       /* of https://: any certificate will do */
  bool without_failed; /* leave out requests that failed; else they are infinite */
  const char *out;     /* the file for the latencies: CSV, a row for each request that counts */
};

struct load_answer {
  arrival_vector arrivals;
  struct arrival_routes routes;
  size_t counted;                          /* those due after the warm-up */
  size_t good, refused, broken, timed_out; /* of the counted */
  size_t opened;                           /* connections, over time; 0: processes */
  size_t retried;                          /* sent again, as the server had closed the connection */
  size_t handshakes;                       /* of TLS, each a part of the latency of a request */
  uint64_t handshake_median_ns, handshake_longest_ns; /* of these, if there are any */
  bool secure, unchecked;                             /* TLS is spoken; with whoever answers */
  size_t late;          /* counted ones that this program saw too late to
                                            * tell its own slowness from the server's */
  uint64_t latest_ns;   /* by how much at most */
  struct gather gather; /* what it holds */
  enum status status;   /* UNKNOWN: none succeeded, or this program could not keep up */
};

/* Initialises the answer in any case, and returns its status: the asker knows why it is neither OK
 * nor UNKNOWN, and nothing is written then. */
enum status load_ask(struct load_answer *answer, const struct load_request *request);
void load_answer_clear(struct load_answer *answer);

#endif
