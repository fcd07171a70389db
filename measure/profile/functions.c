/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/profile/functions.h"

#include <gelf.h>
#include <string.h>

static bool read32(const struct image *image, uint64_t address, int32_t *value) {
  const unsigned char *bytes = image_bytes(image, address, sizeof *value);
  if (bytes != NULL)
    memcpy(value, bytes, sizeof *value);
  return bytes != NULL;
}

/* The length of a function that an entry describes; 0 where the entry has another form: a length, a
 * pointer to the common part, the start relative to where it stands, the length of the function. */
static uint64_t length_of(const struct image *image, uint64_t entry, uint64_t start) {
  int32_t begin, length;
  if (!read32(image, entry + 8, &begin) || !read32(image, entry + 12, &length) ||
      entry + 8 + (uint64_t)(int64_t)begin != start || length <= 0)
    return 0;
  return (uint64_t)length;
}

static void add_function(struct symbols *symbols, const struct image *image, size_t named,
                         uint64_t start, uint64_t entry) {
  uint64_t length = length_of(image, entry, start);
  struct symbols known = *symbols;
  known.list.count = named;
  if (length != 0 && symbols_find(&known, start) == NULL)
    vector_push(&symbols->list, (struct code_symbol){start, start + length, NULL, UINT32_MAX});
}

static uint64_t find_table(const struct image *image) {
  size_t count;
  if (elf_getphdrnum(image->elf, &count) != 0)
    return 0;
  for (size_t i = 0; i < count; i++) {
    GElf_Phdr header;
    if (gelf_getphdr(image->elf, (int)i, &header) != NULL && header.p_type == PT_GNU_EH_FRAME)
      return header.p_vaddr;
  }
  return 0;
}

void functions_add(struct symbols *symbols, const struct image *image) {
  /* version 1; a pointer and a count of 4 bytes; pairs of 4 bytes relative to the table */
  static const unsigned char usual[] = {1, 0x1b, 0x03, 0x3b};
  uint64_t table = find_table(image);
  const unsigned char *head = table == 0 ? NULL : image_bytes(image, table, sizeof usual);
  int32_t count, start, entry;
  if (head == NULL || memcmp(head, usual, sizeof usual) != 0 || !read32(image, table + 8, &count))
    return;
  size_t named = symbols->list.count;
  for (uint64_t at = table + 12; count > 0; count--, at += 8) {
    if (!read32(image, at, &start) || !read32(image, at + 4, &entry))
      break;
    add_function(symbols, image, named, table + (uint64_t)(int64_t)start,
                 table + (uint64_t)(int64_t)entry);
  }
  if (symbols->list.count != named)
    symbols_sort(symbols);
}
