/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Series out of a Prometheus server: what counters grew by between two times, or since their
 * programs started. The counters are asked for as they were scraped, and subtracted here: rate()
 * and increase() extrapolate to the ends of the window.
 */
#ifndef CLI_QUESTION_STORE_SERVER_H
#define CLI_QUESTION_STORE_SERVER_H

#include "base/status.h"
#include "base/text.h"
#include "cli/question/setting.h"
#include "cli/question/store/fetch.h"

struct gather;
struct sample;
struct source_notes;
struct source_options;

struct server_request {
  const char *address; /* "http://host:9090"; NULL: no server is asked */
  settings queries;    /* NAME=EXPR: a series, and the counters it is made of */
  /* Seconds since 1970, "2026-01-31T12:00:00Z" or "-15m", a time ago; NULL: since the programs
   * started, and now. */
  const char *from, *to;
  const char *step; /* a duration such as "15s": how often restarts are looked for; NULL: a
                       hundredth of the window */
  struct fetch_trust trust;
};

/* STATUS_USAGE for a request that is none, else as gather_add; one line in `message`. */
enum status server_gather(struct gather *gather, const struct server_request *request,
                          struct text *message);

/* What the first query counts, as source_read_page reads it, with the windows between its steps.
 * Failures are those of server_gather. */
enum status server_read(struct sample *sample, struct source_notes *notes,
                        const struct server_request *request, unsigned timeout_ms,
                        const struct source_options *options, struct text *message);

#endif
