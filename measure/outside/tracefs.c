/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/outside/tracefs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

static int open_unmounted(void) {
  int events = -1;
  int system = fsopen("tracefs", FSOPEN_CLOEXEC);
  if (system < 0)
    return -1;
  if (fsconfig(system, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0) {
    int mounted = fsmount(system, FSMOUNT_CLOEXEC, 0);
    if (mounted >= 0) {
      events = openat(mounted, "events", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
      close(mounted);
    }
  }
  close(system);
  return events;
}

int tracefs_open(struct text *message) {
  static const char *const places[] = {"/sys/kernel/tracing/events",
                                       "/sys/kernel/debug/tracing/events"};
  int events = -1;
  for (size_t i = 0; events < 0 && i < sizeof places / sizeof *places; i++)
    events = open(places[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (events < 0)
    events = open_unmounted();
  if (events < 0 && (errno == EMFILE || errno == ENFILE))
    text_format(message,
                "the kernel's tracepoints cannot be read: %s; permit more (`ulimit -n 4096`)",
                strerror(errno));
  else if (events < 0)
    text_append(message, "the kernel's tracepoints cannot be read: run this as root, or mount "
                         "them: mount -t tracefs nodev /sys/kernel/tracing");
  return events;
}

/* At most 64 kB of a file; owned, ends in a NUL; NULL with errno. */
static char *read_file(int events, const char *path) {
  enum { MOST = 1 << 16 };
  int file = openat(events, path, O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return NULL;
  char *bytes = mem_alloc(MOST + 1, 1);
  size_t count = 0;
  for (ssize_t got = 1; got > 0 && count<MOST; count += got> 0 ? (size_t)got : 0)
    got = read(file, bytes + count, MOST - count);
  close(file);
  return bytes;
}

/* "\tfield:TYPE NAME;\toffset:8;\tsize:4;\tsigned:1;" */
static void parse_field(struct tracepoint *tracepoint, char *line) {
  struct tracepoint_field field = {.size = 0};
  char *end = strchr(line, ';');
  int has_sign = 0;
  if (end == NULL ||
      sscanf(end, "; offset:%u; size:%u; signed:%d;", &field.offset, &field.size, &has_sign) != 3)
    return;
  *end = '\0';
  char *bracket = strchr(line, '[');
  field.is_elsewhere = strncmp(line, "__data_loc ", 11) == 0;
  field.is_array = bracket != NULL && !field.is_elsewhere;
  if (field.is_array)
    *bracket = '\0';
  const char *name = strrchr(line, ' ');
  if (name == NULL)
    return;
  field.has_sign = has_sign != 0;
  snprintf(field.name, sizeof field.name, "%s", name + 1);
  vector_push(&tracepoint->fields, field);
}

void tracepoint_parse(struct tracepoint *tracepoint, char *format) {
  for (char *line = format, *next; *line != '\0'; line = next) {
    size_t length = strcspn(line, "\n");
    next = line + length + (line[length] == '\n');
    line[length] = '\0';
    if (strncmp(line, "\tfield:", 7) == 0)
      parse_field(tracepoint, line + 7);
  }
}

enum status tracepoint_find(struct tracepoint *tracepoint, int events, const char *group,
                            const char *name, struct text *message) {
  char path[300];
  enum status status = STATUS_DATA;
  *tracepoint = (struct tracepoint){0};
  snprintf(path, sizeof path, "%s/%s/id", group, name);
  char *id = read_file(events, path);
  snprintf(path, sizeof path, "%s/%s/format", group, name);
  char *format = id == NULL ? NULL : read_file(events, path);
  if (format != NULL) {
    tracepoint->id = (unsigned)strtoul(id, NULL, 10);
    tracepoint_parse(tracepoint, format);
  } else if (errno == EMFILE || errno == ENFILE) {
    text_format(message, "%s:%s cannot be looked up: %s; permit more (`ulimit -n 4096`)", group,
                name, strerror(errno));
    status = STATUS_UNAVAILABLE;
  } else if (strcmp(group, "syscalls") == 0) {
    text_format(message,
                "this kernel has no system call %s to be traced; write its name as in `man 2 "
                "syscalls`, as in pwrite64 or sendto",
                strchr(strchr(name, '_') + 1, '_') + 1);
  } else {
    text_format(message, "this kernel has no tracepoint %s:%s; /sys/kernel/tracing/events has them",
                group, name);
  }
  status = format != NULL ? STATUS_OK : status;
  mem_free(id);
  mem_free(format);
  return status;
}

const struct tracepoint_field *tracepoint_field(const struct tracepoint *tracepoint,
                                                const char *name) {
  for (size_t i = 0; i < tracepoint->fields.count; i++)
    if (strcmp(tracepoint->fields.data[i].name, name) == 0)
      return &tracepoint->fields.data[i];
  return NULL;
}

void tracepoint_clear(struct tracepoint *tracepoint) {
  vector_clear(&tracepoint->fields);
}
