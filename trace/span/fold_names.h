/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Names of calls with a number or an id in them, "GET /users/17" and "GET /users/18", as one name,
 * "GET /users/:id". OpenTelemetry wants names to be few; where they are not, each is a call of its
 * own, and requests that do the same make other calls.
 */
#ifndef TRACE_SPAN_FOLD_NAMES_H
#define TRACE_SPAN_FOLD_NAMES_H

#include "base/text.h"
#include "trace/span/store.h"

enum { FOLD_NAMES_LEAST = 3 }; /* names that differ in ids alone; fewer stay as they are */

/* What became one name, or would. */
struct folded_names {
  uint64_t names, folded; /* so many became so many; 0: none */
  uint32_t one, other;    /* two of them */
};

/* Appends the name with ":id" for each number, hexadecimal number of eight or more digits with a
 * decimal one among them, and word of sixteen or more letters and digits with both; a word is what
 * stands between other characters. An UUID is one. */
void fold_name(struct text *text, struct slice name);

enum fold_names {
  FOLD_NAMES_TELL,  /* nothing is changed */
  FOLD_NAMES,       /* operations get them */
  FOLD_NAMES_KNOWN, /* those get them whose folded name the store knows already, however few */
};

/* Which operations of the store have one name then. */
struct folded_names span_fold_names(struct span_store *store, enum fold_names how);

#endif
