/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/profile/symbols.h"

#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/profile/debug_file.h"
#include "measure/profile/functions.h"

/* --- the table --- */

static int compare(const void *a, const void *b) {
  const struct code_symbol *x = a, *y = b;
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  if (x->rank != y->rank)
    return x->rank < y->rank ? -1 : 1;
  if (x->name == NULL || y->name == NULL)
    return (x->name == NULL) - (y->name == NULL);
  return strcmp(x->name, y->name);
}

static int compare_numbers(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

/* A symbol without a size ends where the next one begins, or its section ends. */
static void settle_ends(struct symbols *symbols) {
  size_t bound = 0;
  for (size_t i = 0; i < symbols->list.count; i++) {
    struct code_symbol *symbol = &symbols->list.data[i];
    while (bound < symbols->bounds.count && symbols->bounds.data[bound] <= symbol->start)
      bound++;
    if (symbol->end != symbol->start)
      continue;
    uint64_t end = bound < symbols->bounds.count ? symbols->bounds.data[bound] : symbol->start;
    if (i + 1 < symbols->list.count && symbols->list.data[i + 1].start < end)
      end = symbols->list.data[i + 1].start;
    symbol->end = end;
  }
}

static bool is_sorted(const struct symbols *symbols) {
  for (size_t i = 1; i < symbols->list.count; i++)
    if (compare(&symbols->list.data[i - 1], &symbols->list.data[i]) > 0)
      return false;
  return true;
}

void symbols_sort(struct symbols *symbols) {
  if (symbols->list.count == 0)
    return;
  if (!is_sorted(symbols))
    qsort(symbols->list.data, symbols->list.count, sizeof *symbols->list.data, compare);
  if (symbols->bounds.count != 0)
    qsort(symbols->bounds.data, symbols->bounds.count, sizeof *symbols->bounds.data,
          compare_numbers);
  size_t kept = 1;
  for (size_t i = 1; i < symbols->list.count; i++)
    if (symbols->list.data[i].start != symbols->list.data[kept - 1].start)
      symbols->list.data[kept++] = symbols->list.data[i];
  symbols->list.count = kept;
  settle_ends(symbols);
}

const struct code_symbol *symbols_find(const struct symbols *symbols, uint64_t address) {
  enum { NESTED = 16 }; /* that functions within a function are looked behind */
  size_t low = 0, high = symbols->list.count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (symbols->list.data[middle].start <= address)
      low = middle + 1;
    else
      high = middle;
  }
  for (size_t i = 0; i < NESTED && i < low; i++)
    if (address < symbols->list.data[low - 1 - i].end)
      return &symbols->list.data[low - 1 - i];
  return NULL;
}

void symbols_clear(struct symbols *symbols) {
  vector_clear(&symbols->list);
  vector_clear(&symbols->bounds);
  image_clear(&symbols->debug);
  mem_free(symbols->texts);
  symbols->texts = NULL;
}

/* --- ELF --- */

/* Sized before not, global before weak before local, names that were chosen before reserved ones,
 * and shorter ones first. */
static uint32_t rank_of(const GElf_Sym *symbol, const char *name) {
  unsigned bind = GELF_ST_BIND(symbol->st_info);
  uint32_t rank = symbol->st_size == 0 ? 8 : 0;
  rank += bind == STB_GLOBAL ? 0 : bind == STB_WEAK ? 1 : 2;
  rank = rank * 4 + (name[0] != '_' ? 0 : name[1] != '_' ? 1 : 2);
  size_t length = strnlen(name, 0xffff);
  return rank << 16 | (uint32_t)length;
}

static bool is_code(Elf *elf, const GElf_Sym *symbol, const unsigned char *code, size_t sections) {
  unsigned type = GELF_ST_TYPE(symbol->st_info);
  (void)elf;
  if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE)
    return false;
  return symbol->st_shndx != SHN_UNDEF && symbol->st_shndx < sections && code[symbol->st_shndx];
}

static void add_table(struct symbols *symbols, Elf *elf, Elf_Scn *section, const GElf_Shdr *header,
                      const unsigned char *code, size_t sections) {
  Elf_Data *data = elf_getdata(section, NULL);
  size_t count = header->sh_entsize == 0 ? 0 : header->sh_size / header->sh_entsize;
  for (size_t i = 0; data != NULL && i < count; i++) {
    GElf_Sym symbol;
    if (gelf_getsym(data, (int)i, &symbol) == NULL || !is_code(elf, &symbol, code, sections))
      continue;
    const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);
    if (name == NULL || name[0] == '\0' || name[0] == '$' || strncmp(name, ".L", 2) == 0)
      continue;
    vector_push(&symbols->list,
                (struct code_symbol){symbol.st_value, symbol.st_value + symbol.st_size, name,
                                     rank_of(&symbol, name)});
  }
}

/* Which sections are code, by number (owned); and where they begin and end. */
static unsigned char *find_code(struct symbols *symbols, Elf *elf, size_t sections) {
  unsigned char *code = mem_alloc(sections, 1);
  for (size_t i = 0; i < sections; i++) {
    GElf_Shdr header;
    if (gelf_getshdr(elf_getscn(elf, i), &header) == NULL || (header.sh_flags & SHF_EXECINSTR) == 0)
      continue;
    code[i] = 1;
    vector_push(&symbols->bounds, header.sh_addr);
    vector_push(&symbols->bounds, header.sh_addr + header.sh_size);
  }
  return code;
}

/* All tables of a kind, SHT_SYMTAB or SHT_DYNSYM. */
static void add_tables(struct symbols *symbols, Elf *elf, uint32_t kind) {
  size_t sections;
  if (elf_getshdrnum(elf, &sections) != 0 || sections == 0)
    return;
  unsigned char *code = find_code(symbols, elf, sections);
  Elf_Scn *section = NULL;
  while ((section = elf_nextscn(elf, section)) != NULL) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) != NULL && header.sh_type == kind)
      add_table(symbols, elf, section, &header, code, sections);
  }
  mem_free(code);
}

void symbols_load(struct symbols *symbols, const struct image *image, const char *path) {
  *symbols = (struct symbols){.debug = {.descriptor = -1}};
  add_tables(symbols, image->elf, SHT_SYMTAB);
  if (symbols->list.count == 0) {
    add_tables(symbols, image->elf, SHT_DYNSYM);
    if (debug_file_open(&symbols->debug, image, path))
      add_tables(symbols, symbols->debug.elf, SHT_SYMTAB);
  }
  symbols->named = symbols->list.count != 0;
  symbols_sort(symbols);
  functions_add(symbols, image);
}

/* --- the kernel --- */

static void add_kernel_line(struct symbols *symbols, char *line) {
  char *end, *name;
  uint64_t address = strtoull(line, &end, 16);
  if (address == 0 || end[0] != ' ' || end[1] == '\0' || strchr("tTwW", end[1]) == NULL ||
      end[2] != ' ')
    return;
  name = end + 3;
  name[strcspn(name, "\t")] = '\0';
  vector_push(&symbols->list, (struct code_symbol){address, address, name, 0});
}

/* All of a file of unknown length; owned. */
static char *read_all(const char *path) {
  VECTOR(char) text = {0};
  FILE *file = fopen(path, "re");
  for (int c; file != NULL && (c = getc_unlocked(file)) != EOF;)
    vector_push(&text, (char)c);
  if (file != NULL)
    fclose(file);
  vector_push(&text, '\0');
  return text.data;
}

void symbols_load_kernel(struct symbols *symbols) {
  *symbols = (struct symbols){.debug = {.descriptor = -1}};
  symbols->texts = read_all("/proc/kallsyms");
  for (char *line = symbols->texts, *next; line != NULL && *line != '\0'; line = next) {
    size_t length = strcspn(line, "\n");
    next = line + length + (line[length] == '\n');
    line[length] = '\0';
    add_kernel_line(symbols, line);
  }
  vector_push(&symbols->bounds, UINT64_MAX);
  symbols_sort(symbols);
  symbols->named = symbols->list.count != 0;
}

void symbols_find_scheduler(uint64_t *start, uint64_t *end) {
  FILE *file = fopen("/proc/kallsyms", "re");
  char line[512];
  *start = *end = 0;
  while (file != NULL && *end == 0 && fgets(line, sizeof line, file) != NULL) {
    uint64_t address = strtoull(line, NULL, 16);
    if (strstr(line, " __sched_text_start\n") != NULL)
      *start = address;
    else if (*start != 0 && strstr(line, " __sched_text_end\n") != NULL)
      *end = address;
  }
  if (file != NULL)
    fclose(file);
  if (*end == 0)
    *start = 0;
}
