/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which of several functions a process uses: that to which its tables of linkage lead, as the
 * loader has written them when it started (IFUNC, IRELATIVE). Its memory is read, and not changed.
 */
#ifndef MEASURE_OUTSIDE_CHOSEN_IN_H
#define MEASURE_OUTSIDE_CHOSEN_IN_H

#include "measure/outside/chooser.h"

/* The choice whose address stands in data of the process's files, or NULL: none does or several,
 * the process does not use the image's file, or may not be looked at. */
const struct chooser_choice *chosen_in(const chooser_list *list, const struct image *image,
                                       uint32_t process);

#endif
