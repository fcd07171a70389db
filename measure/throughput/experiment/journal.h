/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The journal of an experiment: a line of JSON for what the services are like, and one for each
 * window as soon as it is measured. An experiment goes on from it, also after it was killed.
 */
#ifndef MEASURE_THROUGHPUT_EXPERIMENT_JOURNAL_H
#define MEASURE_THROUGHPUT_EXPERIMENT_JOURNAL_H

#include "base/jsonl.h"
#include "measure/throughput/experiment/experiment.h"

/* Opens it; with --resume what is in it becomes the experiment's. STATUS_OK, also without a
 * journal; STATUS_DATA and the like after a line on stderr. */
enum status journal_open(struct experiment *experiment);

/* False, after a line on stderr, when it cannot be written. */
bool journal_profile(struct experiment *experiment);
bool journal_window(struct experiment *experiment, const struct cell *cell,
                    const struct window *window);

/* The same lines, for --json as well; to be printed or freed. */
struct jsonl *journal_profile_json(const struct experiment *experiment);
struct jsonl *journal_window_json(const struct experiment *experiment, const struct cell *cell,
                                  const struct window *window);

#endif
