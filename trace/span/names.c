/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/span/names.h"

#include <string.h>

#include "base/shown.h"
#include "base/hash.h"

/* The number of the text; UINT32_MAX when it was never mentioned. */
static uint32_t known_number(const struct span_names *names, struct slice text, uint64_t hash) {
  for (struct index_look look = index_look(&names->index, hash); index_next(&look);) {
    struct slice known = names->texts.data[look.row];
    if (known.length == text.length &&
        (text.length == 0 || memcmp(known.start, text.start, text.length) == 0))
      return look.row;
  }
  return UINT32_MAX;
}

void names_clear(struct span_names *names) {
  vector_clear(&names->texts);
  index_clear(&names->index);
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

/* A name's own text is handed around and asked for again and again; nothing else has its address as
 * long as the names live. */
static bool is_own(const struct span_names *names, uint32_t number, struct slice text) {
  struct slice known = names->texts.data[number];
  return known.start == text.start && known.length == text.length;
}

static uint32_t *recent_of(struct span_names *names, struct slice text) {
  return &names->recent[(uintptr_t)text.start / 8 % NAMES_RECENT];
}

static uint32_t find_or_add(struct span_names *names, struct slice text) {
  if (!shown_is_clean(text.start, text.length))
    return number_of_clean(names, text);
  uint64_t hash = hash_bytes(0, text);
  uint32_t number = known_number(names, text, hash);
  if (number != UINT32_MAX)
    return number;
  number = (uint32_t)names->texts.count;
  char *copy = arena_text(&names->arena, text.start, text.length);
  vector_push(&names->texts, (struct slice){copy, text.length});
  index_add(&names->index, hash, number);
  return number;
}

void names_init(struct span_names *names) {
  *names = (struct span_names){0};
  arena_init(&names->arena);
  find_or_add(names, (struct slice){"", 0});
}

uint32_t names_number(struct span_names *names, struct slice text) {
  uint32_t *recent = recent_of(names, text);
  if (text.length == 0)
    return 0;
  if (*recent != 0 && is_own(names, *recent, text))
    return *recent;
  uint32_t number = find_or_add(names, text);
  if (is_own(names, number, text))
    *recent = number;
  return number;
}

uint32_t names_find(const struct span_names *names, struct slice text) {
  if (shown_is_clean(text.start, text.length)) {
    uint32_t found = known_number(names, text, hash_bytes(0, text));
    return found == UINT32_MAX ? 0 : found;
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
