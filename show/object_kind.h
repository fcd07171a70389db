/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the objects of an answer are: each kind with its keys, their types and what they mean. All
 * formats, the JSON schema and the manual's table of keys are made of these rows.
 *
 *   static const struct object_key keys[] = {
 *       KEY("name", TEXT, .marks = MARK_NAMES),
 *       KEY("adds_ns", NS, .note = "the mean"),
 *       KEY("share.count", COUNT),  in JSON "share": {"count": ..}
 *       {0}};
 *   const struct object_kind cause_kind = {"cause", "of `tail`", keys};
 *
 * A key says its unit at its end (`_ns`), unless it is a count or a share of 1.
 */
#ifndef SHOW_OBJECT_KIND_H
#define SHOW_OBJECT_KIND_H

#include <stddef.h>

#include "base/text.h"

struct jsonl;

enum key_type {
  KEY_TEXT,
  KEY_FLAG,
  KEY_COUNT,   /* a whole number */
  KEY_NUMBER,  /* a number, of which nine digits are printed */
  KEY_SHARE,   /* the same, a share of 1; people read per cent */
  KEY_NS,      /* whole nanoseconds; people read the largest unit that fits */
  KEY_SECONDS, /* seconds, printed to the microsecond */
  KEY_DECIMAL, /* a number given as its digits, rounded to its side; in JSON a string */
  KEY_TEXTS,   /* a list of texts */
  KEY_MAP, /* an object whose keys are names that others chose: whole numbers or digits by name */
  KEY_OBJECTS, /* a list of objects of the kind `objects` */
};

enum key_mark {
  MARK_NAMES = 1,  /* tells this object from others of its kind, or what its numbers are worth: a
                    * number never goes without it (labels of Prometheus) */
  MARK_DIGITS = 2, /* may exceed 2^53, or be infinite: in JSON a string of digits or "infinite" */
  MARK_MAYBE = 4,  /* may be left out */
  MARK_NULL = 8,   /* may be null */
  MARK_UPPER = 16, /* an upper end of something: never shown smaller than it is */
  MARK_LOWER = 32, /* a lower end: never shown larger */
  MARK_OUTER_NULL = 64, /* the first inside of an object that is null where there is none */
  MARK_LINES = 256,     /* a text of several lines */
  MARK_INLINE = 128,    /* of a map: its names are keys of the object itself */
};

struct object_key {
  const char *key; /* a point in it: an object inside; keys of one inside stand together */
  enum key_type type;
  unsigned marks;
  const char *note;  /* for the manual: what is not said by the key; or NULL */
  const char *words; /* all texts that it may be, "found|too few"; or NULL: any */
  const struct object_kind *objects;
};

#define KEY(key_, type_, ...)                                                                      \
  { .key = key_, .type = KEY_##type_, __VA_ARGS__ }

struct object_kind {
  const char *name, *note;       /* note: which command prints it, and what of; or NULL */
  const struct object_key *keys; /* a key NULL behind the last */
};

size_t object_kind_count(const struct object_kind *kind);
/* The number of the key; a bug where the kind has none. */
size_t object_kind_find(const struct object_kind *kind, const char *key);

/* The row of the manual's table: "| `cause` | of `tail`: `name of` (`work`, `network`) ... |". */
void object_kind_row(struct text *out, const struct object_kind *kind);

/* A JSON schema (draft 2020-12) of one line of output, of any of the kinds, NULL behind the last;
 * lines of other kinds pass. Owned by the caller. */
struct jsonl *object_kinds_schema(const struct object_kind *const *kinds);

#endif
