/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/span/fold_names.h"

#include <ctype.h>
#include <string.h>

enum { HEXADECIMAL_LEAST = 8, LONG_LEAST = 16 };

static const char placeholder[] = ":id";

/* The word that begins here: letters and digits, of any alphabet. */
static size_t word_length(const char *text, size_t most) {
  size_t length = 0;
  while (length < most &&
         (isalnum((unsigned char)text[length]) || (unsigned char)text[length] >= 0x80))
    length++;
  return length;
}

static bool is_id(const char *word, size_t length) {
  size_t digits = 0, hexadecimal = 0;
  for (size_t i = 0; i < length; i++) {
    digits += isdigit((unsigned char)word[i]) != 0;
    hexadecimal += isxdigit((unsigned char)word[i]) != 0;
  }
  return digits == length || (digits > 0 && hexadecimal == length && length >= HEXADECIMAL_LEAST) ||
         (digits > 0 && digits < length && length >= LONG_LEAST);
}

/* "8-4-4-4-12" hexadecimal digits. */
static bool is_uuid(const char *text, size_t most) {
  static const size_t parts[] = {8, 4, 4, 4, 12};
  size_t at = 0;
  for (size_t p = 0; p < 5; p++) {
    for (size_t i = 0; i < parts[p]; i++, at++)
      if (at >= most || !isxdigit((unsigned char)text[at]))
        return false;
    if (p < 4 && (at >= most || text[at++] != '-'))
      return false;
  }
  return word_length(text + at, most - at) == 0;
}

void fold_name(struct text *text, struct slice name) {
  for (size_t i = 0; i < name.length;) {
    size_t left = name.length - i;
    size_t length = is_uuid(name.start + i, left) ? 36 : word_length(name.start + i, left);
    if (length == 36 || (length > 0 && is_id(name.start + i, length)))
      text_append(text, placeholder);
    else
      text_append_bytes(text, name.start + i, length > 0 ? length : 1);
    i += length > 0 ? length : 1;
  }
}

/* Names that are one name folded: the first of them, and how many. */
struct family {
  uint32_t first, second, count;
};

struct folding {
  uint32_t *folded;        /* by name: the folded one, a name too; 0: not looked at, or as it is */
  struct family *families; /* by folded name */
  size_t names;
};

/* Numbers all names first: folding makes new ones. */
static void find_families(struct folding *folding, struct span_store *store, enum fold_names how) {
  struct text text;
  text_init(&text);
  size_t names = store->names.texts.count;
  bool *used = mem_alloc(names, sizeof *used);
  folding->names = names;
  folding->folded = mem_alloc(names, sizeof *folding->folded);
  for (size_t row = 0; row < store->operation.count; row++)
    used[store->operation.data[row]] = true;
  for (uint32_t n = 1; n < names; n++) {
    struct slice name = store->names.texts.data[n];
    if (!used[n])
      continue;
    text.length = 0;
    fold_name(&text, name);
    struct slice folded = {text_get(&text), text.length};
    bool is_other =
        folded.length != name.length || memcmp(folded.start, name.start, name.length) != 0;
    if (is_other && (how != FOLD_NAMES_KNOWN || names_find(&store->names, folded) != 0))
      folding->folded[n] = names_number(&store->names, folded);
  }
  folding->families = mem_alloc(store->names.texts.count, sizeof *folding->families);
  for (uint32_t n = 1; n < names; n++) {
    struct family *family = &folding->families[folding->folded[n]];
    if (folding->folded[n] == 0)
      continue;
    if (family->count++ == 0)
      family->first = n;
    else if (family->count == 2)
      family->second = n;
  }
  mem_free(used);
  text_clear(&text);
}

struct folded_names span_fold_names(struct span_store *store, enum fold_names how) {
  struct folding folding;
  struct folded_names result = {0};
  find_families(&folding, store, how);
  for (uint32_t n = 1; n < folding.names; n++) {
    const struct family *family = &folding.families[folding.folded[n]];
    if (folding.folded[n] == 0 || (how != FOLD_NAMES_KNOWN && family->count < FOLD_NAMES_LEAST)) {
      folding.folded[n] = 0;
      continue;
    }
    result.names++;
    if (family->first != n)
      continue;
    result.folded++;
    if (result.one == 0) {
      result.one = family->first;
      result.other = family->second;
    }
  }
  for (size_t row = 0; how != FOLD_NAMES_TELL && row < store->operation.count; row++) {
    uint32_t folded = folding.folded[store->operation.data[row]];
    if (folded != 0)
      store->operation.data[row] = folded;
  }
  mem_free(folding.folded);
  mem_free(folding.families);
  return result;
}
