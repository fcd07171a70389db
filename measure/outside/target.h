/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where in a program or library a probe goes: the places of a symbol, of the returns of a Go
 * function, of a USDT probe, as offsets in the file. Each is the beginning of an instruction
 * (measure/outside/place_check.h).
 *
 * A function of Go must not have a uretprobe: its stack moves while it runs, and with it the return
 * address that the kernel has put there. So its return instructions have a probe each.
 */
#ifndef MEASURE_OUTSIDE_TARGET_H
#define MEASURE_OUTSIDE_TARGET_H

#include "base/status.h"
#include "base/text.h"
#include "base/vector.h"
#include "measure/outside/probes.h"
#include "measure/outside/usdt.h"

struct target_file; /* measure/outside/target_file.h */
struct target_files;

struct target_place {
  uint64_t offset, semaphore; /* in the file; semaphore 0: none */
  bool stepped; /* the instruction there costs a second trap (measure/outside/stepped.h) */
  struct usdt_arguments arguments;
};

struct outside_target {
  char build_id[SITE_BUILD_ID]; /* "": it has none */
  uint64_t device, inode;
  struct target_file *file;           /* of the list that it was found in; NULL: of none */
  VECTOR(struct target_place) places; /* at least one */
  struct target_place entry;          /* of a uretprobe: where its function is entered */
};

/* Of a site with a path. Otherwise one line in `message` that names the file, what is wrong and the
 * remedy: STATUS_NO_INPUT where it cannot be read, STATUS_DATA where it is no program, has not what
 * is asked for, or is another build. Cleared by target_clear in any case. */
enum status target_find(struct outside_target *target, const struct outside_site *site,
                        struct text *message);

/* The same with files that stay open, and are shared by the targets in them. */
enum status target_find_in(struct outside_target *target, const struct outside_site *site,
                           struct target_files *files, struct text *message);

/* The path by which this very file is reached while it is open, whatever has its name by now. */
enum { TARGET_PATH = 32 };
void target_path(char path[TARGET_PATH], const struct outside_target *target);

void target_clear(struct outside_target *target);

#endif
