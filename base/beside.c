/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/beside.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"

/* Beside the file that a link points to, with the permissions of that file. */
static int open_beside(struct beside *beside, const char *path, mode_t mode) {
  char *target = realpath(path, NULL);
  if (target == NULL)
    return errno;
  struct text made;
  text_init(&made);
  text_format(&made, "%s.XXXXXX", target);
  beside->place = mem_copy_text(target, strlen(target));
  beside->made = text_take(&made);
  free(target);
  /* what may not be written may not be replaced either */
  int cause = access(beside->place, W_OK) == 0 ? 0 : errno;
  if (cause == 0 && (beside->descriptor = mkstemp(beside->made)) < 0)
    cause = errno;
  if (cause == 0 && (fchmod(beside->descriptor, mode & 0777) != 0 ||
                     fcntl(beside->descriptor, F_SETFD, FD_CLOEXEC) != 0))
    cause = errno;
  return cause;
}

int beside_open(struct beside *beside, const char *path) {
  struct stat about;
  *beside = (struct beside){.descriptor = -1};
  if (stat(path, &about) == 0 && S_ISREG(about.st_mode))
    return open_beside(beside, path, about.st_mode);
  bool is_new = stat(path, &about) != 0;
  beside->descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (beside->descriptor < 0)
    return errno;
  if (is_new)
    beside->made = mem_copy_text(path, strlen(path));
  return 0;
}

static void forget(struct beside *beside) {
  mem_free(beside->place);
  mem_free(beside->made);
  beside->place = beside->made = NULL;
}

int beside_keep(struct beside *beside) {
  int cause = 0;
  if (beside->place != NULL && rename(beside->made, beside->place) != 0) {
    cause = errno;
    unlink(beside->made);
  }
  forget(beside);
  return cause;
}

void beside_drop(struct beside *beside) {
  if (beside->made != NULL)
    unlink(beside->made);
  forget(beside);
}
