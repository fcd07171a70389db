/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The file of debug symbols that belongs to a program without symbols of its own: by build id
 * (/usr/lib/debug/.build-id/ab/cdef.debug), or by the name in .gnu_debuglink. It must have the
 * program's build id.
 */
#ifndef MEASURE_PROFILE_DEBUG_FILE_H
#define MEASURE_PROFILE_DEBUG_FILE_H

#include "measure/profile/image.h"

bool debug_file_open(struct image *debug, const struct image *image, const char *path);

#endif
