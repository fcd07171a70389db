/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Objects of one kind, in order, with typed values by key.
 *
 *   objects_add(causes);
 *   object_text(causes, "name", "pay/charge");
 *   object_ns(causes, "adds_ns", 29756000);
 *
 * A function object_... sets a value of the object that was added last; a key that the kind does
 * not have, or has with another type, is a bug. Owns copies of all texts. Foreign texts are kept as
 * they are: each writer escapes them.
 */
#ifndef SHOW_OBJECTS_H
#define SHOW_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vector.h"
#include "show/object_kind.h"

enum value_state { VALUE_ABSENT, VALUE_NULL, VALUE_GIVEN, VALUE_INFINITE };

struct object_pair {
  char *name;
  bool is_number; /* the digits are those of a whole number that fits 2^53 */
  char *digits;
};

struct object_value {
  enum value_state state;
  bool flag, negative;
  uint64_t magnitude; /* of KEY_COUNT and KEY_NS */
  double number;
  char *text;
  VECTOR(char *) texts;
  VECTOR(struct object_pair) pairs;
  struct objects *objects;
  char *words; /* what people read instead; or NULL */
};

/* Who is shown an object. */
enum object_shown {
  SHOWN_ALWAYS,
  SHOWN_FULL,        /* to people when they ask for all (style.full), and to programs */
  SHOWN_PROGRAMS,    /* never to people */
  SHOWN_PEOPLE,      /* a line of a table that is no object of the answer, such as a sum */
  SHOWN_PEOPLE_FULL, /* likewise, when they ask for all */
  SHOWN_BRIEF,       /* likewise, when they do not */
  SHOWN_PAGES,       /* on pages, and nowhere else */
};

struct object {
  enum object_shown shown;
  struct object_value *values; /* by number of the key */
};

struct objects {
  const struct object_kind *kind;
  size_t keys;
  VECTOR(struct object) items;
};

struct objects *objects_new(const struct object_kind *kind);
void objects_free(struct objects *objects); /* also of NULL */

/* The next object, which is shown always and has no values yet. */
void objects_add(struct objects *objects);
void object_shown(struct objects *objects, enum object_shown shown);

void object_text(struct objects *objects, const char *key, const char *text); /* NULL: null */
/* Of KEY_DECIMAL its digits, or "infinite". */
void object_flag(struct objects *objects, const char *key, bool flag);
void object_count(struct objects *objects, const char *key, uint64_t count);
void object_integer(struct objects *objects, const char *key, int64_t integer);
/* KEY_NUMBER, KEY_SHARE and KEY_SECONDS. NaN is no number: then the key stays absent. */
void object_number(struct objects *objects, const char *key, double number);
void object_ns(struct objects *objects, const char *key, int64_t ns);
/* A time that is infinite unless `finite`. */
void object_time(struct objects *objects, const char *key, bool finite, uint64_t ns);
/* A mean, to the nearest ns; absent where it is not finite. */
void object_mean(struct objects *objects, const char *key, double ns);
void object_infinite(struct objects *objects, const char *key);
void object_null(struct objects *objects, const char *key);
/* Adds to a list of texts, which may be empty: object_texts gives the key such a one. */
void object_texts(struct objects *objects, const char *key);
void object_item(struct objects *objects, const char *key, const char *text);
/* An empty map; adds to a map. */
void object_map(struct objects *objects, const char *key);
void object_pair_integer(struct objects *objects, const char *key, const char *name,
                         int64_t integer);
void object_pair_digits(struct objects *objects, const char *key, const char *name,
                        const char *digits);
/* The list of objects under the key, to be filled. */
struct objects *object_list(struct objects *objects, const char *key);

/* What people read in place of the value, which may be absent. */
void object_words(struct objects *objects, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

const struct object_value *object_value(const struct objects *objects, size_t index,
                                        const char *key);

/* Whether it is an object of the answer. */
bool object_is_answer(const struct object *object);
bool object_is_for_people(const struct object *object, bool full);

/* A bug when an object of the answer lacks a key that is not MARK_MAYBE, or has null without
 * MARK_NULL, or a text that is none of the key's words. */
void objects_check(const struct objects *objects);

#endif
