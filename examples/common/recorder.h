/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A node's store in the folder of the run.
 */
#ifndef EXAMPLES_COMMON_RECORDER_H
#define EXAMPLES_COMMON_RECORDER_H

#include "examples/common/folder.h"
#include "measure/tailproof_measure.h"

#include <stdint.h>

/* The longest log, 64 MiB; a longer run's early records are overwritten, its histograms are not. */
enum { RECORDER_RECORDS_MAX = 1 << 20 };

/* Opens a store for the node ("backup[2]") whose log has place for `records`. NULL after a
 * complaint. */
struct tailproof_store *recorder_open(const struct run_folder *folder, const char *node,
                                      uint64_t records);

/* The writer, opened after the names are registered; `names` are what registering them returned.
 * NULL after a complaint. */
struct tailproof_writer *recorder_writer(struct tailproof_store *store, const int *names,
                                         size_t count);

/* False after a complaint. */
bool recorder_close(struct tailproof_store *store);

#endif
