/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Bounds the bytes of a folder's files: the oldest are removed until the rest fit.
 */
#ifndef MEASURE_AGENT_SHELF_H
#define MEASURE_AGENT_SHELF_H

#include <stdint.h>

/* Removes those files of the folder whose names begin with `prefix` and whose last change is
 * longest ago, as many as it takes for the others to have at most `most` bytes; never the one that
 * was changed last. Of equal age the one whose name comes first goes first. Returns how many bytes
 * the others have; a folder that cannot be read has none. */
uint64_t shelf_trim(const char *folder, const char *prefix, uint64_t most);

#endif
