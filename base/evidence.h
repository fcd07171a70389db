/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a measurement knows of itself besides its numbers. A verdict is never better than that, so
 * it goes with the data: a reader fills in what its format tells, `merge` combines it, files of
 * our own keep it (evidence_print), verdicts and ledgers look at it. What nobody said is unknown,
 * which is a value and not a guess.
 *
 * Of several measurements put together (evidence_merge) something is known if each of them knows
 * it. The operation is associative and commutative, so it does not matter who adds up first;
 * evidence of nothing is its neutral element. Only `order` needs the numbers of draws to be added
 * up, and knows nothing of whether the parts are of one law: who merges looks at that.
 *
 * The record owns its order and its texts.
 */
#ifndef BASE_EVIDENCE_H
#define BASE_EVIDENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/order.h"
#include "base/slice.h"
#include "base/text.h"

/* A number of requests that is known, or of which only some are. */
struct evidence_count {
  uint64_t least; /* UINT64_MAX: as many or more */
  bool known;     /* there are no others */
};

enum evidence_lost {
  EVIDENCE_FAILED,   /* of the draws: an error, or a wrong answer; they count as infinite */
  EVIDENCE_CUT_OFF,  /* of the draws: given up, or longer than can be recorded; infinite */
  EVIDENCE_LEFT_OUT, /* requests of the same kind and time that are no draws */
  EVIDENCE_LOST
};

/* Texts without a newline or blanks at their ends, sorted, no two alike; of kinds of requests the
 * first EVIDENCE_KINDS of all. */
enum { EVIDENCE_KINDS = 64 };
struct evidence_texts {
  struct {
    char **data;
    size_t count, capacity; /* as of a VECTOR (base/vector.h) */
  } list;
  bool known; /* somebody said which there are */
  bool more;  /* there are more than fit */
};

/* Where a value that is counted in a bucket lies. */
enum evidence_edges {
  EDGES_EXACT,      /* at its edge: there are no buckets, or as narrow as what is counted in */
  EDGES_OPEN_BELOW, /* above the lower edge, and at most at the upper one: (a, b] */
  EDGES_BETWEEN,    /* from one to the other: [a, b] */
  EDGES_UNKNOWN     /* which of its edges belong to a bucket was not said */
};

/* What is true of all that went in lies between. */
struct evidence_range {
  bool known;
  int64_t lower, upper; /* lower <= upper; 0, 0 where not known */
};

struct evidence {
  uint64_t parts; /* files or recordings that went in; 0: nothing did, and nothing else is set */
  uint64_t draws; /* requests that were really measured; of profiles samples */
  struct source_order *order; /* what the draws are worth in all and at each octave of a tail; NULL:
                               * in which order they came is not known */
  uint64_t runs; /* stretches of time, each without a gap, that the draws come from; 0: unknown */
  bool compared; /* what the draws are worth has regard to how these differ from each other */

  const char *unit; /* of the numbers in the file: "ns", "us", "ms", "s" (static); NULL: unknown, or
                     * of several. A sample's values are in ns whatever this says */
  bool halved;      /* some are halves of round trips */
  struct evidence_texts kinds; /* label sets that went in: {method="GET"}; known and none: the
                                * format has a single kind */
  struct evidence_count lost[EVIDENCE_LOST];

  struct evidence_texts clocks;        /* whose readings: "CLOCK_MONOTONIC" */
  struct evidence_range resolution_ns; /* of a clock's steps, >= 0 */
  struct evidence_range offset_ns;     /* of the clock at the end against that at the start */
  enum evidence_edges edges;           /* of no use where parts is 0 */
  struct evidence_range rate_mhz;      /* samples for 1000 s: wanted, >= 0 */
  struct evidence_range reached_mhz;   /* and reached */
  struct evidence_texts sources;       /* "file sha256=...", "store node=... start=..." */
  struct evidence_texts tools;         /* that made the measurements, with their versions */
};

void evidence_init(struct evidence *evidence); /* of nothing */
void evidence_clear(struct evidence *evidence);

/* Of one part with so many draws, of which nothing is known. */
void evidence_set_unknown(struct evidence *evidence, uint64_t draws);

void evidence_copy(struct evidence *to, const struct evidence *from); /* `to` is cleared first */
bool evidence_is_valid(const struct evidence *evidence);

/* Adds what is known of `from`, which may be evidence of nothing. */
void evidence_merge(struct evidence *to, const struct evidence *from);

/* A copy of what the order of all draws says. */
void evidence_keep_order(struct evidence *evidence, const struct source_order *order);
void evidence_forget_order(struct evidence *evidence);

/* Without the blanks at its ends; a newline becomes a blank. Nothing of an empty text. */
void evidence_add_text(struct evidence_texts *texts, const char *text, size_t length);
void evidence_add_kind(struct evidence *evidence, const char *labels, size_t length);
bool evidence_has_text(const struct evidence_texts *texts, const char *text);

/* Exactly so many. */
void evidence_set_lost(struct evidence *evidence, enum evidence_lost which, uint64_t count);
void evidence_set_range(struct evidence_range *range, int64_t lower, int64_t upper);

/* Appends what is known as lines, "evidence failed 3", each after `prefix`; not `parts`, `draws`,
 * `order`, `unit`, `halved` and `sources`, for which files have words of their own. The same
 * evidence gives the same bytes. */
void evidence_print(struct text *text, const struct evidence *evidence, const char *prefix);

/* Takes what such a line says behind "evidence ", of evidence that is set to be unknown. false,
 * with nothing changed, for what is no such line. */
bool evidence_read(struct evidence *evidence, struct slice line);

/* Appends what verdicts on percentiles would need and nobody said, "of what kinds of requests they
 * are, how many failed": nothing where all is known. Of the order others speak, as it can also be
 * in the data. */
void evidence_print_unknown(struct text *text, const struct evidence *evidence);

#endif
