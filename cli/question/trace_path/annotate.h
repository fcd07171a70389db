/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Traces written back with what each span has of its request's critical path, so that programs which
 * show traces show it.
 */
#ifndef CLI_QUESTION_TRACE_PATH_ANNOTATE_H
#define CLI_QUESTION_TRACE_PATH_ANNOTATE_H

#include "cli/question/trace_path/trace_path.h"
#include "trace/span/rewrite.h"

/* The attributes, in ns, of spans on the path of their request; over a request the first two add up
 * to its latency. The third is there where it differs from the first. */
#define ANNOTATE_WORK REWRITE_PREFIX "critical_path.ns"            /* the span's own work */
#define ANNOTATE_NETWORK REWRITE_PREFIX "critical_path.network_ns" /* on the way to or from it */
#define ANNOTATE_FREE REWRITE_PREFIX "critical_path.ns_if_free"    /* if nothing undecided waits */

/* Writes the files of answer->files to answer->request->annotate: a file where the request names one
 * file, else a folder that is made, with their names. Counts in answer->annotated the spans written;
 * the ledger warns where others were not found. STATUS_DATA or STATUS_INTERNAL, said to the asker:
 * a file that cannot be annotated or written; files of before are then as they were. STATUS_USAGE:
 * what was read can be read once only (standard input, summaries of traces). */
enum status trace_path_annotate(struct trace_path *answer);

#endif
