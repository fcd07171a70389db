/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A JSON document (RFC 8259) as a list of its values in the order they stand in, each a stretch of
 * the file: numbers keep all their decimals, so that they can be rounded outward, and a message can
 * say where something is. Strings and keys are as written, escapes included. Bytes are the caller's
 * and live as long as the values.
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/slice.h"
#include "base/vector.h"

enum json_kind { JSON_OBJECT, JSON_LIST, JSON_STRING, JSON_NUMBER, JSON_WORD };

struct json_value {
  enum json_kind kind;
  struct slice key;  /* within an object; else start NULL */
  struct slice text; /* of an object or a list its opening bracket only */
  size_t next;       /* the index behind this value and all that is in it */
};

struct json {
  VECTOR(struct json_value) values; /* the first is the document */
};

/* What is wrong with a document, and where. */
struct json_fault {
  struct slice found; /* length 0: only a place */
  char reason[160];   /* with something found, a clause that follows it: "where a colon ..." */
};

/* Parses all of bytes .. end; False with the fault, json is then empty. Use
 * json_clear. */
bool json_parse(struct json *json, const char *bytes, const char *end, struct json_fault *fault);
void json_clear(struct json *json);

#define JSON_NONE ((size_t)-1)

/* The value under a key of an object; JSON_NONE without the key, or when `object` is none
 * (JSON_NONE included). *twice, unless NULL, says whether the key stands there a second time. */
size_t json_find(const struct json *json, size_t object, const char *key, bool *twice);

/* Walks the members of an object or a list: json_first, then json_next until JSON_NONE. */
size_t json_first(const struct json *json, size_t parent);
size_t json_next(const struct json *json, size_t parent, size_t child);

/* A string of a document without its escapes, as UTF-8; owned by the caller. What is no character
 * (half a surrogate pair, a zero) becomes U+FFFD. */
char *json_text(struct slice string);

#endif
