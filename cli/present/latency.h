/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answer of `whatif latency` (cli/question/latency/latency.h) as a document: an object of
 * kind "change" for each change, "predicted" for each percentile, "undecided" for each order that
 * no request decides, and "latency".
 */
#ifndef CLI_PRESENT_LATENCY_H
#define CLI_PRESENT_LATENCY_H

#include <stdint.h>

#include "cli/question/law/request.h"
#include "show/document.h"

struct latency_answer;
struct latency_percentile;
struct latency_range;

/* Of which kinds its objects are; NULL behind the last. */
extern const struct object_kind *const latency_kinds[];
extern const struct object_kind latency_change_kind, confirmed_kind, latency_measured_kind;

/* A value with its interval, `more`: marks of all three. */
#define KEYS_OF_RANGE(key, more)                                                                   \
  KEY(key ".ns", NS, .marks = (more) | MARK_DIGITS),                                               \
      KEY(key ".lower_ns", NS, .marks = (more) | MARK_DIGITS | MARK_LOWER),                        \
      KEY(key ".upper_ns", NS, .marks = (more) | MARK_DIGITS | MARK_UPPER)

/* Initialises the document; `page`: of an HTML page, or NULL. */
void latency_document(struct document *document, const struct latency_answer *answer,
                      const struct document_page *page);

/* Adds what was measured of the change (cli/present/latency_confirmed.c); nothing where nothing
 * was. */
void latency_confirmed_document(struct document *document, const struct latency_answer *answer);

/* A time, or "infinite"; "12.1 to 12.2 ms", the unit once where both have the same. */
void latency_append(struct text *text, uint64_t ns);
void latency_append_between(struct text *text, uint64_t lower_ns, uint64_t upper_ns);

/* The objects of the answer (cli/present/latency_objects.c): of its changes, and all others. */
void latency_put_changes(struct document *document, const struct latency_answer *answer);
void latency_put(struct document *document, const struct latency_answer *answer);

/* Whether there is a law of this dependence, the one that is not `other`. */
bool latency_has_law(const struct latency_answer *answer, enum dependence_wish other);

/* By what share the prediction is above what was observed; 0 where that is 0. */
double latency_error(const struct latency_percentile *percentile);

/* Sets the keys of a range. */
void latency_put_range(struct objects *objects, const char *key, const struct latency_range *range);

/* --- for the files that make the document: of queues (latency_queues.c) ---------------------- */

extern const struct object_kind latency_queue_kind;
void latency_put_queues(struct document *document, const struct latency_answer *answer);
void latency_say_queues(struct document *document, const struct latency_answer *answer);
void latency_say_arrivals(struct document *document, const struct latency_answer *answer);

#endif
