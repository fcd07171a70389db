/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/outside/target.h"

#include <Zydis/Zydis.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "measure/outside/go_functions.h"
#include "measure/outside/stepped.h"
#include "measure/profile/debug_file.h"
#include "measure/profile/image.h"

/* --- symbols by name --- */

struct symbol_search {
  const char *wanted;
  bool found;
  uint64_t start, end; /* addresses */
  char nearest[200];
  size_t distance;
};

/* Takes a function into account; whether the search goes on. */
static bool consider(void *context, const char *name, uint64_t start, uint64_t end) {
  struct symbol_search *search = context;
  if (strcmp(name, search->wanted) == 0) {
    search->found = true;
    search->start = start;
    search->end = end;
    return false;
  }
  size_t length = strlen(name), wanted = strlen(search->wanted);
  size_t apart = length > wanted ? length - wanted : wanted - length;
  bool holds = strstr(name, search->wanted) != NULL; /* a part of its name was given */
  if (length >= sizeof search->nearest || (!holds && apart >= search->distance))
    return true;
  size_t distance = holds ? 1 : text_distance(name, search->wanted);
  if (distance < search->distance) {
    search->distance = distance;
    memcpy(search->nearest, name, length + 1);
  }
  return true;
}

static void consider_symbol(struct symbol_search *search, const char *name,
                            const GElf_Sym *symbol) {
  unsigned type = GELF_ST_TYPE(symbol->st_info);
  if ((type == STT_FUNC || type == STT_GNU_IFUNC) && symbol->st_shndx != SHN_UNDEF && name != NULL)
    consider(search, name, symbol->st_value, symbol->st_value + symbol->st_size);
}

static void search_tables(struct symbol_search *search, Elf *elf) {
  Elf_Scn *section = NULL;
  while (!search->found && (section = elf_nextscn(elf, section)) != NULL) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == NULL || header.sh_entsize == 0 ||
        (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM))
      continue;
    Elf_Data *data = elf_getdata(section, NULL);
    for (size_t i = 0; data != NULL && !search->found && i < header.sh_size / header.sh_entsize;
         i++) {
      GElf_Sym symbol;
      if (gelf_getsym(data, (int)i, &symbol) != NULL)
        consider_symbol(search, elf_strptr(elf, header.sh_link, symbol.st_name), &symbol);
    }
  }
}

static void search_symbol(struct symbol_search *search, const struct image *image,
                          const char *path) {
  struct image debug;
  search_tables(search, image->elf);
  if (!search->found)
    go_functions(image, consider, search);
  if (search->found || !debug_file_open(&debug, image, path))
    return;
  search_tables(search, debug.elf);
  image_clear(&debug);
}

/* --- places --- */

static bool offset_of(const struct image *image, uint64_t address, uint64_t *offset) {
  for (size_t i = 0; i < image->segments.count; i++) {
    const struct image_segment *segment = &image->segments.data[i];
    if (address < segment->address || address - segment->address >= segment->size)
      continue;
    *offset = address - segment->address + segment->offset;
    return true;
  }
  return false;
}

static bool add_place(struct outside_target *target, const struct image *image, uint64_t address) {
  struct target_place place = {0};
  if (!offset_of(image, address, &place.offset))
    return false;
  vector_push(&target->places, place);
  return true;
}

/* Where a probe sees what one at the beginning sees, and costs least. */
static uint64_t cheapest(const struct image *image, const struct outside_site *site, uint64_t start,
                         uint64_t end) {
  const unsigned char *code = end > start ? image_bytes(image, start, end - start) : NULL;
  return code == NULL ? start : start + stepped_avoid(code, end - start, site->go);
}

/* Go's code has no data between its instructions, so that they are found one behind the other. */
static void add_returns(struct outside_target *target, const struct image *image, uint64_t start,
                        uint64_t end) {
  const unsigned char *code = image_bytes(image, start, end - start);
  ZydisDecoder decoder;
  ZydisDecodedInstruction instruction;
  ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
  for (uint64_t at = start; code != NULL && at < end; at += instruction.length) {
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, code + (at - start), end - at,
                                                    &instruction)))
      return;
    if (instruction.mnemonic == ZYDIS_MNEMONIC_RET)
      add_place(target, image, at);
  }
}

/* --- what was asked for --- */

static enum status say(struct text *message, const struct outside_site *site, const char *what) {
  text_format(message, "%s: %s", site->path, what);
  return STATUS_DATA;
}

static enum status find_usdt(struct outside_target *target, const struct outside_site *site,
                             const struct image *image, struct text *message) {
  usdt_places places = {0};
  char other[200];
  usdt_find(&places, image, site->group, site->name, other);
  for (size_t i = 0; i < places.count; i++) {
    struct target_place place = {.arguments = places.data[i].arguments};
    if (offset_of(image, places.data[i].address, &place.offset) &&
        (places.data[i].semaphore == 0 ||
         offset_of(image, places.data[i].semaphore, &place.semaphore)))
      vector_push(&target->places, place);
  }
  vector_clear(&places);
  if (target->places.count != 0)
    return STATUS_OK;
  text_format(message, "%s: no USDT probe %s:%s; %s%s%s", site->path, site->group, site->name,
              other[0] == '\0'
                  ? "it has none: was it built with them (PostgreSQL: --enable-dtrace)?"
                  : "it has ",
              other, other[0] == '\0' ? "" : " and perhaps others (readelf -n)");
  return STATUS_DATA;
}

static enum status say_no_symbol(struct text *message, const struct outside_site *site,
                                 const struct symbol_search *search) {
  if (search->nearest[0] == '\0' && search->distance == SIZE_MAX) {
    text_format(message,
                "%s: it has no symbols (stripped): install its debug symbols, or give the place as "
                "\"%s+0xOFFSET build-id=ID\"",
                site->path, site->path);
    return STATUS_DATA;
  }
  text_format(message,
              "%s: no function %s; the nearest name is %s; a function may have been inlined, then "
              "probe one that calls it",
              site->path, site->symbol, search->nearest);
  return STATUS_DATA;
}

static enum status find_function(struct outside_target *target, const struct outside_site *site,
                                 const struct image *image, struct text *message) {
  struct symbol_search search = {.wanted = site->symbol, .distance = SIZE_MAX};
  bool leaves = site->kind == SITE_URETPROBE;
  search_symbol(&search, image, site->path);
  if (!search.found)
    return say_no_symbol(message, site, &search);
  if (leaves && site->go)
    add_returns(target, image, search.start, search.end);
  else if (site->offset == 0)
    add_place(target, image, cheapest(image, site, search.start, search.end));
  else
    add_place(target, image, search.start + site->offset);
  if (target->places.count != 0)
    return STATUS_OK;
  return say(message, site,
             leaves ? "this function has no return instruction; probe another one"
                    : "this symbol is not in the code of the file; probe another one");
}

static enum status find_places(struct outside_target *target, const struct outside_site *site,
                               const struct image *image, struct text *message) {
  memcpy(target->build_id, image->build_id, sizeof target->build_id);
  size_t given = strlen(site->build_id);
  if (given != 0 && strncmp(image->build_id, site->build_id, given) != 0) {
    text_format(message,
                "%s: its build-id is %s, not %s: this is another build, in which the place is "
                "another one; find the place again, or bring back the build",
                site->path, image->build_id[0] == '\0' ? "none" : image->build_id, site->build_id);
    return STATUS_DATA;
  }
  if (site->kind == SITE_URETPROBE && !site->go && go_is(image))
    return say(
        message, site,
        "a program in Go, whose stack moves under a uretprobe: add abi: go, which probes the "
        "return instructions instead");
  if (site->kind == SITE_USDT)
    return find_usdt(target, site, image, message);
  if (site->symbol != NULL)
    return find_function(target, site, image, message);
  uint64_t address;
  if (!image_address(image, site->offset, &address))
    return say(message, site, "the offset is not in what is loaded of the file; give another one");
  vector_push(&target->places, (struct target_place){.offset = site->offset});
  return STATUS_OK;
}

static void find_stepped(struct outside_target *target, const struct image *image) {
  enum { LONGEST = 15 };
  for (size_t i = 0; i < target->places.count; i++) {
    struct target_place *place = &target->places.data[i];
    uint64_t address;
    const unsigned char *code = NULL;
    if (image_address(image, place->offset, &address))
      code = image_bytes(image, address, LONGEST);
    place->stepped = code == NULL || stepped(code, LONGEST);
  }
}

enum status target_find(struct outside_target *target, const struct outside_site *site,
                        struct text *message) {
  struct image image;
  struct stat about;
  *target = (struct outside_target){.device = 0};
  int file = open(site->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0 || fstat(file, &about) != 0) {
    text_format(message, "%s: cannot be read: %s; name the program or library as it is installed",
                site->path, strerror(errno));
    return STATUS_NO_INPUT;
  }
  target->device = about.st_dev;
  target->inode = about.st_ino;
  if (!image_open(&image, file))
    return say(message, site,
               "is no program or library (ELF); a script has no functions, name its "
               "interpreter");
  enum status status = find_places(target, site, &image, message);
  if (status == STATUS_OK)
    find_stepped(target, &image);
  image_clear(&image);
  return status;
}

void target_clear(struct outside_target *target) {
  vector_clear(&target->places);
}
