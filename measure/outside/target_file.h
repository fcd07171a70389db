/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The programs and libraries that a list of probes names, each opened once: where a probe was found
 * to be good in a file, it is put into this very file, also if another one has its name by then.
 */
#ifndef MEASURE_OUTSIDE_TARGET_FILE_H
#define MEASURE_OUTSIDE_TARGET_FILE_H

#include "base/status.h"
#include "base/text.h"
#include "measure/outside/code_map.h"

struct target_file {
  char *path;     /* as it was named; owned */
  int descriptor; /* of the file, beside the image's own */
  uint64_t device, inode, size;
  int64_t changed_ns; /* when its content was last written */
  struct image image;
  struct code_starts starts;
  bool has_starts;
  struct code_map *map; /* NULL: not yet asked for */
};

struct target_files; /* owned; for target_files_free */

struct target_files *target_files_new(void);

/* Nothing more is looked for in them: what was read of them is given back, so that this process
 * does not count as one that uses them. The files stay open. */
void target_files_rest(struct target_files *files);
void target_files_free(struct target_files *files);

/* The file of a path, opened if it was not; it lives as long as the list. NULL with one line in
 * `message` and *status: STATUS_NO_INPUT where it cannot be read, STATUS_DATA where it is no
 * program for this kind of machine. */
struct target_file *target_files_open(struct target_files *files, const char *path,
                                      enum status *status, struct text *message);

/* One that has been written since it was opened; NULL: none. */
const struct target_file *target_files_changed(const struct target_files *files);

/* Where its functions begin, and its instructions; the latter takes up to a second for a large
 * program, once. */
const struct code_starts *target_file_starts(struct target_file *file);
const struct code_map *target_file_map(struct target_file *file);

/* Whether its code is that of x86-64. */
bool target_file_is_wide(const struct target_file *file);

#endif
