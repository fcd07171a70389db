/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What lang/name_index.c and lang/name_walk.c share while an index is made: declarations by their
 * names, and the variables that are visible.
 */
#ifndef LANG_NAME_SCOPE_H
#define LANG_NAME_SCOPE_H

#include "lang/name_index.h"

struct name_walk {
  struct name_index *index;
  const struct ast *ast;
  VECTOR(struct name_entry *) sorted;      /* declarations by their texts, then in order */
  VECTOR(const struct name_entry *) scope; /* visible variables, innermost last */
  const struct name_entry *here;           /* the role whose states need no node, or NULL */
  bool acting;                             /* in an action */
  bool initial;                            /* in the initial value of a state */
  unsigned abbreviations;                  /* that a role is being looked for in */
};

struct name_entry *name_declare(struct name_walk *walk, enum name_kind kind,
                                const struct name *name, const struct declaration *declaration);
void name_use_add(struct name_walk *walk, struct source_span span, const struct name_entry *entry);

/* Those that `kinds` (a mask of 1 << name_kind) has, of this owner where the kind has one. */
const struct name_entry *name_find(const struct name_walk *walk, unsigned kinds,
                                   const struct name_entry *owner, const char *text);

/* What may stand anywhere: parameters, types and values, roles, components, messages,
 * abbreviations. */
enum {
  NAMES_GLOBAL = 1u << NAME_PARAM | 1u << NAME_CONSTANT | 1u << NAME_ENUM | 1u << NAME_VALUE |
                 1u << NAME_ROLE | 1u << NAME_COMPONENT | 1u << NAME_REPEATED | 1u << NAME_SLOT |
                 1u << NAME_TIMEOUT | 1u << NAME_DELAY | 1u << NAME_QUEUEING | 1u << NAME_MESSAGE |
                 1u << NAME_ABBREVIATION
};

/* The uses in everything but what declares names. */
void name_walk_uses(struct name_walk *walk);

#endif
