/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The keys of a JSON document, of which the end may be missing, as paths: `data[].spans` is the key
 * "spans" of an object in a list that has the key "data"; `[].ph` of an object in a list. Of several
 * documents, one a line, the first eight. What stands deeper than eight keys is passed over.
 *
 * A condition is made of them: `a.b & c | d`, where `!a` says that there is none, `a=x` that its
 * first value is x, `a~x` that some value that is a text has x within.
 */
#ifndef FORMAT_PATHS_H
#define FORMAT_PATHS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "base/text.h"
#include "base/vector.h"

struct format_path {
  size_t start, length; /* in `texts` */
  uint64_t hash;
  struct slice value; /* the first, of a number, a word or a text; in the document */
};

struct format_paths {
  struct text texts;
  VECTOR(struct format_path) all;
  struct text long_values; /* later values of texts, each behind its path: "a.b\001x\002" */
  bool json;               /* what was read is JSON, as far as it goes */
  size_t documents;
};

void format_paths_read(struct format_paths *paths, struct slice bytes);
void format_paths_clear(struct format_paths *paths);

bool format_paths_meet(const struct format_paths *paths, const char *condition);

#endif
