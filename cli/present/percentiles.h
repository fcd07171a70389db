/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answer of `percentiles` (cli/question/percentiles/percentiles.h) as a document.
 */
#ifndef CLI_PRESENT_PERCENTILES_H
#define CLI_PRESENT_PERCENTILES_H

#include "show/document.h"

struct percentiles;

/* Of which kinds its objects are; NULL behind the last. */
extern const struct object_kind *const percentiles_kinds[];

/* Initialises the document. `page`: NULL without one. */
void percentiles_document(struct document *document, const struct percentiles *run,
                          const struct document_page *page);

/* The part about objectives, times and contributions, and its kinds. */
void percentiles_answers(struct document *document, const struct percentiles *run);
extern const struct object_kind slo_kind, above_kind, contribution_kind;

/* The part about what was observed of the whole (cli/present/percentiles_observed.c), its kind, and
 * how an observation compares. Nothing where nothing was observed. */
void percentiles_observed(struct document *document, const struct percentiles *run);
extern const struct object_kind comparison_kind;
#define OBSERVATION_WORDS "dominated|within chance|not dominated|cannot tell"

#endif
