/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/stacks/values.h"

#include <string.h>

static uint64_t sum(uint64_t a, uint64_t b) {
  return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static struct slice text_of(const struct stack_profile *profile, uint32_t name) {
  return profile->names.texts.data[name];
}

static bool is(const struct stack_profile *profile, const struct stack_value *value,
               struct slice type, struct slice unit) {
  return slice_same(text_of(profile, value->type), type) &&
         slice_same(text_of(profile, value->unit), unit);
}

static size_t place_of(const struct stack_profile *profile, struct slice type, struct slice unit) {
  size_t i = 0;
  while (i < profile->values.count && !is(profile, &profile->values.data[i], type, unit))
    i++;
  return i;
}

size_t stack_value_find(struct stack_profile *profile, struct slice type, struct slice unit) {
  size_t place = place_of(profile, type, unit);
  if (place == profile->values.count)
    vector_push(&profile->values,
                (struct stack_value){.type = names_number(&profile->names, type),
                                     .unit = names_number(&profile->names, unit)});
  return place;
}

void stack_value_add(struct stack_profile *profile, size_t value, uint32_t node, uint64_t number) {
  struct stack_value *of = &profile->values.data[value];
  if (number == 0)
    return;
  while (of->own.count <= node)
    vector_push(&of->own, 0);
  of->own.data[node] = sum(of->own.data[node], number);
}

uint64_t stack_value_of(const struct stack_value *value, uint32_t node) {
  return node < value->own.count ? value->own.data[node] : 0;
}

static void remove_at(struct stack_profile *profile, size_t place) {
  vector_clear(&profile->values.data[place].own);
  profile->values.count--;
  memmove(&profile->values.data[place], &profile->values.data[place + 1],
          (profile->values.count - place) * sizeof *profile->values.data);
}

void stack_value_drop(struct stack_profile *profile, const char *type, const char *unit) {
  size_t place =
      place_of(profile, (struct slice){type, strlen(type)}, (struct slice){unit, strlen(unit)});
  if (place < profile->values.count)
    remove_at(profile, place);
}

void stack_value_keep_samples(struct stack_profile *profile) {
  stack_value_drop(profile, "samples", "count");
  size_t place =
      stack_value_find(profile, (struct slice){"samples", 7}, (struct slice){"count", 5});
  for (uint32_t i = 0; i < profile->nodes.count; i++)
    stack_value_add(profile, place, i, profile->nodes.data[i].own);
}

void stack_values_multiply(struct stack_profile *profile, uint64_t by) {
  for (size_t v = 0; v < profile->values.count; v++)
    for (size_t i = 0; i < profile->values.data[v].own.count; i++) {
      uint64_t *own = &profile->values.data[v].own.data[i];
      *own = *own > UINT64_MAX / by ? UINT64_MAX : *own * by;
    }
}

static void say_dropped(struct stack_profile *target, struct slice type) {
  struct text what = {0};
  text_append(&what, "values that only some of the files have (");
  text_append_bytes(&what, type.start, type.length);
  text_append(&what, ")");
  stack_left_out(target, text_get(&what));
  text_clear(&what);
}

void stack_values_merge(struct stack_profile *target, const struct stack_profile *source,
                        const uint32_t *nodes, bool empty) {
  for (size_t v = target->values.count; v-- > 0;) {
    struct slice type = text_of(target, target->values.data[v].type);
    if (place_of(source, type, text_of(target, target->values.data[v].unit)) ==
        source->values.count) {
      say_dropped(target, type);
      remove_at(target, v);
    }
  }
  for (size_t v = 0; v < source->values.count; v++) {
    const struct stack_value *value = &source->values.data[v];
    struct slice type = text_of(source, value->type), unit = text_of(source, value->unit);
    if (!empty && place_of(target, type, unit) == target->values.count) {
      say_dropped(target, type);
      continue;
    }
    size_t place = stack_value_find(target, type, unit);
    for (uint32_t i = 0; i < value->own.count; i++)
      stack_value_add(target, place, nodes[i], value->own.data[i]);
  }
}

void stack_values_clear(struct stack_profile *profile) {
  for (size_t i = 0; i < profile->values.count; i++)
    vector_clear(&profile->values.data[i].own);
  vector_clear(&profile->values);
}

void stack_left_out(struct stack_profile *profile, const char *what) {
  struct text *left_out = &profile->left_out;
  if (left_out->length != 0 && strstr(text_get(left_out), what) != NULL)
    return;
  text_append(left_out, left_out->length == 0 ? "" : "; ");
  text_append(left_out, what);
}
