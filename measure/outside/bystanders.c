/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/outside/bystanders.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "measure/profile/image.h"
#include "measure/profile/tasks.h"

/* How a file that processes use switches stacks. */
struct stack_use {
  char switches[64]; /* "": it does not, as far as is known */
  bool signals;      /* handlers of signals have a stack of their own */
};

struct used_file {
  uint64_t inode;
  struct stack_use stacks;
};

struct bystanders {
  const struct outside_plan *plan;
  const uint32_t *named;
  size_t named_count;
  VECTOR(struct used_file) known;
  int seccomp; /* -1: not asked yet; else whether filters see returns */
  struct text *message;
};

/* --- what a process is --- */

static void name_of(char *name, size_t size, uint32_t process) {
  tasks_name(name, size, process, process);
}

/* By its program: valgrind's tools are named TOOL-amd64-linux. */
static bool is_translator(uint32_t process) {
  static const char *const names[] = {"qemu-", "valgrind", "drrun", "pinbin", "box64", "runsc"};
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/%u/exe", process);
  ssize_t length = readlink(link, path, sizeof path - 1);
  path[length < 0 ? 0 : length] = '\0';
  const char *slash = strrchr(path, '/');
  const char *name = slash == NULL ? path : slash + 1;
  if (strstr(path, "/valgrind/") != NULL || strstr(name, "-amd64-linux") != NULL)
    return true;
  if (strncmp(name, "qemu-system-", strlen("qemu-system-")) == 0)
    return false; /* it translates the disks' programs, and uses no files of this system */
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strncmp(name, names[i], strlen(names[i])) == 0)
      return true;
  return false;
}

/* A number in hexadecimal of /proc/PID/status. */
static uint64_t status_of(uint32_t process, const char *key) {
  char path[64], line[256];
  uint64_t value = 0;
  snprintf(path, sizeof path, "/proc/%u/status", process);
  FILE *status = fopen(path, "re");
  while (status != NULL && fgets(line, sizeof line, status) != NULL)
    if (strncmp(line, key, strlen(key)) == 0)
      value = strtoull(line + strlen(key), NULL, 16);
  if (status != NULL)
    fclose(status);
  return value;
}

/* Whether it handles other signals than those of its own mistakes, after which it ends. */
static bool handles_signals(uint32_t process) {
  static const int mistakes[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS};
  uint64_t handled = status_of(process, "SigCgt:");
  for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++)
    handled &= ~(UINT64_C(1) << (mistakes[i] - 1));
  handled &= UINT64_C(0x7fffffff); /* the C library's own are not on such a stack */
  return handled != 0;
}

/* --- what it uses --- */

struct mapped_line {
  uint64_t inode;
  char range[40]; /* as in /proc/PID/map_files */
  bool executed;
};

static bool read_line(struct mapped_line *line, const char *text) {
  char rights[8];
  unsigned long long inode;
  int read = sscanf(text, "%39s %7s %*s %*s %llu", line->range, rights, &inode);
  line->inode = read == 3 ? inode : 0;
  line->executed = read == 3 && strchr(rights, 'x') != NULL;
  return line->inode != 0;
}

static void read_stacks(struct stack_use *use, const char *path) {
  struct image image;
  int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  *use = (struct stack_use){.signals = false};
  if (descriptor < 0 || !image_open(&image, descriptor))
    return;
  const char *name = stacks_switched_by(&image);
  snprintf(use->switches, sizeof use->switches, "%s", name == NULL ? "" : name);
  use->signals = stacks_for_signals(&image);
  image_clear(&image);
}

static const struct stack_use *stacks_of(struct bystanders *all, uint32_t process,
                                         const struct mapped_line *line) {
  for (size_t i = 0; i < all->known.count; i++)
    if (all->known.data[i].inode == line->inode)
      return &all->known.data[i].stacks;
  char path[128];
  struct used_file file = {.inode = line->inode};
  snprintf(path, sizeof path, "/proc/%u/map_files/%s", process, line->range);
  read_stacks(&file.stacks, path);
  vector_push(&all->known, file);
  return &all->known.data[all->known.count - 1].stacks;
}

/* What of a process matters, by its maps. */
struct process_look {
  bool any, returns; /* one of them; one that is waited for at its return */
  uint32_t probe;    /* the first of the latter, or of them */
  struct stack_use stacks;
};

static bool is_named(const struct bystanders *all, uint32_t process) {
  for (size_t i = 0; i < all->named_count; i++)
    if (all->named[i] == process)
      return true;
  return false;
}

static void note_probes(const struct bystanders *all, struct process_look *look, uint32_t process,
                        uint64_t inode) {
  const struct outside_probes *probes = all->plan->probes;
  for (uint32_t i = 0; i < all->plan->list.count; i++) {
    const struct outside_site *site = &probes->sites.data[i];
    bool waits = probe_plan_waits(site) && !site->nested;
    if (!probe_plan_has_path(site) || all->plan->list.data[i].target.inode != inode ||
        (site->named && !is_named(all, process)))
      continue;
    if (!look->any || (waits && !look->returns))
      look->probe = i;
    look->any = true;
    look->returns = look->returns || waits;
  }
}

static void look_at(struct bystanders *all, struct process_look *look, uint32_t process) {
  char name[64], text[4352];
  struct mapped_line line;
  *look = (struct process_look){.any = false};
  snprintf(name, sizeof name, "/proc/%u/maps", process);
  FILE *maps = fopen(name, "re");
  while (maps != NULL && fgets(text, sizeof text, maps) != NULL)
    if (read_line(&line, text))
      note_probes(all, look, process, line.inode);
  if (maps != NULL && look->returns) {
    rewind(maps);
    while (look->stacks.switches[0] == '\0' && fgets(text, sizeof text, maps) != NULL)
      if (read_line(&line, text) && line.executed) {
        const struct stack_use *use = stacks_of(all, process, &line);
        memcpy(look->stacks.switches, use->switches, sizeof use->switches);
        look->stacks.signals = look->stacks.signals || use->signals;
      }
  }
  if (maps != NULL)
    fclose(maps);
}

/* --- what is refused --- */

static enum status refuse(const struct bystanders *all, const struct process_look *look,
                          uint32_t process, const char *what, const char *remedy) {
  char name[32];
  name_of(name, sizeof name, process);
  text_format(all->message, "probe %s (line %u): process %u (%s) uses %s and %s; %s",
              all->plan->probes->list.data[look->probe].name,
              all->plan->probes->sites.data[look->probe].line, process, name,
              all->plan->probes->sites.data[look->probe].path, what, remedy);
  return STATUS_DATA;
}

static const char elsewhere[] =
    "returns: each puts a probe on each return instruction instead; or keep to other processes, "
    "with --pid and children: no; or say returns: nested, if what is probed returns in order";

/* What a program does with stacks that a uretprobe would crash; NULL. */
static const char *harm_of(char *what, size_t size, const struct stack_use *use, bool signals) {
  if (use->switches[0] != '\0')
    snprintf(what, size,
             "switches stacks (%s), so that functions do not return in the order in which they "
             "were called, and a uretprobe would crash it",
             use->switches);
  else if (use->signals && signals)
    snprintf(what, size,
             "gives signal handlers a stack of their own (sigaltstack): where one calls what is "
             "probed, a uretprobe would crash it");
  else
    return NULL;
  return what;
}

static enum status check_process(struct bystanders *all, uint32_t process) {
  struct process_look look;
  char what[256];
  look_at(all, &look, process);
  if (look.any && is_translator(process))
    return refuse(all, &look, process,
                  "translates it for the processor: it would take the probe for an instruction of "
                  "the program, which would die of it",
                  "end it first, or keep to other processes, with --pid and children: no");
  bool signals = is_named(all, process) && handles_signals(process);
  if (harm_of(what, sizeof what, &look.stacks, signals) != NULL)
    return refuse(all, &look, process, what, elsewhere);
  if (!look.returns || status_of(process, "Seccomp:") == 0)
    return STATUS_OK;
  if (all->seccomp < 0)
    all->seccomp = seccomp_sees(335 /* uretprobe */);
  return all->seccomp == 0
             ? STATUS_OK
             : refuse(all, &look, process,
                      "has a seccomp filter, which on this kernel sees the system call that ends a "
                      "uretprobe, and may kill it",
                      elsewhere);
}

static bool has_files(const struct outside_plan *plan) {
  for (size_t i = 0; i < plan->list.count; i++)
    if (probe_plan_has_path(&plan->probes->sites.data[i]))
      return true;
  return false;
}

enum status bystanders_check(const struct outside_plan *plan, const uint32_t *named, size_t count,
                             struct text *message) {
  struct bystanders all = {
      .plan = plan, .named = named, .named_count = count, .seccomp = -1, .message = message};
  task_ids processes = {0};
  enum status status = STATUS_OK;
  if (has_files(plan))
    tasks_all(&processes);
  for (size_t i = 0; status == STATUS_OK && i < processes.count; i++)
    if (processes.data[i] != (uint32_t)getpid())
      status = check_process(&all, processes.data[i]);
  vector_clear(&processes);
  vector_clear(&all.known);
  return status;
}

static bool find_program(char *path, size_t size, const char *program) {
  const char *places = getenv("PATH");
  snprintf(path, size, "%s", program);
  if (strchr(program, '/') != NULL)
    return true;
  for (const char *at = places; at != NULL && *at != '\0'; at += *at == ':') {
    size_t length = strcspn(at, ":");
    snprintf(path, size, "%.*s/%s", (int)length, at, program);
    if (access(path, X_OK) == 0)
      return true;
    at += length;
  }
  return false;
}

enum status bystanders_check_program(const struct outside_plan *plan, const char *program,
                                     struct text *message) {
  char path[4096], what[256];
  struct stack_use use;
  for (size_t i = 0; i < plan->list.count; i++) {
    const struct outside_site *site = &plan->probes->sites.data[i];
    if (!probe_plan_waits(site) || site->nested || !find_program(path, sizeof path, program))
      continue;
    read_stacks(&use, path);
    if (harm_of(what, sizeof what, &use, true) == NULL)
      return STATUS_OK;
    text_format(message, "probe %s (line %u): %s %s; %s", plan->probes->list.data[i].name,
                site->line, path, what, elsewhere);
    return STATUS_DATA;
  }
  return STATUS_OK;
}
