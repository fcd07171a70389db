/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A JSON value of moderate size as a tree, and the paths by which people name what is in it;
 * private to trace/span. Texts are as written (trace/span/value.h) and live as long as the scan's unit.
 *
 * A path is keys with points between them. What has points itself is found, too: `trace.id` is
 * {"trace": {"id": ..}} or {"trace.id": ..}. A list of {"key": K, "value": V} is taken for an
 * object; of any other the first item that has what is asked for. `a[b=c].d` is the d of an a whose
 * b is c.
 */
#ifndef TRACE_SPAN_JSON_TREE_H
#define TRACE_SPAN_JSON_TREE_H

#include "trace/span/scan.h"

#define TREE_NONE UINT32_MAX

enum json_tree_kind { TREE_SCALAR, TREE_OBJECT, TREE_LIST };

struct json_node {
  struct slice key, text; /* of a member; of a scalar, empty for null */
  uint32_t first, next;   /* the first within it, the next beside it; TREE_NONE */
  uint32_t around;        /* what it is in; TREE_NONE: nothing */
  uint8_t kind;
};

struct json_tree {
  VECTOR(struct json_node) nodes;
  VECTOR(uint32_t) open; /* while it is read: what is entered, and the last within each */
};

void json_tree_clear(struct json_tree *tree);

/* Takes a value, within a unit of the scan; its node is *root. Adds to the tree what is new, below
 * `around`. False when the scan is not good. */
bool json_tree_take(struct json_tree *tree, struct json_scan *scan, uint32_t around,
                    uint32_t *root);

/* What a path names below a node; TREE_NONE: there is nothing. An empty path names the node. */
uint32_t json_tree_find(const struct json_tree *tree, uint32_t node, struct slice path);

/* What a node says in one word: of {"stringValue": "x"} and its like x, of a list its first item.
 * Empty: nothing. */
struct slice json_tree_text(const struct json_tree *tree, uint32_t node);

/* Of an item of a list of {"key": K, "value": V} or [K, V]: its key and value. False: it is no such item. */
bool json_tree_pair(const struct json_tree *tree, uint32_t node, struct slice *key,
                    uint32_t *value);

#endif
