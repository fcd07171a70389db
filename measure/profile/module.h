/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Files that are mapped into processes, each opened once, when the first address in it is sampled:
 * the very file that is mapped, also in a container or when its name is gone, or none at all.
 */
#ifndef MEASURE_PROFILE_MODULE_H
#define MEASURE_PROFILE_MODULE_H

#include "base/vector.h"
#include "measure/profile/cfi.h"
#include "measure/profile/image.h"
#include "measure/profile/tpp_format.h"

enum module_kind {
  MODULE_FILE,
  MODULE_VDSO,
  MODULE_MEMORY, /* no file: code made at run time */
  MODULE_KERNEL,
};

struct module {
  enum module_kind kind;
  char *path;
  uint32_t major, minor;
  uint64_t inode;
  bool looked; /* whether it was tried to open it */
  struct image image;
  struct Dwarf_CFI_s *cfi;
  struct tpp_module about;
};

struct modules {
  VECTOR(struct module *) list; /* stay where they are */
};

/* A mapping of a process, by which a file is found that its path no longer leads to. */
struct module_use {
  uint32_t process;
  uint64_t start, end;
};

/* A file as the kernel names it: two containers may each have one of the same path and inode. */
struct module_file {
  const char *path;
  uint32_t major, minor; /* of its device */
  uint64_t inode;
};

/* The number of the module that a mapping is of. */
uint32_t modules_find(struct modules *modules, const struct module_file *file);
void modules_clear(struct modules *modules);

/* Opens it unless that was tried. */
void module_open(struct module *module, const struct module_use *use);

#endif
