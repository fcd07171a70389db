/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/expand.h"

#include <stdint.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "base/memory.h"

enum { GZIP_WINDOW = 16 + MAX_WBITS, LENGTH_BYTES = 4 };

struct expander {
  const char *name;
  enum compression compression;
  bool within;   /* a member or frame has begun and not ended */
  size_t passed; /* bytes of the length before a frame */
  z_stream gzip;
  ZSTD_DStream *zstd;
};

static const char zstd_magic[] = "\x28\xb5\x2f\xfd";

enum compression compression_tell(struct slice beginning) {
  const char *start = beginning.start;
  if (beginning.length >= 2 && memcmp(start, "\x1f\x8b", 2) == 0)
    return COMPRESSED_GZIP;
  if (beginning.length >= LENGTH_BYTES && memcmp(start, zstd_magic, LENGTH_BYTES) == 0)
    return COMPRESSED_ZSTD;
  if (beginning.length >= COMPRESSION_BYTES &&
      memcmp(start + LENGTH_BYTES, zstd_magic, LENGTH_BYTES) == 0)
    return COMPRESSED_ZSTD_FRAMES;
  return COMPRESSED_NOT;
}

struct expander *expander_new(enum compression compression, const char *name) {
  struct expander *expander = mem_alloc(1, sizeof *expander);
  expander->compression = compression;
  expander->name = name;
  bool is_good = compression == COMPRESSED_GZIP ? inflateInit2(&expander->gzip, GZIP_WINDOW) == Z_OK
                                                : (expander->zstd = ZSTD_createDStream()) != NULL;
  if (is_good)
    return expander;
  mem_free(expander);
  return NULL;
}

void expander_free(struct expander *expander) {
  if (expander == NULL)
    return;
  if (expander->compression == COMPRESSED_GZIP)
    inflateEnd(&expander->gzip);
  ZSTD_freeDStream(expander->zstd);
  mem_free(expander);
}

static const char *compression_name(const struct expander *expander) {
  return expander->compression == COMPRESSED_GZIP ? "gzip" : "zstd";
}

static enum status fail_damaged(const struct expander *expander, struct text *message) {
  text_format(message, "%s: cannot be expanded; it is a damaged %s file: fetch it again",
              expander->name, compression_name(expander));
  return STATUS_DATA;
}

static void pass(struct slice *packed, size_t count) {
  packed->start += count;
  packed->length -= count;
}

/* Behind a member: another one, or nothing but the zeros that tapes are filled up with. */
static enum status begin_member(struct expander *expander, struct slice *packed,
                                struct text *message) {
  while (packed->length != 0 && *packed->start == 0)
    pass(packed, 1);
  if (packed->length == 0)
    return STATUS_OK;
  if (*packed->start != 0x1f) {
    text_format(message,
                "%s: bytes that are no gzip stand behind the compressed ones; compress all of the "
                "file, or none",
                expander->name);
    return STATUS_DATA;
  }
  inflateReset(&expander->gzip);
  expander->within = true;
  return STATUS_OK;
}

static enum status inflate_some(struct expander *expander, struct slice *packed, char *bytes,
                                size_t most, size_t *got, struct text *message) {
  z_stream *gzip = &expander->gzip;
  size_t given = packed->length < INT32_MAX ? packed->length : INT32_MAX;
  gzip->next_in = (Bytef *)packed->start;
  gzip->avail_in = (uInt)given;
  gzip->next_out = (Bytef *)bytes;
  gzip->avail_out = (uInt)most;
  int result = inflate(gzip, Z_NO_FLUSH);
  pass(packed, given - gzip->avail_in);
  *got = most - gzip->avail_out;
  if (result == Z_STREAM_END)
    expander->within = false;
  else if (result != Z_OK && result != Z_BUF_ERROR)
    return fail_damaged(expander, message);
  return STATUS_OK;
}

/* What the length says is known from the frame itself. */
static void pass_length(struct expander *expander, struct slice *packed) {
  size_t due =
      expander->compression == COMPRESSED_ZSTD_FRAMES ? LENGTH_BYTES - expander->passed : 0;
  size_t count = packed->length < due ? packed->length : due;
  pass(packed, count);
  expander->passed += count;
  expander->within = count == due;
}

static enum status unzstd_some(struct expander *expander, struct slice *packed, char *bytes,
                               size_t most, size_t *got, struct text *message) {
  ZSTD_inBuffer in = {packed->start, packed->length, 0};
  ZSTD_outBuffer out = {bytes, most, 0};
  size_t left = ZSTD_decompressStream(expander->zstd, &out, &in);
  pass(packed, in.pos);
  *got = out.pos;
  if (ZSTD_isError(left))
    return fail_damaged(expander, message);
  if (left == 0) {
    expander->within = false;
    expander->passed = 0;
  }
  return STATUS_OK;
}

enum status expander_take(struct expander *expander, struct slice *packed, char *bytes, size_t most,
                          size_t *got, struct text *message) {
  bool is_gzip = expander->compression == COMPRESSED_GZIP;
  *got = 0;
  if (!expander->within && packed->length == 0)
    return STATUS_OK;
  if (!expander->within && is_gzip)
    return begin_member(expander, packed, message);
  if (!expander->within) {
    pass_length(expander, packed);
    return STATUS_OK;
  }
  return is_gzip ? inflate_some(expander, packed, bytes, most, got, message)
                 : unzstd_some(expander, packed, bytes, most, got, message);
}

enum status expander_end(const struct expander *expander, struct text *message) {
  if (!expander->within && expander->passed == 0)
    return STATUS_OK;
  text_format(message, "%s: is a truncated %s file; fetch it again", expander->name,
              compression_name(expander));
  return STATUS_DATA;
}
