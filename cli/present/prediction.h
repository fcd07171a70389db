/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answers of `whatif predict`, as documents.
 */
#ifndef CLI_PRESENT_PREDICTION_H
#define CLI_PRESENT_PREDICTION_H

#include "measure/throughput/experiment/calculator.h"
#include "show/document.h"

/* Of which kinds their objects are; NULL behind the last. */
extern const struct object_kind *const prediction_kinds[];

/* Both initialise the document. */
void prediction_document(struct document *document, const struct prediction *prediction);
/* The rows, and how many there are unless a mistake ended them. */
void points_document(struct document *document, const struct points *points, bool complete);

#endif
