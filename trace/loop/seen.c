/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/loop/seen.h"

#include <stdlib.h>
#include <string.h>

#include "base/slice.h"
#include "base/text.h"
#include "trace/loop/changes.h"

enum { CALLERS_SAID = 2 };

/* --- stacks ----------------------------------------------------------------------------------- */

static bool is_package(struct slice function) {
  return slice_starts(function, "node_modules/");
}

static struct slice rest_from(const char *at) {
  return (struct slice){at, strlen(at)};
}

struct slice loop_stack_function(const char *stack) {
  struct slice rest = rest_from(stack), function;
  while (slice_field(&function, &rest, ';'))
    if (!is_package(function))
      return function;
  rest = rest_from(stack);
  slice_field(&function, &rest, ';');
  return function;
}

void loop_stack_say(struct text *text, const char *stack) {
  struct slice own = loop_stack_function(stack), rest = rest_from(stack), function;
  size_t said = 0;
  text_append_bytes(text, own.start, own.length);
  for (bool first = true; slice_field(&function, &rest, ';'); first = false) {
    if (first && function.start != own.start) {
      text_append(text, ", in ");
      text_append_bytes(text, function.start, function.length);
    } else if (function.start > own.start && said < CALLERS_SAID) {
      text_append(text, said++ == 0 ? ", called by " : ", ");
      text_append_bytes(text, function.start, function.length);
    }
  }
}

bool loop_stack_means(const char *name, const char *stack) {
  struct slice rest = rest_from(stack), function;
  bool means = false;
  while (!means && slice_field(&function, &rest, ';')) {
    char *place = mem_copy_text(function.start, function.length);
    means = loop_place_means(name, place);
    mem_free(place);
  }
  return means;
}

/* --- looks ------------------------------------------------------------------------------------ */

static bool is_run_of(const struct loop_causes *all, const struct loop_cause *cause, uint32_t row) {
  struct loop_cause of =
      loop_cause_of_row(all->log, all->words, all->turns.owner, cause->kind, row);
  return of.place == cause->place && of.type == cause->type && of.route == cause->route;
}

/* The function, and who called it in the application. */
static struct slice called(const char *stack) {
  struct slice own = loop_stack_function(stack), rest = rest_from(own.start), caller = own;
  slice_field(&caller, &rest, ';');
  slice_field(&caller, &rest, ';');
  return (struct slice){own.start, (size_t)(caller.start + caller.length - own.start)};
}

static void count_function(struct loop_seen *seen, const char *stack) {
  for (size_t i = 0; i < seen->functions.count; i++) {
    struct loop_function *known = &seen->functions.data[i];
    if (slice_same(called(known->stack), called(stack))) {
      known->looks++;
      return;
    }
  }
  vector_push(&seen->functions, (struct loop_function){stack, 1});
}

static int by_looks(const void *a, const void *b) {
  const struct loop_function *x = a, *y = b;
  if (x->looks != y->looks)
    return x->looks > y->looks ? -1 : 1;
  return strcmp(x->stack, y->stack);
}

void loop_seen_find(struct loop_seen *seen, const struct loop_causes *all,
                    const struct loop_cause *cause) {
  *seen = (struct loop_seen){0};
  if (cause->kind != LOOP_OWN && cause->kind != LOOP_HELD)
    return;
  for (size_t i = 0; i < all->log->looks.count; i++) {
    const struct event_look *look = &all->log->looks.data[i];
    if (!is_run_of(all, cause, look->row))
      continue;
    seen->looks++;
    count_function(seen, names_text(&all->log->names, look->stack));
  }
  if (seen->functions.count != 0)
    qsort(seen->functions.data, seen->functions.count, sizeof *seen->functions.data, by_looks);
}

void loop_seen_clear(struct loop_seen *seen) {
  vector_clear(&seen->functions);
}
