/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The kinds of requests that one file holds, of which one is measured: told by labels, such as the
 * tag of a histogram or the method and URL of a request. Several are only added up where the user
 * says so, as a law of all of them is no bound for the slower ones.
 *
 * `--select NAME={tag="READ"}` chooses as of metrics (dist/source/labels.h), `NAME=READ` those of
 * which a label has this value, `NAME={}` all.
 *
 * Use: kinds_init; for each request kinds_begin, kinds_label for each of its labels in an order
 * that is always the same, and kinds_take; kinds_settle after the last; kinds_clear in any case.
 * The kinds own their texts; the reader is borrowed.
 */
#ifndef DIST_SOURCE_KINDS_H
#define DIST_SOURCE_KINDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vector.h"
#include "dist/source/labels.h"
#include "dist/source/reader.h"

struct request_kind {
  char *labels;
  bool taken;
};

struct kinds {
  const struct reader *reader;
  struct label_choice choice; /* where parsed */
  bool chosen, parsed;
  VECTOR(struct request_kind) known; /* the first of them */
  size_t taken;                      /* how many of those are taken */
  bool more;                         /* there are others */
  bool more_taken;
  uint64_t requests, requests_taken;
  size_t last;        /* in `known` */
  const char *other;  /* where a second kind is first */
  struct text labels; /* of the request at hand */
};

/* STATUS_DATA for a --select that cannot be read. */
enum status kinds_init(struct kinds *kinds, const struct reader *reader);
void kinds_clear(struct kinds *kinds);

void kinds_begin(struct kinds *kinds);
void kinds_label(struct kinds *kinds, struct slice name, struct slice value);

/* Whether the request, which stands at `at`, is of what is measured. */
bool kinds_take(struct kinds *kinds, const char *at);

/* STATUS_DATA for several kinds without a choice, or a choice that nothing matches; else what was
 * chosen is noted, and the evidence has the kinds that are taken. */
enum status kinds_settle(const struct kinds *kinds, struct evidence *evidence);

/* Of a format that is read of one kind alone: it is of this. */
void kinds_keep_one(struct evidence *evidence, const char *name, struct slice value);

/* Whether a kind that is taken has the label with this value; true where there are too many to
 * know. */
bool kinds_took(const struct kinds *kinds, const char *name, struct slice value);

#endif
