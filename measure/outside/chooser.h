/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Between which functions code chooses that runs when a program starts (IFUNC): those whose
 * addresses it takes.
 */
#ifndef MEASURE_OUTSIDE_CHOOSER_H
#define MEASURE_OUTSIDE_CHOOSER_H

#include "base/vector.h"
#include "measure/outside/code_starts.h"
#include "measure/profile/image.h"

struct chooser_choice {
  uint64_t address;
  char name[96]; /* "": it has none, or the file has lost it */
};

enum { CHOOSER_MOST = 16 };

typedef VECTOR(struct chooser_choice) chooser_list;

/* Of the `size` bytes of code at an address, up to CHOOSER_MOST, by address. `path` is where the
 * image came from. */
void chooser_find(chooser_list *list, const struct image *image, const struct code_starts *starts,
                  const char *path, uint64_t address, uint64_t size);

#endif
