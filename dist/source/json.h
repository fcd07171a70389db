/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A JSON document (RFC 8259) as a list of its values in the order they stand in, each a stretch of
 * the file: numbers keep all their decimals, so that they can be rounded outward, and a message can
 * say where something is. Strings and keys are as written, escapes included. Private to the readers
 * of dist/source.
 */
#ifndef DIST_SOURCE_JSON_H
#define DIST_SOURCE_JSON_H

#include "base/vector.h"
#include "dist/source/reader.h"

enum json_kind { JSON_OBJECT, JSON_LIST, JSON_STRING, JSON_NUMBER, JSON_WORD };

struct json_value {
  enum json_kind kind;
  struct span key;  /* within an object; else start NULL */
  struct span text; /* of an object or a list its opening bracket only */
  size_t next;      /* the index behind this value and all that is in it */
};

struct json {
  VECTOR(struct json_value) values; /* the first is the document */
};

/* Parses the whole file. On failure json is empty and there is one message. Use json_clear. */
enum status json_parse(struct json *json, const struct reader *reader);
void json_clear(struct json *json);

#define JSON_NONE ((size_t)-1)

/* The value under a key of an object; JSON_NONE without the key, or when `object` is none
 * (JSON_NONE included). *twice, unless NULL, says whether the key stands there a second time. */
size_t json_find(const struct json *json, size_t object, const char *key, bool *twice);

/* Walks the members of an object or a list: json_first, then json_next until JSON_NONE. */
size_t json_first(const struct json *json, size_t parent);
size_t json_next(const struct json *json, size_t parent, size_t child);

/* Reads a report of fortio, an object with "DurationHistogram". */
enum status fortio_read(struct sample *out, const struct reader *reader, const struct json *json);

#endif
