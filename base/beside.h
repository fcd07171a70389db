/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A file that is written over some time and takes the place of an older one only when it is whole:
 * until then it stands beside it, as NAME.XXXXXX. Where there is no older one it has its name from
 * the beginning, so that what a killed program wrote is found there. Devices and pipes are written
 * to as they are.
 */
#ifndef BASE_BESIDE_H
#define BASE_BESIDE_H

#include <stdbool.h>

struct beside {
  int descriptor; /* the caller's: for reading and writing; -1: not open */
  char *place;    /* where the file will be; NULL: it is not to be moved */
  char *made;     /* where it is; NULL: it stays there whatever happens */
};

/* All zeros but for a descriptor of -1; 0, or an errno. */
int beside_open(struct beside *beside, const char *path);

/* The file is whole, and takes its place; 0, or an errno. The descriptor stays open. */
int beside_keep(struct beside *beside);

/* The file is given up, and the older one stays. Nothing after beside_keep. */
void beside_drop(struct beside *beside);

#endif
