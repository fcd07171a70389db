/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What each name of a protocol file means: everything that the file declares, and every place that
 * names it, for editors. The syntax tree is enough, so a file with mistakes of meaning has an index
 * too; one with syntax errors has none. Where a name could mean several things it means what the
 * checker takes it for: a variable, a state of the acting node, a declaration, a state of a single
 * node, in this order.
 *
 * The index lives in its arena until name_index_free and points into the tree it was made of.
 * Spans are byte offsets in the source.
 */
#ifndef LANG_NAME_INDEX_H
#define LANG_NAME_INDEX_H

#include "lang/ast.h"

enum name_kind {
  NAME_PROTOCOL,
  NAME_PARAM,
  NAME_CONSTANT, /* a parameter that is a time */
  NAME_ENUM,
  NAME_VALUE, /* owner: the enumeration */
  NAME_ROLE,
  NAME_COMPONENT,
  NAME_REPEATED,
  NAME_SLOT, /* owner: the role of the schedule, or NULL */
  NAME_TIMEOUT,
  NAME_DELAY,
  NAME_QUEUEING,
  NAME_MESSAGE,
  NAME_FIELD, /* owner: the message */
  NAME_STATE, /* owner: the role, or NULL */
  NAME_ACTION,
  NAME_INVARIANT, /* owner: the phase, or NULL */
  NAME_BOUND,
  NAME_PHASE,
  NAME_ABBREVIATION,
  NAME_VARIABLE,
  NAME_KIND_COUNT
};

struct name_entry {
  enum name_kind kind;
  const char *text;
  struct source_span span;               /* of the name where it is declared */
  const struct declaration *declaration; /* the whole; NULL: of the protocol */
  const struct item_syntax *item;        /* of a component, a field, a state; or NULL */
  const struct binder *binder;           /* of a variable that has a domain; or NULL */
  const struct name_entry *owner;
  const struct name_entry *role; /* of a variable, field or state: of the nodes that it is, or has
                                  * in it; or NULL */
};

struct name_use {
  struct source_span span;
  struct source_span whole; /* with what belongs to it: "C[i]", "d(M(i))", "M(i)"; or `span` */
  const struct name_entry *entry;
};

struct name_index {
  VECTOR(struct name_entry *) entries; /* in the order of the file, variables behind the others */
  VECTOR(struct name_use) uses;        /* by their places, declarations among them */
  struct arena arena;
};

/* `ast` is a tree without syntax errors and outlives the index. */
struct name_index *name_index_new(const struct ast *ast);
void name_index_free(struct name_index *index);

/* The use that `offset` is in or just behind; NULL: there is none. */
const struct name_use *name_index_at(const struct name_index *index, size_t offset);

/* "message", "step", "variable". */
const char *name_kind_text(enum name_kind kind);

#endif
