/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/digest.h"

#include <errno.h>
#include <fcntl.h>
#include <nettle/sha2.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

static void finish(char digest[DIGEST_LENGTH + 1], struct sha256_ctx *context) {
  uint8_t raw[SHA256_DIGEST_SIZE];
  sha256_digest(context, sizeof raw, raw);
  for (size_t i = 0; i < sizeof raw; i++)
    snprintf(digest + 2 * i, 3, "%02x", raw[i]);
}

void digest_bytes(char digest[DIGEST_LENGTH + 1], const void *bytes, size_t length) {
  struct sha256_ctx context;
  sha256_init(&context);
  sha256_update(&context, length, bytes);
  finish(digest, &context);
}

static enum status fail(const char *path, const char *why, struct text *message) {
  text_format(message, "%s: cannot be read: %s", path, why);
  return STATUS_NO_INPUT;
}

static enum status add_all(struct sha256_ctx *context, int descriptor, const char *path,
                           struct text *message) {
  enum { BLOCK = 1 << 18 };
  uint8_t *block = mem_alloc(1, BLOCK);
  ssize_t got;
  while ((got = read(descriptor, block, BLOCK)) > 0 || (got < 0 && errno == EINTR))
    if (got > 0)
      sha256_update(context, (size_t)got, block);
  enum status status = got < 0 ? fail(path, strerror(errno), message) : STATUS_OK;
  mem_free(block);
  return status;
}

enum status digest_file(char digest[DIGEST_LENGTH + 1], const char *path, struct text *message) {
  struct sha256_ctx context;
  struct stat about;
  int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0)
    return fail(path, strerror(errno), message);
  sha256_init(&context);
  enum status status = STATUS_OK;
  if (fstat(descriptor, &about) != 0 || !S_ISREG(about.st_mode))
    status = fail(path, "it is no regular file; save it as one first", message);
  if (status == STATUS_OK)
    status = add_all(&context, descriptor, path, message);
  if (status == STATUS_OK)
    finish(digest, &context);
  close(descriptor);
  return status;
}
