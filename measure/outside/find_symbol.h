/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The one place that a function's name means in a program or library. A name can mean several: two
 * source files each have a function of it, or a library has a version for each time that its
 * meaning was changed. Then it is the default version, which programs that are linked today get;
 * NAME@VERSION says another one. What is still several places is refused, with a list of them, and
 * so is a name at which stands code that chooses a function (IFUNC): it runs once, when the program
 * starts, and nobody calls it.
 */
#ifndef MEASURE_OUTSIDE_FIND_SYMBOL_H
#define MEASURE_OUTSIDE_FIND_SYMBOL_H

#include "base/status.h"
#include "base/text.h"
#include "measure/outside/code_starts.h"
#include "measure/outside/probes.h"

/* The addresses of site->symbol in the image. Otherwise STATUS_DATA with one line in `message` that
 * names the file and the remedy. */
enum status find_symbol(uint64_t *start, uint64_t *end, const struct outside_site *site,
                        const struct image *image, const struct code_starts *starts,
                        struct text *message);

#endif
