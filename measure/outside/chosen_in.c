/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/outside/chosen_in.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { AT_ONCE = 65536, LARGEST = 64 << 20 };

/* A line of /proc/PID/maps. */
struct mapped_range {
  unsigned long long start, end, offset, inode;
  char rights[8];
};

static bool next_mapping(struct mapped_range *mapping, FILE *maps) {
  char line[4352];
  while (fgets(line, sizeof line, maps) != NULL)
    if (sscanf(line, "%llx-%llx %7s %llx %*s %llu", &mapping->start, &mapping->end, mapping->rights,
               &mapping->offset, &mapping->inode) == 5)
      return true;
  return false;
}

struct choosing {
  const chooser_list *list;
  uint64_t at[CHOOSER_MOST]; /* of each choice, in the process; 0: not there */
  size_t found;              /* SIZE_MAX: none yet */
  bool several;
};

/* Where the choices stand in the process. */
static void find_places(struct choosing *c, const struct image *image, FILE *maps) {
  struct stat about;
  struct mapped_range mapping;
  if (fstat(image->descriptor, &about) != 0)
    return;
  while (next_mapping(&mapping, maps))
    for (size_t i = 0; i < c->list->count && mapping.inode == about.st_ino; i++) {
      uint64_t offset;
      if (strchr(mapping.rights, 'x') != NULL &&
          image_offset(image, c->list->data[i].address, &offset) && offset >= mapping.offset &&
          offset - mapping.offset < mapping.end - mapping.start)
        c->at[i] = mapping.start + (offset - mapping.offset);
    }
}

static void look_at(struct choosing *c, const uint64_t *words, size_t count) {
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; words[i] != 0 && k < c->list->count; k++) {
      if (words[i] != c->at[k])
        continue;
      c->several = c->several || (c->found != SIZE_MAX && c->found != k);
      c->found = k;
    }
}

static void look_through(struct choosing *c, int memory, const struct mapped_range *mapping) {
  uint64_t words[AT_ONCE / sizeof(uint64_t)];
  for (uint64_t at = mapping->start; at < mapping->end; at += AT_ONCE) {
    size_t length = mapping->end - at < AT_ONCE ? (size_t)(mapping->end - at) : AT_ONCE;
    ssize_t got = pread(memory, words, length, (off_t)at);
    if (got <= 0)
      return;
    look_at(c, words, (size_t)got / sizeof *words);
  }
}

const struct chooser_choice *chosen_in(const chooser_list *list, const struct image *image,
                                       uint32_t process) {
  struct choosing c = {.list = list, .found = SIZE_MAX};
  struct mapped_range mapping;
  char path[64];
  snprintf(path, sizeof path, "/proc/%u/mem", process);
  int memory = open(path, O_RDONLY | O_CLOEXEC);
  snprintf(path, sizeof path, "/proc/%u/maps", process);
  FILE *maps = fopen(path, "re");
  if (memory >= 0 && maps != NULL) {
    find_places(&c, image, maps);
    rewind(maps);
    while (next_mapping(&mapping, maps))
      if (mapping.inode != 0 && strchr(mapping.rights, 'x') == NULL && mapping.rights[0] == 'r' &&
          mapping.end - mapping.start <= LARGEST)
        look_through(&c, memory, &mapping);
  }
  if (maps != NULL)
    fclose(maps);
  if (memory >= 0)
    close(memory);
  return c.found == SIZE_MAX || c.several ? NULL : &list->data[c.found];
}
