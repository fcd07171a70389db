/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Functions that the compiler put into others, by the program's debug information (DWARF 5, 3.3.8):
 * which of them the code at an address is of. The information of a unit of compilation is read
 * once, when the first address in it is asked for.
 */
#ifndef MEASURE_PROFILE_INLINED_H
#define MEASURE_PROFILE_INLINED_H

#include "base/text.h"
#include "measure/profile/image.h"

struct inlined;

/* Of an image, which must stay open; owned. NULL: it has no debug information. */
struct inlined *inlined_new(const struct image *image);
void inlined_free(struct inlined *inlined); /* NULL is nothing */

/* Appends to `names`, each with a NUL before it, the functions put into the one at this address,
 * the outermost first; returns how many: 0 also where the information has no table of addresses
 * (.debug_aranges; clang needs -gdwarf-aranges). */
uint32_t inlined_find(struct inlined *inlined, uint64_t address, struct text *names);

#endif
