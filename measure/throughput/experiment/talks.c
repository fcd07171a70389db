/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/throughput/experiment/talks.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/vector.h"
#include "measure/throughput/core/poke.h"
#include "measure/throughput/proxy/speech.h"

enum { ESTABLISHED = 1, LISTENING = 10 };

struct end {
  uint8_t address[16]; /* IPv4 as ::ffff:a.b.c.d */
  uint16_t port;
};

struct connection {
  struct end here, there;
  unsigned state;
  uint64_t inode;
  int owner; /* PROCESSORS_OUTSIDE, too, where nobody here has it */
  bool owned;
  char name[16];
};

typedef VECTOR(struct connection) connections;

/* --- the kernel's tables ----------------------------------------------------------------------- */

/* Words of an address are printed as the machine has them. */
static bool read_end(struct end *end, const char *digits, unsigned port) {
  size_t words = strlen(digits) / 8;
  uint8_t *to = end->address + (words == 1 ? 12 : 0);
  if (words != 1 && words != 4)
    return false;
  memset(end->address, 0, sizeof end->address);
  end->address[10] = end->address[11] = words == 1 ? 0xff : 0;
  for (size_t i = 0; i < words; i++) {
    char word[9] = "";
    memcpy(word, digits + 8 * i, 8);
    uint32_t value = (uint32_t)strtoul(word, NULL, 16);
    memcpy(to + 4 * i, &value, 4);
  }
  end->port = (uint16_t)port;
  return true;
}

static void read_table(connections *list, const char *path) {
  FILE *file = fopen(path, "re");
  char line[512], here[33], there[33];
  while (file != NULL && fgets(line, sizeof line, file) != NULL) {
    struct connection one = {.owner = PROCESSORS_OUTSIDE};
    unsigned port_here, port_there;
    if (sscanf(line, " %*u: %32[0-9A-F]:%x %32[0-9A-F]:%x %x %*x:%*x %*x:%*x %*x %*u %*u %" SCNu64,
               here, &port_here, there, &port_there, &one.state, &one.inode) == 6 &&
        read_end(&one.here, here, port_here) && read_end(&one.there, there, port_there) &&
        (one.state == ESTABLISHED || one.state == LISTENING))
      vector_push(list, one);
  }
  if (file != NULL)
    fclose(file);
}

/* --- whose they are ---------------------------------------------------------------------------- */

static int by_inode(const void *left, const void *right) {
  const struct connection *a = left, *b = right;
  return (a->inode > b->inode) - (a->inode < b->inode);
}

static void find_sockets(connections *list, const struct processor_process *process) {
  char path[64], link[64];
  snprintf(path, sizeof path, "/proc/%d/fd", process->id);
  DIR *folder = opendir(path);
  for (const struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
    struct connection key = {0};
    ssize_t length = readlinkat(dirfd(folder), entry->d_name, link, sizeof link - 1);
    link[length < 0 ? 0 : length] = '\0';
    if (sscanf(link, "socket:[%" SCNu64 "]", &key.inode) != 1)
      continue;
    struct connection *found = bsearch(&key, list->data, list->count, sizeof key, by_inode);
    /* one that several have is a service's, if any of them is */
    if (found == NULL || (found->owned && process->owner < 0))
      continue;
    found->owned = true;
    found->owner = process->owner;
    memcpy(found->name, process->name, sizeof found->name);
  }
  if (folder != NULL)
    closedir(folder);
}

static bool same_end(const struct end *a, const struct end *b) {
  return a->port == b->port && memcmp(a->address, b->address, sizeof a->address) == 0;
}

static const struct connection *other_side(const connections *list, const struct connection *one) {
  for (size_t i = 0; i < list->count; i++)
    if (list->data[i].state == ESTABLISHED && same_end(&list->data[i].here, &one->there) &&
        same_end(&list->data[i].there, &one->here))
      return &list->data[i];
  return NULL;
}

/* Who listens there: of a connection that its server has not accepted yet, or has closed, that is all
 * that is known. */
static const struct connection *listener_at(const connections *list, const struct end *end) {
  static const uint8_t any[2][16] = {{0}, {[10] = 0xff, [11] = 0xff}};
  for (size_t i = 0; i < list->count; i++) {
    const struct end *here = &list->data[i].here;
    if (list->data[i].state == LISTENING && here->port == end->port &&
        (same_end(here, end) || memcmp(here->address, any[0], sizeof any[0]) == 0 ||
         memcmp(here->address, any[1], sizeof any[1]) == 0))
      return &list->data[i];
  }
  return NULL;
}

/* Whether somebody listens at the port where it is: then the other side has opened it. */
static bool was_accepted(const connections *list, const struct connection *one) {
  for (size_t i = 0; i < list->count; i++)
    if (list->data[i].state == LISTENING && list->data[i].here.port == one->here.port)
      return true;
  return false;
}

/* --- saying it --------------------------------------------------------------------------------- */

static void print_end(char text[80], const struct end *end) {
  static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};
  char host[INET6_ADDRSTRLEN] = "?";
  bool v4 = memcmp(end->address, mapped, sizeof mapped) == 0;
  inet_ntop(v4 ? AF_INET : AF_INET6, end->address + (v4 ? 12 : 0), host, sizeof host);
  snprintf(text, 80, v4 ? "%s:%u" : "[%s]:%u", host, end->port);
}

/* Once each, as long as there is room. */
static void add(char text[TALKS_TEXT], const char *what) {
  size_t length = strlen(text);
  if (strstr(text, what) == NULL && length + strlen(what) + 3 < TALKS_TEXT)
    snprintf(text + length, TALKS_TEXT - length, "%s%s", length == 0 ? "" : ", ", what);
}

void talks_spoken(struct talks *talks, uint32_t service, uint64_t flags) {
  bool relay = (flags & POKE_RELAYS) != 0;
  for (enum speech_kind kind = SPEECH_TURNS; kind < SPEECH_KINDS; kind++)
    if ((flags >> (POKE_SPOKEN + kind) & 1) != 0)
      add(relay ? talks->relayed[service] : talks->refused[service],
          kind == SPEECH_TLS && !relay ? "TLS" : speech_name(kind));
}

static bool is_unwaited(const struct experiment_plan *plan, const char *address) {
  for (uint32_t i = 0; i < plan->unwaited_count; i++)
    if (strcmp(plan->unwaited[i], address) == 0)
      return true;
  return false;
}

static void judge(struct talks *talks, const struct experiment_plan *plan, const connections *list,
                  const struct connection *one) {
  char address[80], text[140];
  const struct connection *other = other_side(list, one);
  if (other == NULL || !other->owned) {
    const struct connection *listener = listener_at(list, &one->there);
    other = listener != NULL ? listener : other;
  }
  uint32_t service = (uint32_t)one->owner;
  print_end(address, &one->there);
  if (other != NULL && other->owner >= 0 && other->owner < PROCESSORS_POKERS) {
    const struct plan_service *called = &plan->services[other->owner];
    snprintf(text, sizeof text, "%s (%s)", called->name, address);
    if (other->owner != one->owner && (called->proxy != NULL || called->relay != NULL))
      add(talks->past[service], text);
    return;
  }
  if (other != NULL && other->owner >= PROCESSORS_POKERS &&
      other->owner != one->owner + PROCESSORS_POKERS)
    add(talks->inside[service], plan->services[other->owner - PROCESSORS_POKERS].name);
  if ((other != NULL && other->owned && other->owner != PROCESSORS_OUTSIDE) ||
      is_unwaited(plan, address))
    return; /* a proxy, the load, or this program */
  bool named = other != NULL && other->name[0] != '\0';
  snprintf(text, sizeof text, named ? "%s (%s)" : "%s", address, named ? other->name : "");
  add(talks->outside[service], text);
}

void talks_look(struct talks *talks, const struct experiment_plan *plan,
                const struct processor_roots *roots) {
  connections list = {0};
  for (uint32_t s = 0; s < plan->count; s++)
    if (plan->services[s].poker != NULL)
      return;
  struct processor_snapshot *snapshot = processors_look(roots);
  read_table(&list, "/proc/self/net/tcp");
  read_table(&list, "/proc/self/net/tcp6");
  if (list.count != 0)
    qsort(list.data, list.count, sizeof *list.data, by_inode);
  struct processor_process process;
  for (size_t i = 0; processors_process(&process, snapshot, i); i++)
    find_sockets(&list, &process);
  for (size_t i = 0; i < list.count; i++) {
    const struct connection *one = &list.data[i];
    if (one->state == ESTABLISHED && one->owner >= 0 && one->owner < PROCESSORS_POKERS &&
        !was_accepted(&list, one))
      judge(talks, plan, &list, one);
  }
  processors_forget(snapshot);
  vector_clear(&list);
}
