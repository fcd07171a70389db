/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The folder --out DIR of a run. It is made beside its place under a temporary name and renamed
 * when the run is good, so that DIR appears whole or not at all:
 *
 *   DIR/store/    the stores (*.tps) of all processes
 *   DIR/run.txt   one line each: "spec specs/lock.tp", "bound NAME", "set n=4", "request round";
 * also "series FOLDER": stores in DIR/FOLDER that count in the series but are no part of the
 * executions
 */
#ifndef EXAMPLES_COMMON_FOLDER_H
#define EXAMPLES_COMMON_FOLDER_H

#include <limits.h>
#include <stdbool.h>

struct run_folder {
  const char *out;
  char temporary[PATH_MAX];
  char store[PATH_MAX]; /* for struct tailproof_options; inside the temporary folder */
};

/* `out` must not exist, or be an empty folder. False after a complaint; nothing is left behind. */
bool folder_make(struct run_folder *folder, const char *out);

/* Appends one line to run.txt. False after a complaint. */
__attribute__((format(printf, 2, 3))) bool folder_note(const struct run_folder *folder,
                                                       const char *format, ...);

/* Gives the folder its name. False after a complaint: then folder_remove is still to be called. */
bool folder_keep(const struct run_folder *folder);

/* Removes the temporary folder with all that is in it. */
void folder_remove(const struct run_folder *folder);

#endif
