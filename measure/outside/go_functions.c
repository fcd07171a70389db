/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/outside/go_functions.h"

#include <gelf.h>
#include <string.h>

#include "measure/profile/image.h"

struct go_table {
  const unsigned char *bytes;
  size_t size;
  bool old;           /* of Go 1.16: addresses instead of offsets from text */
  uint64_t text;      /* where the code begins */
  uint64_t names;     /* places in the table: of names, */
  uint64_t functions; /* and of functions */
  uint64_t count;
};

/* Little-endian, 4 or 8 bytes; false beyond the table. */
static bool read_at(const struct go_table *table, uint64_t at, unsigned width, uint64_t *value) {
  if (at > table->size || table->size - at < width)
    return false;
  *value = 0;
  memcpy(value, table->bytes + at, width);
  return true;
}

static bool find_section(const struct image *image, const char *const *wanted, GElf_Shdr *header,
                         Elf_Scn **found) {
  Elf_Scn *section = NULL;
  size_t names;
  if (elf_getshdrstrndx(image->elf, &names) != 0)
    return false;
  while ((section = elf_nextscn(image->elf, section)) != NULL) {
    const char *name = gelf_getshdr(section, header) == NULL
                           ? NULL
                           : elf_strptr(image->elf, names, header->sh_name);
    for (size_t i = 0; name != NULL && wanted[i] != NULL; i++)
      if (strcmp(name, wanted[i]) == 0) {
        *found = section;
        return true;
      }
  }
  return false;
}

static const char *const table_names[] = {".gopclntab", ".data.rel.ro.gopclntab", NULL};
static const char *const text_names[] = {".text", NULL};

bool go_is(const struct image *image) {
  GElf_Shdr header;
  Elf_Scn *section;
  return find_section(image, table_names, &header, &section);
}

static bool read_header(struct go_table *table, const struct image *image) {
  enum { GO_1_16 = 0xfffffffa, GO_1_18 = 0xfffffff0, GO_1_20 = 0xfffffff1, HEAD = 8 };
  uint64_t magic;
  GElf_Shdr header;
  Elf_Scn *section;
  if (!read_at(table, 0, 4, &magic) || table->size < HEAD || table->bytes[7] != 8)
    return false;
  table->old = (uint32_t)magic == (uint32_t)GO_1_16;
  if (!table->old && (uint32_t)magic != (uint32_t)GO_1_18 && (uint32_t)magic != (uint32_t)GO_1_20)
    return false;
  uint64_t after = HEAD + 2 * 8; /* the numbers of functions and of files */
  if (!table->old && (!read_at(table, after, 8, &table->text) ||
                      (table->text == 0 && find_section(image, text_names, &header, &section) &&
                       (table->text = header.sh_addr) == 0)))
    return false;
  after += table->old ? 0 : 8;
  return read_at(table, HEAD, 8, &table->count) && read_at(table, after, 8, &table->names) &&
         read_at(table, after + 4 * 8, 8, &table->functions);
}

/* Where function i begins, and where more of it stands. */
static bool read_function(const struct go_table *table, uint64_t i, uint64_t *start,
                          uint64_t *more) {
  unsigned width = table->old ? 8 : 4;
  uint64_t at = table->functions + 2 * width * i;
  if (!read_at(table, at, width, start))
    return false;
  if (!read_at(table, at + width, width, more))
    *more = 0; /* behind the last one stands only where it ends */
  *start += table->text;
  return true;
}

static const char *name_of(const struct go_table *table, uint64_t more) {
  uint64_t offset;
  if (!read_at(table, table->functions + more + (table->old ? 8 : 4), 4, &offset))
    return NULL;
  uint64_t at = table->names + offset;
  if (at >= table->size || memchr(table->bytes + at, '\0', table->size - at) == NULL)
    return NULL;
  return (const char *)table->bytes + at;
}

void go_functions(const struct image *image,
                  bool (*take)(void *context, const char *name, uint64_t start, uint64_t end),
                  void *context) {
  GElf_Shdr header;
  Elf_Scn *section;
  if (!find_section(image, table_names, &header, &section))
    return;
  Elf_Data *data = elf_getdata(section, NULL);
  struct go_table table = {.bytes = data == NULL ? NULL : data->d_buf,
                           .size = data == NULL || data->d_buf == NULL ? 0 : data->d_size};
  if (!read_header(&table, image))
    return;
  for (uint64_t i = 0; i < table.count; i++) {
    uint64_t start, end, more, unused;
    if (!read_function(&table, i, &start, &more) || !read_function(&table, i + 1, &end, &unused))
      return;
    const char *name = name_of(&table, more);
    if (name != NULL && !take(context, name, start, end))
      return;
  }
}
