/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Types of terms in a checked protocol, and places in its source (lang/model.h).
 */
#ifndef LANG_TYPE_H
#define LANG_TYPE_H

#include <stddef.h>
#include <stdint.h>

/* Half-open range of byte offsets in the source; both 0 for what has no place of its own. */
struct source_span {
  uint32_t start, end;
};

enum type_kind {
  TYPE_ERROR, /* of a term already reported; agrees with every type. Not in a checked model. */
  TYPE_BOOL,
  TYPE_INT,
  TYPE_TIME,
  TYPE_ENUM, /* enumeration */
  TYPE_NODE, /* role */
  TYPE_SET,  /* of nodes of role */
  TYPE_MAP,  /* from nodes of role to *element, a BOOL, INT, ENUM or NODE */
};

struct role;
struct enumeration;

struct type {
  enum type_kind kind;
  const struct role *role;
  const struct enumeration *enumeration;
  const struct type *element;
};

struct enumeration {
  const char *name;
  struct source_span span;
  size_t id, count;
  const char **values; /* value k is represented by the integer k */
};

#endif
