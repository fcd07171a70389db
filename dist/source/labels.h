/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Label sets of metrics as text, a="x",b="y": by name, the values escaped as Prometheus writes them
 * (\\, \" and \n), so that equal sets are equal texts. And the choice of some of them:
 *
 *   rpc_seconds{method="Put",code!="500"}    of this metric the sets that match
 *   rpc_seconds{method=~"Put|Get",i!~"1."}   by POSIX extended regular expressions that match all
 *                                            of the value, as in Prometheus
 *   {method="Put"}                           of the only metric there is
 *   rpc_seconds{}                            all of them
 *
 * A label that a set does not have is "". An expression that POSIX reads otherwise than Prometheus
 * (\\d, (?i), x+?) is no selection. A selection and a list own their texts.
 */
#ifndef DIST_SOURCE_LABELS_H
#define DIST_SOURCE_LABELS_H

#include <regex.h>
#include <stdbool.h>

#include "base/slice.h"
#include "base/text.h"
#include "base/vector.h"

typedef VECTOR(char *) label_list;

/* Adds a label; the value as it is, or as Prometheus wrote it. */
void labels_add(label_list *list, struct slice name, struct slice value);
void labels_add_escaped(label_list *list, struct slice name, struct slice escaped);

/* Appends a="x", behind a comma unless the text is empty. What no name of a label may hold (all but
 * letters, digits, _ and dots) becomes _. */
void labels_append(struct text *set, struct slice name, struct slice value);

/* The set as text, owned by the caller; the list is empty afterwards. */
char *labels_take(label_list *list);
void labels_clear(label_list *list);

struct label_match {
  char *name, *value; /* the value escaped */
  bool not, regular;
  regex_t expression; /* of a regular one, for values that are not escaped */
};

struct label_choice {
  char *metric; /* without _bucket; NULL: the only one */
  VECTOR(struct label_match) matches;
};

/* The escaped value of a label of a set, "" without. */
struct slice labels_value(const char *labels, const char *name);

/* False, and nothing to clear, for a text that is no selection. */
bool selection_parse(struct label_choice *selection, const char *text);
void selection_clear(struct label_choice *selection);

bool selection_takes(const struct label_choice *selection, const char *labels);

/* The name without `suffix`, which it has to have. */
bool metric_ends_in(struct slice name, const char *suffix, struct slice *base);

#endif
