/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One evaluation, inside: what the files that turn forms into laws share (evaluate.h).
 */
#ifndef DIST_EVALUATE_EVALUATION_H
#define DIST_EVALUATE_EVALUATION_H

#include "base/index.h"
#include "dist/evaluate/evaluate.h"
#include "dist/evaluate/form.h"
#include "dist/evaluate/law.h"

/* The rules that are not exact, or not obviously so; each gets a line of the ledger. */
enum rule { RULE_ASSOCIATION, RULE_APART, RULE_JOINT, RULE_COUNTED, RULE_CONDITION, RULES };

struct note {
  size_t places;                            /* where it was used, of which ... */
  VECTOR(char *) shown;                     /* ... some are printed */
  const struct form *last;                  /* the last of them */
  VECTOR(const struct occurrence *) shared; /* what the parts share, some of it */
  bool is_group;                            /* or that they are in one group */
};

/* When an occurrence or a group was last seen, and where. */
struct seen {
  size_t stamp, item, last_item; /* the first item with it, and the last */
  size_t item_count;
  const struct occurrence *occurrence;             /* of a group: the last of it ... */
  bool has_several_items, has_several_occurrences; /* ... and whether it was the only one */
};

struct evaluation {
  struct form_table forms;
  struct law_table laws;
  const struct evaluate_laws *source;
  bool fresh;
  enum status status;
  struct text *message;
  VECTOR(size_t) groups; /* by occurrence id: 0 not asked yet, 1 alone, else group + 2 */
  VECTOR(size_t) group_names;
  struct index group_index;                    /* of group_names */
  VECTOR(struct seen) by_occurrence, by_group; /* scratch of depend.c; group 0 is the bare names' */
  size_t stamp;
  const struct form *conditioned; /* what is evaluated value by value just now */
  size_t conditions;              /* how often that was done */
  size_t nested_joints;           /* any joint law, again for each value */
  size_t aparts;                  /* how often own and shared addends were taken apart */
  struct note notes[RULES];
};

/* A term of a sum, or a part of a maximum, minimum or order statistic. */
struct item {
  const struct form *form;
  struct law_copies copies;
  size_t set; /* index of the first item of its set */
};

/* Of items that depend on each other through chains of shared occurrences and groups. */
struct set {
  size_t size;
  bool is_associated; /* non-decreasing functions of independent ones */
  bool is_group;      /* some share a group */
  const struct occurrence *shared;
};

/* Divides the items into sets that are independent of each other: sets `set` of each item, and
 * sets[first item]. */
void depend_split(struct evaluation *e, struct item *items, struct set *sets, size_t count);

/* Divides the items into at most `limit` classes within which all are independent, the last of
 * which may be a dependent rest; sets `set` to the class. Returns how many. */
size_t depend_classes(struct evaluation *e, struct item *items, size_t count, size_t limit);

/* The occurrence that most items share, at least two, of those that are independent of all others
 * in the items; or NULL. */
const struct occurrence *depend_most_shared(struct evaluation *e, const struct item *items,
                                            size_t count);

/* An occurrence that is independent of all others in the items, in a part of an extreme or order
 * statistic whose other parts are not: the B of max(A, B) + C where A and C are in one group. The
 * one with the widest law; NULL when it makes up less than half of all that are free like that, so
 * that knowing it would not do much. */
const struct occurrence *depend_free_part(struct evaluation *e, const struct item *items,
                                          size_t count);

/* Each item's form is own[i] + shared[i]: what no other item has an occurrence of, and the rest. */
void depend_apart(struct evaluation *e, const struct item *items, size_t count,
                  const struct form **own, const struct form **shared);

/* The group of an occurrence, from 1 on; 0 when it is alone. */
size_t depend_group(struct evaluation *e, const struct occurrence *occurrence);

/* NULL, with e->status set, when a law is missing. */
const struct law *evaluate_form(struct evaluation *e, const struct form *form);

/* What is made of items. */
enum operation { OPERATION_SUM, OPERATION_MAX, OPERATION_MIN, OPERATION_KTH };

/* The law of the operation on the items, whose laws are known. */
const struct law *rules_apply(struct evaluation *e, enum operation operation, struct item *items,
                              size_t count, uint64_t rank);

/* The form of the operation on the items. */
const struct form *rules_form(struct evaluation *e, enum operation operation,
                              const struct item *items, size_t count, uint64_t rank);

/* The law of a form whose items depend on each other, value by value of one occurrence that they
 * share, or that is a free part of one of them; NULL when that cannot be done or takes too long. */
const struct law *condition_apply(struct evaluation *e, const struct form *form,
                                  const struct item *items, size_t count);

/* Remembers that the rule was used on the form, for the ledger. */
void notes_use(struct evaluation *e, enum rule rule, const struct form *form,
               const struct set *set);
void notes_add(const struct evaluation *e, const struct form *form, const struct law *law,
               struct ledger *ledger);
void notes_clear(struct evaluation *e);

#endif
