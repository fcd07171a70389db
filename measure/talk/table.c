/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/talk/table.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "measure/talk/exchange.h"

/* --- processes --- */

static char *read_command(uint32_t process) {
  char path[64], bytes[4096];
  snprintf(path, sizeof path, "/proc/%" PRIu32 "/cmdline", process);
  FILE *file = fopen(path, "re");
  if (file == NULL)
    return NULL;
  size_t length = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  for (size_t i = 0; i < length; i++)
    if (bytes[i] == '\0' || bytes[i] == '\n')
      bytes[i] = ' ';
  return mem_copy_text(bytes, length);
}

/* The fourth word of /proc/PID/stat, behind the name in parentheses, which may hold anything. */
static uint32_t read_parent(uint32_t process) {
  char path[64], bytes[512];
  snprintf(path, sizeof path, "/proc/%" PRIu32 "/stat", process);
  FILE *file = fopen(path, "re");
  if (file == NULL)
    return 0;
  size_t length = fread(bytes, 1, sizeof bytes - 1, file);
  fclose(file);
  bytes[length] = '\0';
  const char *behind = strrchr(bytes, ')');
  return behind == NULL || strlen(behind) < 5 ? 0 : (uint32_t)strtoul(behind + 4, NULL, 10);
}

static uint64_t read_space(uint32_t process) {
  char path[64];
  struct stat about;
  snprintf(path, sizeof path, "/proc/%" PRIu32 "/ns/net", process);
  return stat(path, &about) == 0 ? (uint64_t)about.st_ino : 0;
}

static bool next_number(uint32_t *number, DIR *folder) {
  for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    char *end;
    unsigned long value = strtoul(entry->d_name, &end, 10);
    if (*end == '\0' && value != 0) {
      *number = (uint32_t)value;
      return true;
    }
  }
  return false;
}

static void look_at_processes(struct talk_table *table) {
  DIR *folder = opendir("/proc");
  uint32_t id;
  while (folder != NULL && next_number(&id, folder)) {
    char *command = read_command(id);
    if (command == NULL || *command == '\0') { /* gone, or one of the kernel's */
      mem_free(command);
      continue;
    }
    vector_push(&table->processes, (struct talk_process){.id = id,
                                                         .parent = read_parent(id),
                                                         .space = read_space(id),
                                                         .command = command});
  }
  if (folder != NULL)
    closedir(folder);
}

/* --- sockets of a network namespace --- */

struct space_sockets {
  VECTOR(struct talk_socket) list; /* of no process yet */
};

/* "  0: 0100007F:0CEA 00000000:0000 0A ..." of tcp, tcp6, udp and udp6. */
static void read_ports(struct space_sockets *sockets, uint32_t process, const char *name,
                       bool is_udp) {
  enum { ESTABLISHED = 1, LISTEN = 10 };
  char path[64], line[512], remote_address[33];
  snprintf(path, sizeof path, "/proc/%" PRIu32 "/net/%s", process, name);
  FILE *file = fopen(path, "re");
  while (file != NULL && fgets(line, sizeof line, file) != NULL) {
    unsigned local, remote, state;
    uint64_t inode;
    if (sscanf(line, " %*u: %*32[0-9A-F]:%x %32[0-9A-F]:%x %x %*x:%*x %*x:%*x %*x %*u %*u %" SCNu64,
               &local, remote_address, &remote, &state, &inode) != 5 ||
        inode == 0 || (!is_udp && state != ESTABLISHED && state != LISTEN))
      continue;
    struct talk_socket socket = {.kind = is_udp            ? TALK_UDP
                                         : state == LISTEN ? TALK_LISTENS
                                                           : TALK_CONNECTED,
                                 .inode = inode,
                                 .local = (uint16_t)local,
                                 .remote = (uint16_t)remote};
    memcpy(socket.address, remote_address, sizeof socket.address);
    vector_push(&sockets->list, socket);
  }
  if (file != NULL)
    fclose(file);
}

/* "NUM: REFCOUNT PROTOCOL FLAGS TYPE STATE INODE [PATH]"; of those that are connected (3). */
static void read_unix(struct space_sockets *sockets, uint32_t process) {
  char path[64], line[512];
  snprintf(path, sizeof path, "/proc/%" PRIu32 "/net/unix", process);
  FILE *file = fopen(path, "re");
  while (file != NULL && fgets(line, sizeof line, file) != NULL) {
    unsigned state;
    uint64_t inode;
    char name[256] = "";
    if (sscanf(line, "%*[^:]: %*x %*x %*x %*x %x %" SCNu64 " %255s", &state, &inode, name) < 2 ||
        state != 3)
      continue;
    vector_push(&sockets->list, (struct talk_socket){.kind = TALK_UNIX,
                                                     .inode = inode,
                                                     .path = mem_copy_text(name, strlen(name))});
  }
  if (file != NULL)
    fclose(file);
}

static int by_inode(const void *a, const void *b) {
  const struct talk_socket *one = a, *other = b;
  return one->inode < other->inode ? -1 : one->inode > other->inode;
}

static const struct talk_socket *find_inode(const struct space_sockets *sockets, uint64_t inode) {
  struct talk_socket wanted = {.inode = inode};
  return sockets->list.count == 0 ? NULL
                                  : bsearch(&wanted, sockets->list.data, sockets->list.count,
                                            sizeof *sockets->list.data, by_inode);
}

static void add_sockets_of(struct talk_table *table, const struct space_sockets *sockets,
                           uint32_t process) {
  char path[64], target[64];
  uint64_t inode;
  snprintf(path, sizeof path, "/proc/%" PRIu32 "/fd", process);
  DIR *folder = opendir(path);
  for (const struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
    ssize_t length = readlinkat(dirfd(folder), entry->d_name, target, sizeof target - 1);
    if (length <= 0)
      continue;
    target[length] = '\0';
    if (sscanf(target, "socket:[%" SCNu64 "]", &inode) != 1)
      continue;
    const struct talk_socket *socket = find_inode(sockets, inode);
    if (socket == NULL)
      continue;
    struct talk_socket mine = *socket;
    mine.process = process;
    mine.path = socket->path == NULL ? NULL : mem_copy_text(socket->path, strlen(socket->path));
    vector_push(&table->sockets, mine);
  }
  if (folder != NULL)
    closedir(folder);
}

static void look_at_space(struct talk_table *table, uint64_t space, uint32_t process) {
  struct space_sockets sockets = {0};
  read_ports(&sockets, process, "tcp", false);
  read_ports(&sockets, process, "tcp6", false);
  read_ports(&sockets, process, "udp", true);
  read_ports(&sockets, process, "udp6", true);
  read_unix(&sockets, process);
  if (sockets.list.count != 0)
    qsort(sockets.list.data, sockets.list.count, sizeof *sockets.list.data, by_inode);
  for (size_t i = 0; i < table->processes.count; i++)
    if (table->processes.data[i].space == space)
      add_sockets_of(table, &sockets, table->processes.data[i].id);
  for (size_t i = 0; i < sockets.list.count; i++)
    mem_free(sockets.list.data[i].path);
  vector_clear(&sockets.list);
}

/* --- the table --- */

static void inherit(struct talk_table *table) {
  for (bool more = true; more;) {
    more = false;
    for (size_t i = 0; i < table->processes.count; i++) {
      struct talk_process *one = &table->processes.data[i];
      const struct talk_process *parent = talk_table_process(table, one->parent);
      if (!one->asked && parent != NULL && parent->asked) {
        one->asked = true;
        more = true;
      }
    }
  }
}

void talk_table_look(struct talk_table *table) {
  struct talk_table before = *table;
  *table = (struct talk_table){0};
  look_at_processes(table);
  for (size_t i = 0; i < table->processes.count; i++) {
    const struct talk_process *one = &table->processes.data[i];
    bool seen = one->space == 0;
    for (size_t k = 0; k < i && !seen; k++)
      seen = table->processes.data[k].space == one->space;
    if (!seen)
      look_at_space(table, one->space, one->id);
  }
  for (size_t i = 0; i < before.processes.count; i++) {
    struct talk_process *now = talk_table_process(table, before.processes.data[i].id);
    if (now != NULL) {
      now->asked = before.processes.data[i].asked;
      now->since_ns = before.processes.data[i].since_ns;
    }
  }
  inherit(table);
  talk_table_clear(&before);
}

void talk_table_clear(struct talk_table *table) {
  for (size_t i = 0; i < table->processes.count; i++)
    mem_free(table->processes.data[i].command);
  for (size_t i = 0; i < table->sockets.count; i++)
    mem_free(table->sockets.data[i].path);
  vector_clear(&table->processes);
  vector_clear(&table->sockets);
}

struct talk_process *talk_table_process(const struct talk_table *table, uint32_t process) {
  for (size_t i = 0; i < table->processes.count; i++)
    if (table->processes.data[i].id == process)
      return &table->processes.data[i];
  return NULL;
}

bool talk_table_ask(struct talk_table *table, uint32_t process) {
  struct talk_process *one = talk_table_process(table, process);
  if (one == NULL)
    return false;
  one->asked = true;
  inherit(table);
  return true;
}

void talk_table_peers(const struct talk_table *table, uint16_t local, uint16_t remote,
                      talk_found *found, void *context) {
  for (size_t i = 0; i < table->sockets.count; i++) {
    const struct talk_socket *one = &table->sockets.data[i];
    bool other_end = one->kind == TALK_CONNECTED && one->local == remote && one->remote == local;
    if (other_end || (one->kind == TALK_LISTENS && one->local == remote))
      found(context, one->process);
  }
}

bool talk_table_listens(const struct talk_table *table, uint16_t port, uint32_t process) {
  for (size_t i = 0; i < table->sockets.count; i++) {
    const struct talk_socket *one = &table->sockets.data[i];
    if (one->kind == TALK_LISTENS && one->local == port &&
        (process == 0 || one->process == process))
      return true;
  }
  return false;
}
