/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/profile/debug_file.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <string.h>

static bool open_at(struct image *debug, const struct image *image, const char *path) {
  int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0 || !image_open(debug, descriptor))
    return false;
  if (strcmp(debug->build_id, image->build_id) == 0)
    return true;
  image_clear(debug);
  return false;
}

/* The name in .gnu_debuglink, or NULL. */
static const char *find_link(const struct image *image) {
  size_t names;
  Elf_Scn *section = NULL;
  if (elf_getshdrstrndx(image->elf, &names) != 0)
    return NULL;
  while ((section = elf_nextscn(image->elf, section)) != NULL) {
    GElf_Shdr header;
    const char *name = gelf_getshdr(section, &header) == NULL
                           ? NULL
                           : elf_strptr(image->elf, names, header.sh_name);
    if (name == NULL || strcmp(name, ".gnu_debuglink") != 0)
      continue;
    Elf_Data *data = elf_getdata(section, NULL);
    bool whole = data != NULL && data->d_buf != NULL && memchr(data->d_buf, '\0', data->d_size);
    return whole ? data->d_buf : NULL;
  }
  return NULL;
}

bool debug_file_open(struct image *debug, const struct image *image, const char *path) {
  static const char *const places[] = {"%.*s/%s", "%.*s/.debug/%s", "/usr/lib/debug%.*s/%s"};
  char at[4400];
  *debug = (struct image){.descriptor = -1};
  if (image->build_id[0] == '\0')
    return false;
  snprintf(at, sizeof at, "/usr/lib/debug/.build-id/%.2s/%s.debug", image->build_id,
           image->build_id + 2);
  if (open_at(debug, image, at))
    return true;
  const char *link = find_link(image), *slash = strrchr(path, '/');
  int folder = slash == NULL ? 0 : (int)(slash - path);
  for (size_t i = 0; link != NULL && strchr(link, '/') == NULL && i < 3; i++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(at, sizeof at, places[i], folder, path, link);
#pragma GCC diagnostic pop
    if (open_at(debug, image, at))
      return true;
  }
  return false;
}
