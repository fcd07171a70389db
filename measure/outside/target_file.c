/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/outside/target_file.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct target_files {
  VECTOR(struct target_file *) list;
};

static unsigned machine_of(const struct image *image) {
  GElf_Ehdr header;
  return gelf_getehdr(image->elf, &header) == NULL ? EM_NONE : header.e_machine;
}

bool target_file_is_wide(const struct target_file *file) {
  return machine_of(&file->image) == EM_X86_64;
}

static int64_t written_ns(const struct stat *about) {
  return (int64_t)about->st_mtim.tv_sec * 1000000000 + about->st_mtim.tv_nsec;
}

static enum status open_file(struct target_file *file, const char *path, struct text *message) {
  struct stat about;
  int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0 || fstat(descriptor, &about) != 0) {
    text_format(
        message,
        "%s: cannot be read: %s; name the program or library as it is installed (of a process in a "
        "container give --pid PID, or name /proc/PID/root/PATH or /proc/PID/exe)",
        path, strerror(errno));
    return STATUS_NO_INPUT;
  }
  file->descriptor = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  file->device = about.st_dev;
  file->inode = about.st_ino;
  file->size = (uint64_t)about.st_size;
  file->changed_ns = written_ns(&about);
  if (!image_open_copy(&file->image, descriptor)) {
    text_format(message,
                "%s: is no program or library (ELF); a script has no functions, name its "
                "interpreter",
                path);
    return STATUS_DATA;
  }
  unsigned machine = machine_of(&file->image);
  if (machine == EM_X86_64 || machine == EM_386)
    return STATUS_OK;
  text_format(message,
              "%s: is for another processor (ELF machine %u), and probes are for x86-64; name the "
              "file that runs on this machine",
              path, machine);
  return STATUS_DATA;
}

static void rest(struct target_file *file) {
  code_map_free(file->map);
  file->map = NULL;
  code_starts_clear(&file->starts);
  file->has_starts = false;
  image_clear(&file->image);
}

static void free_file(struct target_file *file) {
  rest(file);
  if (file->descriptor >= 0)
    close(file->descriptor);
  mem_free(file->path);
  mem_free(file);
}

struct target_file *target_files_open(struct target_files *files, const char *path,
                                      enum status *status, struct text *message) {
  *status = STATUS_OK;
  for (size_t i = 0; i < files->list.count; i++)
    if (strcmp(files->list.data[i]->path, path) == 0)
      return files->list.data[i];
  struct target_file *file = mem_alloc(1, sizeof *file);
  *file = (struct target_file){
      .path = mem_copy_text(path, strlen(path)), .descriptor = -1, .image = {.descriptor = -1}};
  *status = open_file(file, path, message);
  if (*status == STATUS_OK) {
    vector_push(&files->list, file);
    return file;
  }
  free_file(file);
  return NULL;
}

struct target_files *target_files_new(void) {
  struct target_files *files = mem_alloc(1, sizeof *files);
  *files = (struct target_files){{0}};
  return files;
}

void target_files_rest(struct target_files *files) {
  for (size_t i = 0; i < files->list.count; i++)
    rest(files->list.data[i]);
}

void target_files_free(struct target_files *files) {
  if (files == NULL)
    return;
  for (size_t i = 0; i < files->list.count; i++)
    free_file(files->list.data[i]);
  vector_clear(&files->list);
  mem_free(files);
}

const struct code_starts *target_file_starts(struct target_file *file) {
  if (!file->has_starts)
    code_starts_load(&file->starts, &file->image, file->path);
  file->has_starts = true;
  return &file->starts;
}

const struct code_map *target_file_map(struct target_file *file) {
  if (file->map == NULL)
    file->map = code_map_new(&file->image, target_file_starts(file));
  return file->map;
}

static bool is_changed(const struct target_file *file) {
  struct stat about;
  return fstat(file->descriptor, &about) != 0 || (uint64_t)about.st_size != file->size ||
         written_ns(&about) != file->changed_ns;
}

const struct target_file *target_files_changed(const struct target_files *files) {
  for (size_t i = 0; i < files->list.count; i++)
    if (is_changed(files->list.data[i]))
      return files->list.data[i];
  return NULL;
}
