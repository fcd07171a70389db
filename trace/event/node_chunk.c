/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/event/node_chunk.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char file_magic[] = "TPNODE1\n", chunk_magic[] = "TPNC", sample_magic[] = "TPNS";

static uint32_t get32(const unsigned char *at) {
  return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static uint64_t get64(const unsigned char *at) {
  return get32(at) | (uint64_t)get32(at + 4) << 32;
}

bool node_file_is(const char *bytes, size_t length) {
  return length >= strlen(file_magic) && memcmp(bytes, file_magic, strlen(file_magic)) == 0;
}

uint32_t node_checksum(const unsigned char *bytes, size_t count) {
  uint32_t sum = 0x7470;
  for (size_t i = 0; i < count; i++) {
    sum = (sum ^ get32(bytes + 4 * i)) * 0x9e3779b1U;
    sum ^= sum >> 15;
  }
  return sum;
}

/* So many bytes from the offset, or false. */
static bool read_at(const struct node_file *file, int64_t offset, unsigned char *bytes,
                    size_t length) {
  size_t got = 0;
  while (got < length) {
    ssize_t count = pread(file->descriptor, bytes + got, length - got, offset + (int64_t)got);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return false;
    got += (size_t)count;
  }
  return true;
}

static bool read_header(struct node_file *file) {
  unsigned char *bytes = file->bytes;
  if (!read_at(file, 0, bytes, NODE_FILE_HEADER) ||
      !node_file_is((const char *)bytes, NODE_FILE_HEADER))
    return false;
  size_t length = get32(bytes + 20);
  file->process = get32(bytes + 8);
  file->thread = get32(bytes + 12);
  file->part = get32(bytes + 16);
  file->system_thread = get32(bytes + 44);
  file->has_http2 = (get32(bytes + 40) & 1) != 0;
  file->has_asked = (get32(bytes + 40) & 2) != 0;
  file->run = get32(bytes + 40) >> 8;
  file->pool = get32(bytes + 48) & UINT16_MAX;
  file->under_way = get32(bytes + 48) >> 16;
  file->stopped = get32(bytes + 52);
  file->stopped_at = (int64_t)(get64(bytes + 56) & INT64_MAX);
  if (length > NODE_NAME_MOST || !read_at(file, NODE_FILE_HEADER, bytes, length))
    return false;
  for (size_t i = 0; i < length; i++)
    file->name[i] = (char)(bytes[i] < ' ' || bytes[i] == 127 ? '?' : bytes[i]);
  file->name[length] = '\0';
  file->offset = NODE_FILE_HEADER + (int64_t)((length + 3) & ~(size_t)3);
  return true;
}

enum status node_file_open(struct node_file *file, const char *path, struct text *message) {
  struct stat about;
  *file = (struct node_file){.descriptor = open(path, O_RDONLY | O_CLOEXEC)};
  if (file->descriptor < 0 || fstat(file->descriptor, &about) != 0) {
    text_format(message, "%s: cannot be read: %s; name a file that is there and readable", path,
                strerror(errno));
    node_file_close(file);
    return STATUS_NO_INPUT;
  }
  file->size = about.st_size;
  if (!S_ISREG(about.st_mode) || !read_header(file)) {
    text_format(message,
                "%s: is no log of Node.js, or was cut off in its first bytes; record it "
                "with tailproof record --node",
                path);
    node_file_close(file);
    return STATUS_DATA;
  }
  return STATUS_OK;
}

void node_file_close(struct node_file *file) {
  if (file->descriptor >= 0)
    close(file->descriptor);
  file->descriptor = -1;
}

static bool is_magic(const unsigned char *bytes) {
  return memcmp(bytes, chunk_magic, 4) == 0 || memcmp(bytes, sample_magic, 4) == 0;
}

/* The chunk at the offset, if it is whole. */
static bool read_chunk(struct node_file *file, struct node_chunk *chunk, size_t *size) {
  unsigned char *bytes = file->bytes;
  if (!read_at(file, file->offset, bytes, NODE_CHUNK_HEADER) || !is_magic(bytes))
    return false;
  size_t length = get32(bytes + 4);
  if (length > NODE_CHUNK_MOST - NODE_CHUNK_HEADER)
    return false;
  *size = (NODE_CHUNK_HEADER + length + 3) & ~(size_t)3;
  if (!read_at(file, file->offset + NODE_CHUNK_HEADER, bytes + NODE_CHUNK_HEADER,
               *size - NODE_CHUNK_HEADER))
    return false;
  uint32_t sum = get32(bytes + 8);
  memset(bytes + 8, 0, 4);
  if (node_checksum(bytes, *size / 4) != sum)
    return false;
  *chunk = (struct node_chunk){.samples = memcmp(bytes, sample_magic, 4) == 0,
                               .sequence = get32(bytes + 12),
                               .base = (int64_t)get64(bytes + 16),
                               .records = get64(bytes + 24),
                               .dropped = get64(bytes + 32),
                               .end = (int64_t)get64(bytes + 40),
                               .data = bytes + NODE_CHUNK_HEADER,
                               .length = length};
  return true;
}

static const unsigned char *find_magic(const unsigned char *bytes, size_t length) {
  const unsigned char *end = bytes + length;
  while ((bytes = memchr(bytes, chunk_magic[0], (size_t)(end - bytes))) != NULL) {
    if (end - bytes >= 4 && is_magic(bytes))
      return bytes;
    bytes++;
  }
  return NULL;
}

/* Moves to the next place behind the offset that looks like a chunk, or to the end. */
static void skip(struct node_file *file) {
  int64_t from = file->offset;
  file->offset++;
  while (file->offset < file->size) {
    int64_t rest = file->size - file->offset;
    size_t length = rest < NODE_CHUNK_MOST ? (size_t)rest : NODE_CHUNK_MOST;
    if (!read_at(file, file->offset, file->bytes, length))
      break;
    const unsigned char *found = find_magic(file->bytes, length);
    if (found != NULL) {
      file->offset += found - file->bytes;
      file->skipped += (uint64_t)(file->offset - from);
      return;
    }
    file->offset += length > 3 && rest > NODE_CHUNK_MOST ? (int64_t)length - 3 : rest;
  }
  file->offset = file->size;
  file->skipped += (uint64_t)(file->size - from);
}

bool node_file_next(struct node_file *file, struct node_chunk *chunk) {
  while (file->offset < file->size) {
    size_t size = 0;
    if (read_chunk(file, chunk, &size)) {
      file->offset += (int64_t)size;
      return true;
    }
    skip(file);
  }
  return false;
}
