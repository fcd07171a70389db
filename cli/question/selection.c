/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/selection.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/moment.h"
#include "base/text.h"
#include "trace/span/fold_names.h"
#include "trace/evaluate/change.h"
#include "trace/tail/requests.h"

enum { ROOTS_NAMED = 3 };

bool selection_is_given(const struct request_selection *selection) {
  return selection->root != NULL || selection->where.count != 0 || selection->from != NULL ||
         selection->to != NULL || selection->status != SELECTION_ANY;
}

static enum status read_moment(int64_t *ns, const char *option, const char *text,
                               const struct asker *asker) {
  if (text == NULL || moment_read(ns, text))
    return STATUS_OK;
  return asker_fail(asker, STATUS_USAGE,
                    "--%s %s: give a moment such as 2026-01-31T12:00:00Z or 1700000000", option,
                    text);
}

bool selection_is_of_roots(const struct request_selection *selection) {
  return selection->where.count == 0 && selection->from == NULL && selection->to == NULL &&
         selection->status == SELECTION_ANY && !selection->fold_names;
}

enum status selector_read(struct selector *selector, const struct request_selection *selection,
                          const struct asker *asker) {
  *selector = (struct selector){selection, INT64_MIN, INT64_MAX};
  enum status status = read_moment(&selector->from, "from", selection->from, asker);
  if (status == STATUS_OK)
    status = read_moment(&selector->to, "to", selection->to, asker);
  if (status == STATUS_OK && selector->from >= selector->to)
    status = asker_fail(asker, STATUS_USAGE, "--from %s is not before --to %s", selection->from,
                        selection->to);
  return status;
}

bool selector_takes(const struct selector *selector, const struct span_store *store,
                    size_t request) {
  const struct request_selection *wanted = selector->selection;
  uint32_t root = store->requests.data[request].first;
  bool failed = store->status.data[root] == SPAN_ERROR;
  if (wanted->status != SELECTION_ANY && failed != (wanted->status == SELECTION_ERROR))
    return false;
  if (store->start.data[root] < selector->from || store->start.data[root] >= selector->to)
    return false;
  if (wanted->root != NULL &&
      !change_means(wanted->root, names_text(&store->names, store->service.data[root]),
                    names_text(&store->names, store->operation.data[root])))
    return false;
  for (size_t i = 0; i < wanted->where.count; i++)
    if (!tail_request_has(store, (uint32_t)request, wanted->where.data[i].name,
                          wanted->where.data[i].value))
      return false;
  return true;
}

/* As on the command line. */
static void put_wanted(struct text *text, const struct request_selection *wanted) {
  if (wanted->root != NULL)
    text_format(text, " --root '%s'", wanted->root);
  for (size_t i = 0; i < wanted->where.count; i++)
    text_format(text, " --where '%s=%s'", wanted->where.data[i].name, wanted->where.data[i].value);
  if (wanted->from != NULL)
    text_format(text, " --from %s", wanted->from);
  if (wanted->to != NULL)
    text_format(text, " --to %s", wanted->to);
  if (wanted->status != SELECTION_ANY)
    text_format(text, " --status %s", wanted->status == SELECTION_ERROR ? "error" : "ok");
}

enum status selection_note(const struct request_selection *selection, size_t taken, size_t all,
                           struct ledger *ledger, const struct asker *asker) {
  enum status status = STATUS_OK;
  struct text wanted;
  text_init(&wanted);
  put_wanted(&wanted, selection);
  if (taken == 0)
    status = asker_fail(asker, STATUS_DATA, "none of the %zu requests is as was asked for:%s", all,
                        text_get(&wanted));
  else
    ledger_note(ledger, LEDGER_DATA, "asked about %zu of the %zu requests that were read:%s", taken,
                all, text_get(&wanted));
  text_clear(&wanted);
  return status;
}

/* --- roots ------------------------------------------------------------------------------------ */

struct root {
  uint32_t service, operation;
  size_t requests;
};

typedef VECTOR(struct root) roots;

static int by_name(const void *a, const void *b) {
  const struct root *x = a, *y = b;
  if (x->service != y->service)
    return x->service < y->service ? -1 : 1;
  return (x->operation > y->operation) - (x->operation < y->operation);
}

static int by_requests(const void *a, const void *b) {
  const struct root *x = a, *y = b;
  if (x->requests != y->requests)
    return x->requests < y->requests ? 1 : -1;
  return by_name(a, b);
}

/* Each once, the most frequent first. */
static void find_roots(roots *found, const struct span_store *store) {
  for (size_t i = 0; i < store->requests.count; i++) {
    uint32_t row = store->requests.data[i].first;
    vector_push(found, (struct root){store->service.data[row], store->operation.data[row], 1});
  }
  if (found->count == 0)
    return;
  qsort(found->data, found->count, sizeof *found->data, by_name);
  size_t kept = 0;
  for (size_t i = 1; i < found->count; i++) {
    if (by_name(&found->data[kept], &found->data[i]) == 0)
      found->data[kept].requests++;
    else
      found->data[++kept] = found->data[i];
  }
  found->count = kept + 1;
  qsort(found->data, found->count, sizeof *found->data, by_requests);
}

static void put_roots(struct text *text, const roots *found, const struct span_store *store) {
  for (size_t i = 0; i < found->count && i < ROOTS_NAMED; i++)
    text_format(text, "%s%s/%s %zu", i == 0 ? "" : ", ",
                names_text(&store->names, found->data[i].service),
                names_text(&store->names, found->data[i].operation), found->data[i].requests);
  if (found->count > ROOTS_NAMED)
    text_format(text, " and %zu more", found->count - ROOTS_NAMED);
}

void selection_note_roots(const struct span_store *store, struct ledger *ledger) {
  roots found = {0};
  find_roots(&found, store);
  if (found.count > 1) {
    struct text names;
    text_init(&names);
    put_roots(&names, &found, store);
    ledger_note(ledger, LEDGER_DATA,
                "requests of %zu different roots are taken together (%s); --root NAME asks about "
                "one of them",
                found.count, text_get(&names));
    text_clear(&names);
  }
  vector_clear(&found);
}

/* --- all of it -------------------------------------------------------------------------------- */

static enum status fail_root(const struct span_store *store, const char *root,
                             const struct asker *asker) {
  roots found = {0};
  struct text names;
  text_init(&names);
  find_roots(&found, store);
  put_roots(&names, &found, store);
  enum status status =
      asker_fail(asker, STATUS_USAGE, "--root %s: the root of no request is called so; there %s %s",
                 root, found.count == 1 ? "is" : "are", text_get(&names));
  text_clear(&names);
  vector_clear(&found);
  return status;
}

void selection_fold_names(struct span_store *store, bool fold, struct ledger *ledger) {
  enum { MANY = 10 };
  struct folded_names folded = span_fold_names(store, fold ? FOLD_NAMES : FOLD_NAMES_TELL);
  if (fold && folded.names > 0)
    ledger_note(ledger, LEDGER_DATA,
                "%" PRIu64
                " names of calls, such as \"%s\", differ in numbers or ids alone, and are "
                "taken for %" PRIu64 " (--fold-names)",
                folded.names, names_text(&store->names, folded.one), folded.folded);
  else if (fold)
    ledger_note(
        ledger, LEDGER_DATA,
        "no three names of calls differ in numbers or ids alone: --fold-names changes nothing");
  else if (folded.names >= MANY)
    ledger_note(ledger, LEDGER_DATA,
                "%" PRIu64 " names of calls differ in numbers or ids alone, such as \"%s\" and "
                "\"%s\"; each is a call of its own, and --fold-names takes them for %" PRIu64,
                folded.names, names_text(&store->names, folded.one),
                names_text(&store->names, folded.other), folded.folded);
}

enum status selection_keep(struct span_store *store, const struct request_selection *selection,
                           struct ledger *ledger, const struct asker *asker) {
  if (selection->fold_names && store->census != NULL)
    return asker_fail(asker, STATUS_USAGE,
                      "a summary has counted calls by their names, so that --fold-names comes too "
                      "late: name the traces");
  selection_fold_names(store, selection->fold_names, ledger);
  return selection_keep_from(store, 0, selection, ledger, asker);
}

enum status selection_keep_from(struct span_store *store, size_t first,
                                const struct request_selection *selection, struct ledger *ledger,
                                const struct asker *asker) {
  struct selector selector;
  size_t kept = first, all = store->requests.count, of_root = 0;
  if (!selection_is_given(selection))
    return STATUS_OK;
  if (store->census != NULL && !selection_is_of_roots(selection))
    return asker_fail(asker, STATUS_USAGE,
                      "a summary keeps no tags and no times of day, so that only --root can choose "
                      "of it; choose when you fold: tailproof trace fold TRACES --where TAG=VALUE");
  enum status status = selector_read(&selector, selection, asker);
  if (status != STATUS_OK)
    return status;
  const struct request_selection named = {.root = selection->root};
  const struct selector by_root = {&named, INT64_MIN, INT64_MAX};
  for (size_t i = first; i < all; i++)
    of_root += selector_takes(&by_root, store, i);
  if (of_root == 0 && selection->root != NULL)
    return fail_root(store, selection->root, asker);
  for (size_t i = first; i < all; i++)
    if (selector_takes(&selector, store, i)) {
      store->requests.data[kept] = store->requests.data[i];
      kept++;
    }
  store->requests.count = kept;
  return selection_note(selection, kept - first, all - first, ledger, asker);
}
