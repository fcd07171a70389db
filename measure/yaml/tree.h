/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * YAML files whose keys are chosen by who writes them, as a tree with the place of each value.
 * Files of a fixed shape are read by measure/yaml/load.h.
 *
 * All scalars are text, as written; what they mean is the owner's to say. A key is a scalar and
 * stands once in its mapping; aliases, tags and a second document are refused.
 */
#ifndef MEASURE_YAML_TREE_H
#define MEASURE_YAML_TREE_H

#include <stdbool.h>
#include <stddef.h>

enum tree_kind { TREE_TEXT, TREE_LIST, TREE_MAPPING };

struct tree_node {
  enum tree_kind kind;
  unsigned line, column; /* from 1 */
  char *key;             /* in a mapping; otherwise NULL */
  unsigned key_line, key_column;
  char *text; /* TREE_TEXT: without NULs in it; "" for an empty value */
  size_t count;
  struct tree_node **items; /* of a list or mapping, as they stand in the file */
};

/* The tree, owned (tree_free), whose root is a mapping; or NULL with one line in `message`: place
 * ("line 3: "), what is wrong, remedy. */
struct tree_node *tree_parse(const char *bytes, size_t length, char *message, size_t size);
void tree_free(struct tree_node *node); /* NULL is accepted */

/* The value of a key, or NULL. */
const struct tree_node *tree_find(const struct tree_node *mapping, const char *key);

/* "line 3: " and the rest into `message`, with unprintable bytes as '?'; always false. */
__attribute__((format(printf, 4, 5))) bool tree_complain(char *message, size_t size,
                                                         const struct tree_node *at,
                                                         const char *format, ...);

#endif
