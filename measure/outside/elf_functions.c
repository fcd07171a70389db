/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/outside/elf_functions.h"

#include <gelf.h>
#include <string.h>

/* A table of symbols, and of the dynamic one its versions. */
struct symbol_table {
  Elf *elf;
  size_t names, count;
  Elf_Data *symbols, *versions, *definitions; /* the last two may be NULL */
  size_t version_names;
  const char *source;
};

static void find_versions(struct symbol_table *table, Elf *elf) {
  Elf_Scn *section = NULL;
  while ((section = elf_nextscn(elf, section)) != NULL) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == NULL)
      continue;
    if (header.sh_type == SHT_GNU_versym)
      table->versions = elf_getdata(section, NULL);
    if (header.sh_type == SHT_GNU_verdef) {
      table->definitions = elf_getdata(section, NULL);
      table->version_names = header.sh_link;
    }
  }
}

/* The name of a version that the file defines; NULL. */
static const char *version_of(const struct symbol_table *table, unsigned number) {
  GElf_Verdef definition;
  GElf_Verdaux name;
  int at = 0;
  while (table->definitions != NULL &&
         gelf_getverdef(table->definitions, at, &definition) != NULL) {
    if (definition.vd_ndx == number && (definition.vd_flags & VER_FLG_BASE) == 0)
      return gelf_getverdaux(table->definitions, at + (int)definition.vd_aux, &name) == NULL
                 ? NULL
                 : elf_strptr(table->elf, table->version_names, name.vda_name);
    if (definition.vd_next == 0)
      return NULL;
    at += (int)definition.vd_next;
  }
  return NULL;
}

/* Linkers write versions into the names of the full table: name@OLD, name@@DEFAULT. */
static void split_name(struct elf_function *function) {
  const char *at = memchr(function->name, '@', function->length);
  if (at == NULL || at == function->name)
    return;
  function->length = (uint32_t)(at - function->name);
  function->old = at[1] != '@';
  function->version = at + (function->old ? 1 : 2);
}

static void set_version(struct elf_function *function, const struct symbol_table *table, size_t i) {
  enum { HIDDEN = 0x8000, FIRST = 2 };
  GElf_Versym version;
  if (table->versions == NULL || gelf_getversym(table->versions, (int)i, &version) == NULL ||
      (version & ~(unsigned)HIDDEN) < FIRST)
    return;
  function->version = version_of(table, version & ~(unsigned)HIDDEN);
  function->old = function->version != NULL && (version & HIDDEN) != 0;
}

static bool read_symbol(struct elf_function *function, struct symbol_table *table, size_t i) {
  GElf_Sym symbol;
  if (gelf_getsym(table->symbols, (int)i, &symbol) == NULL)
    return false;
  unsigned type = GELF_ST_TYPE(symbol.st_info);
  const char *name = elf_strptr(table->elf, table->names, symbol.st_name);
  bool local = GELF_ST_BIND(symbol.st_info) == STB_LOCAL;
  if (type == STT_FILE)
    table->source = name;
  if ((type != STT_FUNC && type != STT_GNU_IFUNC) || name == NULL || name[0] == '\0')
    return false;
  *function =
      (struct elf_function){.name = name,
                            .length = (uint32_t)strnlen(name, ELF_FUNCTION_NAME),
                            .source = local ? table->source : NULL,
                            .start = symbol.st_value,
                            .size = symbol.st_size,
                            .defined = symbol.st_shndx != SHN_UNDEF && symbol.st_shndx != SHN_ABS,
                            .chosen = type == STT_GNU_IFUNC};
  split_name(function);
  if (function->version == NULL)
    set_version(function, table, i);
  return true;
}

static bool give_table(struct symbol_table *table,
                       bool (*take)(void *context, const struct elf_function *function),
                       void *context) {
  struct elf_function function;
  for (size_t i = 0; table->symbols != NULL && i < table->count; i++)
    if (read_symbol(&function, table, i) && !take(context, &function))
      return false;
  return true;
}

void elf_functions(Elf *elf, bool (*take)(void *context, const struct elf_function *function),
                   void *context) {
  Elf_Scn *section = NULL;
  while ((section = elf_nextscn(elf, section)) != NULL) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == NULL || header.sh_entsize == 0 ||
        (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM))
      continue;
    struct symbol_table table = {.elf = elf,
                                 .names = header.sh_link,
                                 .count = header.sh_size / header.sh_entsize,
                                 .symbols = elf_getdata(section, NULL)};
    if (header.sh_type == SHT_DYNSYM)
      find_versions(&table, elf);
    if (!give_table(&table, take, context))
      return;
  }
}
