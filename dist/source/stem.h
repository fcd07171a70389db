/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The measurement files of a folder: each is named for what it measures, then has a suffix. The
 * names belong to the list.
 */
#ifndef DIST_SOURCE_STEM_H
#define DIST_SOURCE_STEM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/vector.h"

typedef VECTOR(char *) names_type;

void names_release(names_type *names);

/* The length of a file name without the suffixes of a measurement ("d.Ack.csv.gz": 5); 0 when it
 * has none. */
size_t stem_length(const char *file);

/* Whether a file of that name is the table of dist/source/joint.h, which measures no occurrence of
 * its own: joint.csv, joint.csv.gz. */
bool stem_is_joint(const char *file);

/* The measurement files of the directory, but for a joint table, in order of their names; false
 * with errno set. */
bool stem_list(names_type *files, const char *directory);

#endif
