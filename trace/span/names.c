/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/span/names.h"

#include <string.h>

#include "base/shown.h"
#include "trace/span/hash.h"

/* The slot that has the text, or the empty one where it would go. */
static size_t slot_of(const struct span_names *names, struct slice text) {
  size_t mask = names->slots.count - 1, slot = (size_t)hash_bytes(0, text) & mask;
  for (; names->slots.data[slot] != 0; slot = (slot + 1) & mask) {
    struct slice known = names->texts.data[names->slots.data[slot] - 1];
    if (known.length == text.length &&
        (text.length == 0 || memcmp(known.start, text.start, text.length) == 0))
      break;
  }
  return slot;
}

static void grow(struct span_names *names) {
  size_t count = names->slots.count * 2;
  vector_clear(&names->slots);
  for (size_t i = 0; i < count; i++)
    vector_push(&names->slots, 0);
  for (size_t i = 0; i < names->texts.count; i++)
    names->slots.data[slot_of(names, names->texts.data[i])] = (uint32_t)i + 1;
}

void names_init(struct span_names *names) {
  *names = (struct span_names){0};
  arena_init(&names->arena);
  for (size_t i = 0; i < 64; i++)
    vector_push(&names->slots, 0);
  names_number(names, (struct slice){"", 0});
}

void names_clear(struct span_names *names) {
  vector_clear(&names->texts);
  vector_clear(&names->slots);
  arena_clear(&names->arena);
}

/* What may not be shown is nowhere in a name, so that no table or picture need look for it. */
static uint32_t number_of_clean(struct span_names *names, struct slice text) {
  struct text clean;
  text_init(&clean);
  shown_append(&clean, text.start, text.length);
  uint32_t found = names_number(names, (struct slice){clean.data, clean.length});
  text_clear(&clean);
  return found;
}

uint32_t names_number(struct span_names *names, struct slice text) {
  if (!shown_is_clean(text.start, text.length))
    return number_of_clean(names, text);
  size_t slot = slot_of(names, text);
  if (names->slots.data[slot] != 0)
    return names->slots.data[slot] - 1;
  char *copy = arena_text(&names->arena, text.start, text.length);
  vector_push(&names->texts, (struct slice){copy, text.length});
  names->slots.data[slot] = (uint32_t)names->texts.count;
  uint32_t number = (uint32_t)names->texts.count - 1;
  if (names->texts.count * 2 > names->slots.count)
    grow(names);
  return number;
}

uint32_t names_find(const struct span_names *names, struct slice text) {
  if (shown_is_clean(text.start, text.length)) {
    uint32_t found = names->slots.data[slot_of(names, text)];
    return found == 0 ? 0 : found - 1;
  }
  struct text clean;
  text_init(&clean);
  shown_append(&clean, text.start, text.length);
  uint32_t number = names_find(names, (struct slice){clean.data, clean.length});
  text_clear(&clean);
  return number;
}

const char *names_text(const struct span_names *names, uint32_t number) {
  return names->texts.data[number].start;
}
