/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What an experiment found (`whatif throughput`), as a document and as a picture.
 */
#ifndef CLI_PRESENT_THROUGHPUT_H
#define CLI_PRESENT_THROUGHPUT_H

#include "measure/throughput/experiment/experiment.h"
#include "show/document.h"

/* Of which kinds its objects are; NULL behind the last. */
extern const struct object_kind *const throughput_kinds[];

/* Initialises the document; `page` may be NULL. The experiment is profiled. */
void throughput_document(struct document *document, const struct experiment *experiment,
                         const struct document_page *page);

/* Parts of it: services (throughput_services.c); changes and their ranking
 * (throughput_changes.c). */
extern const struct object_kind throughput_profile_kind, throughput_waiting_kind,
    throughput_prediction_kind, throughput_rank_kind;
void throughput_show_services(struct document *document, const struct experiment *experiment);
void throughput_show_changes(struct document *document, const struct experiment *experiment);

/* Draws the curves into a file, which appears complete or not at all: .svg, .png or .html.
 * STATUS_UNKNOWN when there is nothing to draw, STATUS_INTERNAL when it cannot be written, with a
 * line in `message`. */
enum status throughput_draw(const struct experiment *experiment, const char *path,
                            const char *command, struct text *message);
/* Adds the curves; nothing where there are none. */
void throughput_figures(struct document *document, const void *experiment, size_t part);

#endif
