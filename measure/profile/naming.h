/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From a place in a program to the name of the function there. Tables are loaded when the first
 * name in them is asked for, and once.
 */
#ifndef MEASURE_PROFILE_NAMING_H
#define MEASURE_PROFILE_NAMING_H

#include "base/text.h"
#include "base/vector.h"
#include "measure/profile/symbols.h"

struct namer {
  VECTOR(struct named_image *) images; /* by the number of who asks; NULL: not asked for */
  struct symbols kernel;
  bool kernel_loaded, scheduler_found;
  uint64_t scheduler, scheduler_end; /* where the kernel's scheduler is; 0, 0: not known */
};

void naming_clear(struct namer *naming);

/* Appends the name of the function at an address of the image, which stays open; false, and *start
 * is where the function begins if it is known to be one (else the address), when it has no name. */
bool naming_find(struct namer *naming, uint32_t number, const struct image *image, const char *path,
                 uint64_t address, struct text *name, uint64_t *start);
/* Appends the functions that the compiler put into it there, each with a NUL before it, and returns
 * how many. For an address that has a name. */
uint32_t naming_find_inlined(struct namer *naming, uint32_t number, uint64_t address,
                             struct text *names);
/* Whether a place in the kernel is in its scheduler, which is what a thread that waits is in. */
bool naming_in_scheduler(struct namer *naming, uint64_t address);
bool naming_find_kernel(struct namer *naming, uint64_t address, struct text *name);

#endif
