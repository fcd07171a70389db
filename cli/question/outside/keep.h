/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Events to a file as they come (measure/outside/event_text.h), so that what was recorded is there
 * whatever becomes of the recorder: whole lines are written each time that the kernel's ring was
 * emptied. A process is named by its command line when its first event comes, and again when it has
 * become another program. With a limit a file that has grown to it is ended, and NAME.2, NAME.3 and
 * so on take its place, of which only the last ones may be kept.
 */
#ifndef CLI_QUESTION_OUTSIDE_KEEP_H
#define CLI_QUESTION_OUTSIDE_KEEP_H

#include "base/asker.h"
#include "base/beside.h"
#include "base/status.h"
#include "base/text.h"
#include "base/vector.h"
#include "measure/outside/event.h"
#include "measure/outside/probes.h"

struct kept_process {
  uint32_t id;
  bool said;     /* in this file */
  char *command; /* owned */
};

struct outside_keep {
  const struct asker *asker;
  const char *path; /* NULL: nothing is kept */
  const struct outside_probes *probes;
  uint64_t limit; /* bytes of a file; 0: none */
  unsigned files; /* the last so many are kept; 0: all */
  struct beside file;
  struct text text; /* that is not written yet */
  struct outside_run run;
  uint64_t written, newest;
  unsigned number; /* of the file */
  bool open, failed;
  int cause; /* errno */
  VECTOR(struct kept_process) named;
};

/* Opens the first file; the other fields up to `files` are set. */
enum status keep_open(struct outside_keep *keep);

/* What stands first; all probes are in place. */
void keep_begin(struct outside_keep *keep, const struct outside_run *run);

/* False when it cannot be written any more. */
bool keep_take(struct outside_keep *keep, const struct outside_event *event);
bool keep_flush(struct outside_keep *keep);

/* Ends the file and goes on in the next one, of a keep with a limit; false as keep_take. */
bool keep_turn(struct outside_keep *keep);

/* What a process is, from its beginning: the words of its command line, up to a NULL; of one that
 * runs NULL. */
void keep_name(struct outside_keep *keep, uint32_t process, const char *const *words);

/* A process became another program. */
void keep_renamed(struct outside_keep *keep, uint32_t process);

/* The end of the recording, and of the file. `well`: it was recorded; else an empty file is removed.
 * STATUS_INTERNAL after saying what could not be written: what was is left. */
void keep_end(struct outside_keep *keep, const struct outside_run *run);
enum status keep_close(struct outside_keep *keep, bool well);

#endif
