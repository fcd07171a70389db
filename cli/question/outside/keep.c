/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/outside/keep.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "measure/outside/event_text.h"

enum { ENOUGH = 1 << 16 };

/* --- files --- */

static void name_of(struct text *name, const struct outside_keep *keep, unsigned number) {
  text_format(name, "%s", keep->path);
  if (number > 1)
    text_format(name, ".%u", number);
}

static enum status fail(struct outside_keep *keep, const char *path, int cause) {
  return asker_fail(keep->asker, STATUS_INTERNAL,
                    cause == EEXIST ? "%s: %s; a recording in several files overwrites none: name "
                                      "another one with --keep-events"
                                    : "%s: cannot be written: %s; name another file with "
                                      "--keep-events",
                    path, strerror(cause));
}

/* Of several files none takes the place of an older one. */
static int open_numbered(struct outside_keep *keep) {
  struct text name = {0};
  name_of(&name, keep, keep->number);
  keep->file = (struct beside){
      .descriptor = open(text_get(&name), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666)};
  int cause = keep->file.descriptor < 0 ? errno : 0;
  text_clear(&name);
  return cause;
}

enum status keep_open(struct outside_keep *keep) {
  if (keep->path == NULL)
    return STATUS_OK;
  keep->number = 1;
  int cause = keep->limit != 0 ? open_numbered(keep) : beside_open(&keep->file, keep->path);
  keep->open = cause == 0;
  if (keep->open)
    return STATUS_OK;
  beside_drop(&keep->file);
  return fail(keep, keep->path, cause);
}

/* Only whole lines stay of what could not be written. */
static bool cut(struct outside_keep *keep, const char *bytes, size_t done, int cause) {
  while (done > 0 && bytes[done - 1] != '\n')
    done--;
  keep->failed = true;
  keep->cause = cause;
  if (ftruncate(keep->file.descriptor, (off_t)(keep->written + done)) != 0)
    keep->cause = errno;
  keep->written += done;
  return false;
}

bool keep_flush(struct outside_keep *keep) {
  const char *bytes = text_get(&keep->text);
  size_t length = keep->text.length, done = 0;
  while (!keep->failed && done < length) {
    ssize_t got = write(keep->file.descriptor, bytes + done, length - done);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return cut(keep, bytes, done, got < 0 ? errno : EIO);
    done += (size_t)got;
  }
  keep->written += done;
  text_clear(&keep->text);
  return !keep->failed;
}

/* --- several files --- */

/* The command lines are in each, so that each can be paired alone. */
bool keep_turn(struct outside_keep *keep) {
  struct text old = {0};
  text_format(&keep->text, "end %" PRIu64 "\n", keep->newest);
  if (!keep_flush(keep))
    return false;
  close(keep->file.descriptor);
  keep->number++;
  keep->written = 0;
  for (size_t i = 0; i < keep->named.count; i++)
    keep->named.data[i].said = false;
  if (keep->files != 0 && keep->number > keep->files) {
    name_of(&old, keep, keep->number - keep->files);
    unlink(text_get(&old));
    text_clear(&old);
  }
  int cause = open_numbered(keep);
  if (cause != 0) {
    keep->open = false;
    keep->failed = true;
    keep->cause = cause;
    return false;
  }
  struct outside_run run = {.clock = keep->run.clock, .start_ns = keep->newest};
  event_text_begin(&keep->text, &run);
  return true;
}

/* --- events --- */

void keep_begin(struct outside_keep *keep, const struct outside_run *run) {
  keep->run.clock = run->clock;
  keep->newest = run->start_ns;
  if (keep->open)
    event_text_begin(&keep->text, run);
}

static struct kept_process *find(struct outside_keep *keep, uint32_t process) {
  for (size_t i = 0; i < keep->named.count; i++)
    if (keep->named.data[i].id == process)
      return &keep->named.data[i];
  return NULL;
}

/* Its words with a blank behind each, as places match them. */
static void read_command(struct text *command, uint32_t process) {
  char path[64], bytes[4096];
  snprintf(path, sizeof path, "/proc/%" PRIu32 "/cmdline", process);
  FILE *file = fopen(path, "re");
  size_t length = file == NULL ? 0 : fread(bytes, 1, sizeof bytes, file);
  if (file != NULL)
    fclose(file);
  text_append_bytes(command, bytes, length);
}

void keep_name(struct outside_keep *keep, uint32_t process, const char *const *words) {
  struct text command = {0};
  for (size_t i = 0; words != NULL && words[i] != NULL; i++)
    text_format(&command, "%s ", words[i]);
  if (words == NULL)
    read_command(&command, process);
  for (size_t i = 0; i < command.length; i++)
    if (command.data[i] == '\0' || command.data[i] == '\n')
      command.data[i] = ' ';
  struct kept_process *known = find(keep, process);
  if (known != NULL && command.length != 0) {
    mem_free(known->command);
    known->command = text_take(&command);
    known->said = false;
  } else if (known == NULL) {
    vector_push(&keep->named, (struct kept_process){process, false, text_take(&command)});
  }
  text_clear(&command);
}

void keep_renamed(struct outside_keep *keep, uint32_t process) {
  if (keep->open && find(keep, process) != NULL)
    keep_name(keep, process, NULL);
}

static void say_process(struct outside_keep *keep, uint32_t process) {
  if (find(keep, process) == NULL)
    keep_name(keep, process, NULL);
  struct kept_process *known = find(keep, process);
  if (!known->said && known->command[0] != '\0')
    text_format(&keep->text, "process %" PRIu32 " %s\n", process, known->command);
  known->said = true;
}

bool keep_take(struct outside_keep *keep, const struct outside_event *event) {
  if (!keep->open)
    return true;
  say_process(keep, event->pid);
  event_text_append(&keep->text, keep->probes->list.data, event);
  keep->newest = event->time_ns;
  if (keep->limit != 0 && keep->written + keep->text.length > keep->limit && !keep_turn(keep))
    return false;
  return keep->text.length < ENOUGH || keep_flush(keep);
}

/* --- the end --- */

void keep_end(struct outside_keep *keep, const struct outside_run *run) {
  if (keep->open)
    event_text_end(&keep->text, keep->probes->list.data, (uint32_t)keep->probes->list.count, run);
}

enum status keep_close(struct outside_keep *keep, bool well) {
  if (keep->path == NULL || (!keep->open && !keep->failed))
    return STATUS_OK;
  if (!keep->failed)
    keep_flush(keep);
  bool any = keep->written != 0 || keep->number > 1;
  if (keep->open && close(keep->file.descriptor) != 0 && !keep->failed) {
    keep->failed = true;
    keep->cause = errno;
  }
  int cause = 0;
  if (keep->open && (well || any))
    cause = beside_keep(&keep->file);
  else
    beside_drop(&keep->file);
  if (!keep->failed && cause != 0) {
    keep->failed = true;
    keep->cause = cause;
  }
  text_clear(&keep->text);
  for (size_t i = 0; i < keep->named.count; i++)
    mem_free(keep->named.data[i].command);
  vector_clear(&keep->named);
  if (!keep->failed)
    return STATUS_OK;
  return asker_fail(
      keep->asker, STATUS_INTERNAL, "%s: cannot be written: %s; %smake room, and record again",
      keep->path, strerror(keep->cause), any ? "what came before is there, in whole lines; " : "");
}
