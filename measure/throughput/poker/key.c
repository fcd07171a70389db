/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/throughput/poker/key.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

__attribute__((format(printf, 3, 4))) static int fault(int error, char *message, const char *format,
                                                       ...) {
  va_list values;
  va_start(values, format);
  vsnprintf(message, KEY_MESSAGE, format, values);
  va_end(values);
  return error;
}

/* 0 or an errno value; one byte more than a key may have says that there are too many. */
static int read_all(int descriptor, uint8_t bytes[KEY_MOST + 3], size_t *size) {
  *size = 0;
  while (*size < KEY_MOST + 3) {
    ssize_t got = read(descriptor, bytes + *size, KEY_MOST + 3 - *size);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return errno;
    if (got == 0)
      return 0;
    *size += (size_t)got;
  }
  return 0;
}

static int check(const struct stat *about, const char *path, size_t size, char *message) {
  if ((about->st_mode & (S_IRWXG | S_IRWXO)) != 0)
    return fault(EBADMSG, message,
                 "%.300s: others than its owner have access to this key; chmod 600", path);
  if (size < KEY_LEAST)
    return fault(EBADMSG, message,
                 "%.300s: a key of %zu bytes; at least %d, such as `head -c 32 /dev/urandom` makes",
                 path, size, KEY_LEAST);
  if (size > KEY_MOST)
    return fault(EBADMSG, message,
                 "%.300s: longer than %d bytes, so no key; `head -c 32 /dev/urandom` "
                 "makes one",
                 path, KEY_MOST);
  return 0;
}

int key_read(struct poker_key *key, const char *path, char message[KEY_MESSAGE]) {
  key->size = 0;
  int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0)
    return fault(errno, message, "%.300s: %s; name a file with the key", path, strerror(errno));
  uint8_t bytes[KEY_MOST + 3];
  size_t size = 0;
  struct stat about;
  int error = fstat(descriptor, &about) != 0 ? errno : 0;
  if (error == 0 && !S_ISREG(about.st_mode))
    error = S_ISDIR(about.st_mode) ? EISDIR : ENODEV;
  if (error == 0)
    error = read_all(descriptor, bytes, &size);
  close(descriptor);
  if (error != 0)
    return fault(error, message, "%.300s: %s; name a file with the key", path,
                 error == ENODEV ? "not a file" : strerror(error));
  while (size > 0 && (bytes[size - 1] == '\n' || bytes[size - 1] == '\r'))
    size--;
  error = check(&about, path, size, message);
  if (error != 0)
    return error;
  memcpy(key->bytes, bytes, size);
  key->size = size;
  return 0;
}
