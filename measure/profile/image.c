/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/profile/image.h"

#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

static void add_segment(struct image *image, const GElf_Phdr *header) {
  if (header->p_type == PT_LOAD)
    vector_push(&image->segments,
                (struct image_segment){header->p_offset, header->p_vaddr, header->p_filesz,
                                       (header->p_flags & PF_X) != 0});
}

static void set_build_id(struct image *image, const unsigned char *bytes, size_t count) {
  for (size_t i = 0; i < count && 2 * i + 2 < IMAGE_BUILD_ID; i++)
    snprintf(image->build_id + 2 * i, 3, "%02x", bytes[i]);
}

static void find_build_id(struct image *image, const GElf_Phdr *header) {
  Elf_Data *data = elf_getdata_rawchunk(image->elf, (int64_t)header->p_offset, header->p_filesz,
                                        header->p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR);
  GElf_Nhdr note;
  size_t name, content;
  for (size_t at = 0; data != NULL && at < data->d_size;) {
    at = gelf_getnote(data, at, &note, &name, &content);
    if (at == 0)
      return;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof "GNU" &&
        memcmp((const char *)data->d_buf + name, "GNU", sizeof "GNU") == 0)
      set_build_id(image, (const unsigned char *)data->d_buf + content, note.n_descsz);
  }
}

static bool read_headers(struct image *image) {
  size_t count;
  if (image->elf == NULL || elf_kind(image->elf) != ELF_K_ELF ||
      elf_getphdrnum(image->elf, &count) != 0)
    return false;
  for (size_t i = 0; i < count; i++) {
    GElf_Phdr header;
    if (gelf_getphdr(image->elf, (int)i, &header) == NULL)
      return false;
    add_segment(image, &header);
    if (header.p_type == PT_NOTE && image->build_id[0] == '\0')
      find_build_id(image, &header);
  }
  return true;
}

static bool open_as(struct image *image, int descriptor, Elf_Cmd command) {
  elf_version(EV_CURRENT);
  *image = (struct image){.descriptor = descriptor};
  image->elf = elf_begin(descriptor, command, NULL);
  /* All of a copy at once: libelf forgets to free sections that were read before. */
  size_t length;
  if (image->elf != NULL && command == ELF_C_READ)
    elf_rawfile(image->elf, &length);
  if (read_headers(image))
    return true;
  image_clear(image);
  return false;
}

bool image_open(struct image *image, int descriptor) {
  return open_as(image, descriptor, ELF_C_READ_MMAP);
}

bool image_open_copy(struct image *image, int descriptor) {
  return open_as(image, descriptor, ELF_C_READ);
}

/* The size of an image in memory: up to the end of its section headers, which stand last. */
static size_t size_of_vdso(const Elf64_Ehdr *header) {
  return header->e_shoff + (size_t)header->e_shentsize * header->e_shnum;
}

bool image_open_vdso(struct image *image) {
  elf_version(EV_CURRENT);
  *image = (struct image){.descriptor = -1};
  uintptr_t base = getauxval(AT_SYSINFO_EHDR);
  const Elf64_Ehdr *header = (const Elf64_Ehdr *)base;
  if (base == 0 || header->e_ident[EI_CLASS] != ELFCLASS64)
    return false;
  image->elf = elf_memory((char *)base, size_of_vdso(header));
  if (read_headers(image))
    return true;
  image_clear(image);
  return false;
}

void image_clear(struct image *image) {
  if (image->elf != NULL)
    elf_end(image->elf);
  if (image->descriptor >= 0)
    close(image->descriptor);
  vector_clear(&image->segments);
  *image = (struct image){.descriptor = -1};
}

bool image_address(const struct image *image, uint64_t offset, uint64_t *address) {
  for (size_t i = 0; i < image->segments.count; i++) {
    const struct image_segment *segment = &image->segments.data[i];
    if (offset < segment->offset || offset - segment->offset >= segment->size)
      continue;
    if (!segment->executable && i + 1 < image->segments.count &&
        image->segments.data[i + 1].offset <= offset)
      continue; /* the next one has the same page, to be executed */
    *address = offset - segment->offset + segment->address;
    return true;
  }
  return false;
}

bool image_offset(const struct image *image, uint64_t address, uint64_t *offset) {
  for (size_t i = 0; i < image->segments.count; i++) {
    const struct image_segment *segment = &image->segments.data[i];
    if (address < segment->address || address - segment->address >= segment->size)
      continue;
    *offset = address - segment->address + segment->offset;
    return true;
  }
  return false;
}

const unsigned char *image_bytes(const struct image *image, uint64_t address, size_t size) {
  size_t length;
  const char *file = elf_rawfile(image->elf, &length);
  for (size_t i = 0; file != NULL && i < image->segments.count; i++) {
    const struct image_segment *segment = &image->segments.data[i];
    if (address < segment->address || address - segment->address > segment->size ||
        segment->size - (address - segment->address) < size)
      continue;
    uint64_t offset = segment->offset + (address - segment->address);
    return offset <= length && length - offset >= size ? (const unsigned char *)file + offset
                                                       : NULL;
  }
  return NULL;
}
