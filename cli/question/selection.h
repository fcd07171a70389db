/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which recorded requests a question is asked about: by root, tag, time and status.
 */
#ifndef CLI_QUESTION_SELECTION_H
#define CLI_QUESTION_SELECTION_H

#include <stdbool.h>

#include "base/asker.h"
#include "base/ledger.h"
#include "cli/question/setting.h"
#include "trace/span/store.h"

enum selection_status { SELECTION_ANY, SELECTION_OK, SELECTION_ERROR };

/* As it was given; all zero: all requests. */
struct request_selection {
  const char *root; /* SERVICE or SERVICE/OPERATION, * for anything (change_means); NULL: any */
  settings where;   /* tags, each of which a span of the request has */
  const char *from, *to; /* the root starts from then on, and before (base/moment.h); NULL: any */
  const char *follow;    /* "messages": requests last until their messages are consumed; or NULL */
  bool fold_names; /* names of calls that differ in ids alone are one (trace/span/fold_names.h) */
  unsigned status; /* enum selection_status: the root's status is SPAN_ERROR, or is not */
};

/* The same, read. */
struct selector {
  const struct request_selection *selection;
  int64_t from, to; /* ns */
};

bool selection_is_given(const struct request_selection *selection);

/* Whether it asks for nothing but a root, which is all that a summary knows. */
bool selection_is_of_roots(const struct request_selection *selection);

/* STATUS_USAGE, after a message, where a moment is none. */
enum status selector_read(struct selector *selector, const struct request_selection *selection,
                          const struct asker *asker);

/* Of the store's request with that index. */
bool selector_takes(const struct selector *selector, const struct span_store *store,
                    size_t request);

/* Says in the ledger that so many of `all` requests are asked about; of none STATUS_DATA, after a
 * message. */
enum status selection_note(const struct request_selection *selection, size_t taken, size_t all,
                           struct ledger *ledger, const struct asker *asker);

/* Forgets all other requests of a store that was read in full. A store made of a summary knows only
 * roots: STATUS_USAGE where more is asked. */
enum status selection_keep(struct span_store *store, const struct request_selection *selection,
                           struct ledger *ledger, const struct asker *asker);

/* The same of the requests from `first` on; those before stay. */
enum status selection_keep_from(struct span_store *store, size_t first,
                                const struct request_selection *selection, struct ledger *ledger,
                                const struct asker *asker);

/* Folds the names of calls if that is wanted, and says so; or says that it may be, where very many
 * differ in ids alone. Before anything is selected. */
void selection_fold_names(struct span_store *store, bool fold, struct ledger *ledger);

/* Says in the ledger what the roots are called, where there are several. */
void selection_note_roots(const struct span_store *store, struct ledger *ledger);

#endif
