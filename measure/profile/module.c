/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/profile/module.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char deleted[] = " (deleted)";

static enum module_kind kind_of(const char *path) {
  if (strcmp(path, "[vdso]") == 0)
    return MODULE_VDSO;
  if (strcmp(path, "[kernel]") == 0)
    return MODULE_KERNEL;
  bool memory = path[0] != '/' || strncmp(path, "//", 2) == 0 || strncmp(path, "/memfd:", 7) == 0 ||
                strncmp(path, "/dev/zero", 9) == 0 || strncmp(path, "/SYSV", 5) == 0;
  return memory ? MODULE_MEMORY : MODULE_FILE;
}

/* The path without what the kernel adds when a file's name is gone. */
static size_t length_of(const char *path) {
  size_t length = strlen(path), mark = sizeof deleted - 1;
  return length > mark && strcmp(path + length - mark, deleted) == 0 ? length - mark : length;
}

uint32_t modules_find(struct modules *modules, const struct module_file *given) {
  static const struct module_file memory = {.path = "anon"};
  enum module_kind kind = kind_of(given->path);
  const struct module_file *file = kind == MODULE_MEMORY ? &memory : given;
  size_t length = length_of(file->path);
  for (size_t i = 0; i < modules->list.count; i++) {
    const struct module *module = modules->list.data[i];
    if (module->inode == file->inode && module->major == file->major &&
        module->minor == file->minor && strncmp(module->path, file->path, length) == 0 &&
        module->path[length] == '\0')
      return (uint32_t)i;
  }
  struct module *module = mem_alloc(1, sizeof *module);
  *module = (struct module){.kind = kind,
                            .path = mem_copy_text(file->path, length),
                            .major = file->major,
                            .minor = file->minor,
                            .inode = file->inode};
  module->image.descriptor = -1;
  vector_push(&modules->list, module);
  return (uint32_t)modules->list.count - 1;
}

void modules_clear(struct modules *modules) {
  for (size_t i = 0; i < modules->list.count; i++) {
    struct module *module = modules->list.data[i];
    cfi_free(module->cfi);
    image_clear(&module->image);
    mem_free(module->path);
    mem_free(module);
  }
  vector_clear(&modules->list);
}

/* The descriptor of a regular file if it is the one that is mapped (`surely`: no other can stand
 * there); else -1. */
static int open_same(const char *path, struct module *module, bool surely) {
  struct stat about;
  int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0)
    return -1;
  if (fstat(descriptor, &about) != 0 || !S_ISREG(about.st_mode) ||
      (!surely && about.st_ino != module->inode)) {
    close(descriptor);
    return -1;
  }
  module->about.size = (uint64_t)about.st_size;
  module->about.written = about.st_mtim.tv_sec * INT64_C(1000000000) + about.st_mtim.tv_nsec;
  return descriptor;
}

static int open_file(struct module *module, const struct module_use *use) {
  char path[4200];
  snprintf(path, sizeof path, "/proc/%u/root%s", use->process, module->path);
  int descriptor = open_same(path, module, false);
  if (descriptor < 0)
    descriptor = open_same(module->path, module, false);
  if (descriptor < 0) {
    snprintf(path, sizeof path, "/proc/%u/map_files/%llx-%llx", use->process,
             (unsigned long long)use->start, (unsigned long long)use->end);
    descriptor = open_same(path, module, true);
  }
  return descriptor;
}

void module_open(struct module *module, const struct module_use *use) {
  if (module->looked)
    return;
  module->looked = true;
  bool opened = false;
  if (module->kind == MODULE_VDSO)
    opened = image_open_vdso(&module->image);
  if (module->kind == MODULE_FILE) {
    int descriptor = open_file(module, use);
    opened = descriptor >= 0 && image_open(&module->image, descriptor);
  }
  if (opened) {
    module->cfi = cfi_new(&module->image);
    snprintf(module->about.build_id, sizeof module->about.build_id, "%s", module->image.build_id);
  }
}
