/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/outside/usdt.h"

#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/outside/registers.h"
#include "measure/profile/image.h"

/* --- arguments --- */

/* Of a register's name without its %; -1: none that is known. */
static int place_of(const char *name, size_t length) {
  static const struct {
    const char *names[4]; /* 64, 32, 16, 8 bits */
    int place;
  } table[] = {
      {{"rax", "eax", "ax", "al"}, PLACE_AX},       {{"rbx", "ebx", "bx", "bl"}, PLACE_BX},
      {{"rcx", "ecx", "cx", "cl"}, PLACE_CX},       {{"rdx", "edx", "dx", "dl"}, PLACE_DX},
      {{"rsi", "esi", "si", "sil"}, PLACE_SI},      {{"rdi", "edi", "di", "dil"}, PLACE_DI},
      {{"rbp", "ebp", "bp", "bpl"}, PLACE_BP},      {{"rsp", "esp", "sp", "spl"}, PLACE_SP},
      {{"r8", "r8d", "r8w", "r8b"}, PLACE_R8},      {{"r9", "r9d", "r9w", "r9b"}, PLACE_R9},
      {{"r10", "r10d", "r10w", "r10b"}, PLACE_R10}, {{"r11", "r11d", "r11w", "r11b"}, PLACE_R11},
      {{"r12", "r12d", "r12w", "r12b"}, PLACE_R12}, {{"r13", "r13d", "r13w", "r13b"}, PLACE_R13},
      {{"r14", "r14d", "r14w", "r14b"}, PLACE_R14}, {{"r15", "r15d", "r15w", "r15b"}, PLACE_R15},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    for (size_t k = 0; k < 4; k++)
      if (strlen(table[i].names[k]) == length && memcmp(table[i].names[k], name, length) == 0)
        return table[i].place;
  return -1;
}

/* $7, %eax, -16(%rbp), (%rax); the word ends at a blank. */
static void parse_operand(struct usdt_argument *argument, const char *at, size_t length) {
  char *end;
  argument->kind = USDT_STRANGE;
  if (*at == '%') {
    argument->place = place_of(at + 1, length - 1);
    argument->kind = argument->place >= 0 ? USDT_REGISTER : USDT_STRANGE;
    return;
  }
  bool is_number = *at == '$';
  argument->value = strtoll(at + is_number, &end, 10);
  if (is_number) {
    argument->kind = end == at + length ? USDT_NUMBER : USDT_STRANGE;
    return;
  }
  const char *close = at + length - 1;
  if (end + 3 > close || end[0] != '(' || end[1] != '%' || *close != ')')
    return;
  argument->place = place_of(end + 2, (size_t)(close - end - 2));
  if (argument->place >= 0 && argument->value >= INT32_MIN && argument->value <= INT32_MAX)
    argument->kind = USDT_MEMORY;
}

void usdt_parse(struct usdt_arguments *arguments, const char *text) {
  *arguments = (struct usdt_arguments){0};
  for (text += strspn(text, " "); *text != '\0' && arguments->count < USDT_ARGUMENTS;
       text += strspn(text, " ")) {
    struct usdt_argument *argument = &arguments->argument[arguments->count++];
    size_t length = strcspn(text, " ");
    char *at;
    long width = strtol(text, &at, 10);
    argument->kind = USDT_STRANGE;
    argument->has_sign = width < 0;
    argument->width = width < -8 || width > 8 ? 0 : (unsigned)labs(width);
    bool known = argument->width == 1 || argument->width == 2 || argument->width == 4 ||
                 argument->width == 8;
    if (known && *at == '@' && at + 1 < text + length)
      parse_operand(argument, at + 1, (size_t)(text + length - at - 1));
    text += length;
  }
}

/* --- notes --- */

/* By how much the addresses in notes differ from those of the file now (prelink moves sections). */
static uint64_t base_of(Elf *elf, bool *found) {
  Elf_Scn *section = NULL;
  size_t names;
  GElf_Shdr header;
  *found = false;
  if (elf_getshdrstrndx(elf, &names) != 0)
    return 0;
  while ((section = elf_nextscn(elf, section)) != NULL) {
    const char *name;
    if (gelf_getshdr(section, &header) == NULL ||
        (name = elf_strptr(elf, names, header.sh_name)) == NULL ||
        strcmp(name, ".stapsdt.base") != 0)
      continue;
    *found = true;
    return header.sh_addr;
  }
  return 0;
}

struct note_reader {
  usdt_places *places;
  const char *provider, *name;
  char *other;
  uint64_t base;
  bool has_base;
};

/* Address, base and semaphore, then provider, name and arguments, each up to a NUL. */
static void read_note(struct note_reader *reader, const char *bytes, size_t size) {
  uint64_t head[3];
  const char *part[3], *at = bytes + sizeof head, *end = bytes + size;
  if (size < sizeof head)
    return;
  memcpy(head, bytes, sizeof head);
  for (unsigned i = 0; i < 3; i++) {
    part[i] = at;
    const char *stop = at < end ? memchr(at, '\0', (size_t)(end - at)) : NULL;
    if (stop == NULL)
      return;
    at = stop + 1;
  }
  if (strcmp(part[0], reader->provider) != 0 || strcmp(part[1], reader->name) != 0) {
    if (reader->other[0] == '\0')
      snprintf(reader->other, 200, "%.99s:%.99s", part[0], part[1]);
    return;
  }
  uint64_t moved = reader->has_base ? reader->base - head[1] : 0;
  struct usdt_place place = {.address = head[0] + moved,
                             .semaphore = head[2] == 0 ? 0 : head[2] + moved};
  usdt_parse(&place.arguments, part[2]);
  vector_push(reader->places, place);
}

static void read_notes(struct note_reader *reader, Elf_Data *data) {
  GElf_Nhdr note;
  size_t name, content;
  for (size_t at = 0; data != NULL && at < data->d_size;) {
    at = gelf_getnote(data, at, &note, &name, &content);
    if (at == 0)
      return;
    if (note.n_type == 3 && note.n_namesz == sizeof "stapsdt" &&
        memcmp((const char *)data->d_buf + name, "stapsdt", sizeof "stapsdt") == 0)
      read_note(reader, (const char *)data->d_buf + content, note.n_descsz);
  }
}

void usdt_find(usdt_places *places, const struct image *image, const char *provider,
               const char *name, char other[200]) {
  struct note_reader reader = {places, provider, name, other, 0, false};
  Elf_Scn *section = NULL;
  other[0] = '\0';
  reader.base = base_of(image->elf, &reader.has_base);
  while ((section = elf_nextscn(image->elf, section)) != NULL) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) != NULL && header.sh_type == SHT_NOTE)
      read_notes(&reader, elf_getdata(section, NULL));
  }
}
