/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Objectives of latency in files of others: Sloth (prometheus/v1 and its Kubernetes form), Pyrra
 * (ServiceLevelObjective) and OpenSLO (v1alpha, v1; SLO with its SLI in the same file). Each of them
 * says which share of requests is in the buckets up to an edge, so it is `pSHARE<=EDGE`, and decided
 * exactly there (SOUNDNESS.md). What is no objective of latency is passed over; one of latency that
 * cannot be read is an error.
 */
#ifndef CLI_QUESTION_PERCENTILES_SLO_FILE_H
#define CLI_QUESTION_PERCENTILES_SLO_FILE_H

#include "cli/question/percentiles/slo.h"

/* Appends them, each with its origin; STATUS_NO_INPUT or STATUS_DATA after the asker was told. */
enum status slo_file_read(slo_list *list, const char *path, const struct asker *asker);

#endif
