/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sorts the events of an instance by node and by what they are about (inside.h).
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "solver/conform/inside.h"

#include "base/duration.h"
#include "base/invariant.h"

static int compare(int64_t a, int64_t b) {
  return a < b ? -1 : a > b;
}

/* Of events of one node: as they happened. Of equal times the one recorded first. */
static int compare_moments(const struct conform_event *a, const struct conform_event *b) {
  int order = compare(a->start, b->start);
  if (order == 0)
    order = compare(a->end, b->end);
  if (order == 0)
    order = compare(a->source, b->source);
  return order != 0 ? order : (a->position < b->position ? -1 : a->position > b->position);
}

static int compare_steps(const void *x, const void *y) {
  const struct conform_event *a = *(const struct conform_event *const *)x;
  const struct conform_event *b = *(const struct conform_event *const *)y;
  int order = compare((int64_t)a->role->id, (int64_t)b->role->id);
  if (order == 0)
    order = compare(a->node, b->node);
  return order != 0 ? order : compare_moments(a, b);
}

/* What an event is about, and by how many arguments that is told from others. */
static const void *subject(const struct conform_event *event) {
  return event->kind == CONFORM_STEP ? event->what.action->message : event->what.message;
}

static size_t identity_count(const struct conform_event *event) {
  if (event->kind == CONFORM_STEP)
    return event->what.action->message->field_count;
  return event->kind == CONFORM_PART ? event->what.component->index_count
                                     : event->what.message->field_count;
}

static int compare_subjects(const void *a, const void *b) {
  return (uintptr_t)a < (uintptr_t)b ? -1 : (uintptr_t)a > (uintptr_t)b;
}

static int compare_identity(const struct conform_event *a, const struct conform_event *b) {
  int order = compare_subjects(subject(a), subject(b));
  for (size_t i = 0; order == 0 && i < identity_count(a); i++)
    order = compare(a->arguments[i], b->arguments[i]);
  return order;
}

static int compare_identities(const void *x, const void *y) {
  const struct conform_event *a = *(const struct conform_event *const *)x;
  const struct conform_event *b = *(const struct conform_event *const *)y;
  int order = compare_identity(a, b);
  return order != 0 ? order : compare_moments(a, b);
}

const struct conform_event *index_find(const event_list *list, const void *what,
                                       const int64_t *arguments, size_t count, size_t *place) {
  size_t low = 0, high = list->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    const struct conform_event *event = list->data[middle];
    int order = compare_subjects(subject(event), what);
    for (size_t i = 0; order == 0 && i < count; i++)
      order = compare(event->arguments[i], arguments[i]);
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  if (place != NULL)
    *place = low;
  if (low == list->count || subject(list->data[low]) != what)
    return NULL;
  for (size_t i = 0; i < count; i++)
    if (list->data[low]->arguments[i] != arguments[i])
      return NULL;
  return list->data[low];
}

static void sort(event_list *list, int (*order)(const void *, const void *)) {
  if (list->count != 0)
    qsort(list->data, list->count, sizeof *list->data, order);
}

static void sort_by_identity(struct conform *c, event_list *list, const char *again) {
  sort(list, compare_identities);
  for (size_t i = 1; i < list->count && again != NULL; i++)
    if (compare_identity(list->data[i - 1], list->data[i]) == 0)
      misfit(c, CONFORM_MISFIT, list->data[i], "%s a second time in one instance", again);
}

/* Whether the number of arguments is one that such an event can have. */
static bool has_arguments(struct conform *c, const struct conform_event *event) {
  size_t least, most;
  if (event->kind == CONFORM_STEP) {
    const struct action *action = event->what.action;
    least = step_argument_count(action);
    most = least + (action->read != NULL);
  } else if (event->kind == CONFORM_PART) {
    least = most = event->what.component->index_count;
  } else {
    least = event->what.message->field_count;
    most = least + 1;
  }
  if (event->count >= least && event->count <= most)
    return true;
  misfit(c, CONFORM_MISFIT, event, "is recorded with %d arguments instead of %zu",
         (int)event->count, least);
  return false;
}

static void add_step(struct conform *c, const struct conform_event *event) {
  const struct action *action = event->what.action;
  if (event->role != action->role || event->node >= c->interpreter->role_sizes[event->role->id] ||
      event->node < 0) {
    misfit(c, CONFORM_MISFIT, event, "is recorded by another node, which takes no such steps");
    return;
  }
  vector_push(&c->steps, event);
  if (action->message != NULL)
    vector_push(&c->receives, event);
}

static void add(struct conform *c, const struct conform_event *event) {
  if (event->kind == CONFORM_REQUEST || event->kind == CONFORM_BEGINNING)
    return;
  if (event->kind == CONFORM_FOREIGN) {
    misfit(c, CONFORM_MISFIT, event, "%s", event->what.text);
    return;
  }
  if (event->kind == CONFORM_PART && event->what.component->repeated)
    return;
  if (!has_arguments(c, event))
    return;
  if (event->kind == CONFORM_STEP)
    add_step(c, event);
  else if (event->kind == CONFORM_SEND)
    vector_push(&c->sends, event);
  else if (event->kind == CONFORM_ARRIVAL)
    vector_push(&c->arrivals, event);
  else
    vector_push(event->kind == CONFORM_WAIT ? &c->waits : &c->parts, event);
}

static bool is_sorted(const event_list *list, int (*order)(const void *, const void *)) {
  for (size_t i = 1; i < list->count; i++)
    if (order(&list->data[i - 1], &list->data[i]) > 0)
      return false;
  return true;
}

bool index_is_valid(const struct conform *c) {
  const event_list *lists[] = {&c->receives, &c->sends, &c->arrivals, &c->waits, &c->parts};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
    if (!is_sorted(lists[i], compare_identities))
      return false;
  size_t taken = 0;
  for (size_t node = 0; node < c->interpreter->node_count; node++) {
    for (size_t i = c->next[node]; i < c->past[node]; i++)
      if (dense(c, c->steps.data[i]) != node)
        return false;
    taken += c->past[node] - c->next[node];
  }
  return is_sorted(&c->steps, compare_steps) && taken == c->steps.count;
}

static void clear_lists(struct conform *c) {
  c->steps.count = c->receives.count = c->sends.count = 0;
  c->arrivals.count = c->waits.count = c->parts.count = 0;
}

static void check_arrivals(struct conform *c) {
  for (size_t i = 0; i < c->arrivals.count; i++) {
    const struct conform_event *arrival = c->arrivals.data[i];
    int64_t fields[INDEX_COUNT_MAX] = {0};
    size_t count = arrival->what.message->field_count;
    for (size_t f = 0; f < count; f++)
      fields[f] = arrival->arguments[f];
    const struct conform_event *sent =
        index_find(&c->sends, arrival->what.message, fields, count, NULL);
    struct text early;
    text_init(&early);
    if (sent == NULL) {
      misfit(c, CONFORM_LACKS, arrival, "arrives, but nobody recorded sending it");
    } else if (c->settings.timed && arrival->end < sent->start - c->settings.slack_ns) {
      duration_print_nearest(&early, sent->start - arrival->end);
      misfit(c, CONFORM_MISFIT, arrival, "arrives %s before it is sent", text_get(&early));
    }
    text_clear(&early);
  }
}

static void divide_steps(struct conform *c) {
  size_t nodes = c->interpreter->node_count;
  for (size_t node = 0; node < nodes; node++) {
    c->next[node] = c->past[node] = 0;
    c->before[node] = NULL;
    c->free_at[node] = 0;
  }
  for (size_t i = 0; i < c->steps.count; i++) {
    size_t node = dense(c, c->steps.data[i]);
    if (c->past[node] == 0)
      c->next[node] = i;
    c->past[node] = i + 1;
  }
}

void index_events(struct conform *c) {
  clear_lists(c);
  for (size_t i = 0; i < c->all_count; i++)
    add(c, &c->all[i]);
  sort(&c->steps, compare_steps);
  sort_by_identity(c, &c->receives, NULL);
  sort_by_identity(c, &c->sends, "is sent");
  sort_by_identity(c, &c->arrivals, "arrives");
  sort_by_identity(c, &c->waits, "is taken out of the queue");
  sort_by_identity(c, &c->parts, "is charged");
  check_arrivals(c);
  divide_steps(c);
  mem_free(c->used);
  c->used = mem_alloc(c->sends.count, sizeof *c->used);
  mem_free(c->charged);
  c->charged = mem_alloc(c->parts.count, sizeof *c->charged);
  mem_free(c->executed);
  c->executed = mem_alloc(c->all_count, sizeof *c->executed);
  invariant_costly(index_is_valid(c));
}

void conform_index_clear(struct conform *c) {
  vector_clear(&c->steps);
  vector_clear(&c->receives);
  vector_clear(&c->sends);
  vector_clear(&c->arrivals);
  vector_clear(&c->waits);
  vector_clear(&c->parts);
  mem_free(c->used);
  mem_free(c->charged);
  mem_free(c->executed);
}
