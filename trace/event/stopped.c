/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/event/stopped.h"

#include <errno.h>
#include <string.h>

const char *node_stopped_reason(uint32_t why) {
  return why <= NODE_ERRNO_MOST ? strerror((int)why)
                                : "the thread that writes the log ended of its own";
}

const char *node_stopped_remedy(uint32_t why) {
  switch (why) {
  case ENOSPC:
  case EDQUOT:
  case EFBIG:
    return "make room, or name a folder elsewhere with --out DIR, and record again";
  case EACCES:
  case EPERM:
  case EROFS:
    return "name a folder with --out DIR that the program's user can write to, and record again; "
           "under node --permission allow it with --allow-fs-write=DIR and --allow-worker";
  case EMFILE:
  case ENFILE:
    return "allow more open files with ulimit -n, and record again";
  default:
    return "record again";
  }
}
