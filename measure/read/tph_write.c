/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/read/tph_write.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int name_is_valid(const char *name) {
  if (*name == '\0')
    return 0;
  for (; *name != '\0'; name++)
    if (!isalnum((unsigned char)*name) && *name != '_')
      return 0;
  return 1;
}

/* 0, or -1 with errno set. */
static int write_text(FILE *file, const struct histogram *histogram, const char *name) {
  fprintf(file, "tailproof-histogram 1\nname %s\nunit ns\nsub_buckets %d\n", name,
          HISTOGRAM_SUB_BUCKETS);
  fprintf(file, "total %" PRIu64 "\nsaturated %" PRIu64 "\ncounts\n", histogram_total(histogram),
          histogram->saturated);
  for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++)
    if (histogram->counts[i] != 0)
      fprintf(file, "%" PRIu64 " %" PRIu64 "\n", histogram_upper_edge_ns(i), histogram->counts[i]);
  fprintf(file, "end\n");
  if (fflush(file) != 0 || fsync(fileno(file)) != 0)
    return -1;
  if (ferror(file)) { /* an earlier write failed; its errno is gone */
    errno = EIO;
    return -1;
  }
  return 0;
}

/* "PATH.PID.tmp", owned by the caller (free), or NULL. */
static char *temporary_name(const char *path) {
  size_t size = strlen(path) + 32;
  char *temporary = malloc(size);
  if (temporary != NULL)
    snprintf(temporary, size, "%s.%ld.tmp", path, (long)getpid());
  return temporary;
}

int tph_write(const char *path, const struct histogram *histogram, const char *name) {
  if (!name_is_valid(name))
    return EINVAL;
  char *temporary = temporary_name(path);
  if (temporary == NULL)
    return ENOMEM;
  int error = 0;
  FILE *file = NULL;
  int descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor < 0) {
    error = errno;
    goto done;
  }
  file = fdopen(descriptor, "w");
  if (file == NULL) {
    error = errno;
    close(descriptor);
    goto remove;
  }
  if (write_text(file, histogram, name) != 0)
    error = errno;
  if (fclose(file) != 0 && error == 0)
    error = errno;
  if (error == 0 && rename(temporary, path) != 0)
    error = errno;
remove:
  if (error != 0)
    unlink(temporary);
done:
  free(temporary);
  return error;
}
