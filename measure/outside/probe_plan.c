/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/outside/probe_plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "measure/outside/socket_site.h"
#include "measure/outside/target_file.h"

bool probe_plan_has_path(const struct outside_site *site) {
  return site->path != NULL;
}

bool probe_plan_waits(const struct outside_site *site) {
  return site->kind == SITE_URETPROBE && !site->each_return;
}

bool probe_plan_keeps_call(const struct outside_site *site) {
  return site->from_entry != 0 || site->begun || socket_keeps_call(site);
}

bool probe_plan_has_socket(const struct outside_site *site) {
  return site->kind == SITE_SOCKET_SEND || site->kind == SITE_SOCKET_RECEIVE;
}

void probe_plan_describe(struct text *text, const struct outside_site *site) {
  switch (site->kind) {
  case SITE_UPROBE:
  case SITE_URETPROBE:
    if (site->symbol != NULL)
      text_append(text, site->symbol);
    if (site->symbol == NULL || site->offset != 0)
      text_format(text, "+0x%" PRIx64, site->offset);
    break;
  case SITE_SYSCALL:
  case SITE_SYSCALL_EXIT:
    text_append(text, site->name);
    break;
  case SITE_USDT:
  case SITE_TRACEPOINT:
    text_format(text, "%s:%s", site->group, site->name);
    break;
  case SITE_SOCKET_SEND:
  case SITE_SOCKET_RECEIVE:
    socket_site_describe(text, site);
    break;
  }
  if (site->kind == SITE_URETPROBE || site->kind == SITE_SYSCALL_EXIT)
    text_append(text, ", at its return");
}

static bool open_events(struct outside_plan *plan, struct text *message) {
  if (plan->events < 0)
    plan->events = tracefs_open(message);
  return plan->events >= 0;
}

static enum status find_socket(struct outside_plan *plan, struct planned_probe *probe,
                               const struct outside_site *site, struct text *message) {
  static const char *const fields[] = {"sk", "family", "protocol", "ret", "flags"};
  bool receives = site->kind == SITE_SOCKET_RECEIVE;
  struct text why = {0};
  if (!open_events(plan, message))
    return STATUS_UNAVAILABLE;
  bool found =
      tracepoint_find(&probe->tracepoint, plan->events, "sock",
                      receives ? "sock_recv_length" : "sock_send_length", &why) == STATUS_OK;
  for (size_t i = 0; found && i < sizeof fields / sizeof *fields; i++)
    found = tracepoint_field(&probe->tracepoint, fields[i]) != NULL;
  text_clear(&why);
  if (found) {
    enum status status = socket_find(&probe->socket, site, message);
    probe->socket.key = plan->key;
    return status != STATUS_OK || !socket_keeps_call(site)
               ? status
               : socket_find_calls(&probe->calls, site, plan->events, message);
  }
  text_append(message,
              "this kernel does not say what sockets send and receive: Linux 6.3 and later "
              "do; probe the system calls instead, as in {syscall: sendto}");
  return STATUS_UNAVAILABLE;
}

static enum status find_tracepoint(struct outside_plan *plan, struct planned_probe *probe,
                                   const struct outside_site *site, struct text *message) {
  char name[128];
  if (!open_events(plan, message))
    return STATUS_UNAVAILABLE;
  if (site->kind == SITE_TRACEPOINT)
    return tracepoint_find(&probe->tracepoint, plan->events, site->group, site->name, message);
  snprintf(name, sizeof name, "%s_%s", site->kind == SITE_SYSCALL ? "sys_enter" : "sys_exit",
           site->name);
  enum status status = tracepoint_find(&probe->tracepoint, plan->events, "syscalls", name, message);
  snprintf(name, sizeof name, "sys_enter_%s", site->name);
  if (status != STATUS_OK || !probe_plan_keeps_call(site))
    return status;
  struct tracepoint entry;
  status = tracepoint_find(&entry, plan->events, "syscalls", name, message);
  unsigned has = 0; /* behind what all tracepoints have, and the number of the call */
  for (size_t i = 0; i < entry.fields.count; i++)
    has += entry.fields.data[i].offset >= 16;
  vector_push(&probe->calls, (struct begun_call){entry.id, CALL_ARGUMENTS});
  tracepoint_clear(&entry);
  if (status == STATUS_OK && site->from_entry > has) {
    text_format(message, "%s has fewer than %u arguments; read another one", site->name,
                site->from_entry);
    return STATUS_DATA;
  }
  return status;
}

enum status probe_plan_make(struct outside_plan *plan, const struct outside_probes *probes,
                            struct text *message) {
  enum status status = STATUS_OK;
  *plan = (struct outside_plan){.probes = probes, .events = -1, .files = target_files_new()};
  if (getrandom(&plan->key, sizeof plan->key, 0) != sizeof plan->key)
    plan->key = (uint64_t)time(NULL);
  plan->key |= 1;
  for (size_t i = 0; status == STATUS_OK && i < probes->list.count; i++) {
    const struct outside_site *site = &probes->sites.data[i];
    struct text why = {0};
    vector_push(&plan->list, (struct planned_probe){.target = {.device = 0}});
    struct planned_probe *probe = &plan->list.data[i];
    if (probe_plan_has_path(site))
      status = target_find_in(&probe->target, site, plan->files, &why);
    else if (probe_plan_has_socket(site))
      status = find_socket(plan, probe, site, &why);
    else
      status = find_tracepoint(plan, probe, site, &why);
    if (status != STATUS_OK)
      text_format(message, "probe %s (line %u): %s", probes->list.data[i].name, site->line,
                  text_get(&why));
    text_clear(&why);
  }
  target_files_rest(plan->files);
  return status;
}

enum status probe_plan_check(const struct outside_plan *plan, struct text *message) {
  const struct target_file *changed = target_files_changed(plan->files);
  if (changed == NULL)
    return STATUS_OK;
  text_format(message,
              "%s: was written while it was looked at: wait until its installation is done, and "
              "start again",
              changed->path);
  return STATUS_DATA;
}

void probe_plan_clear(struct outside_plan *plan) {
  for (size_t i = 0; i < plan->list.count; i++) {
    target_clear(&plan->list.data[i].target);
    tracepoint_clear(&plan->list.data[i].tracepoint);
    vector_clear(&plan->list.data[i].calls);
  }
  vector_clear(&plan->list);
  target_files_free(plan->files);
  plan->files = NULL;
  if (plan->events >= 0)
    close(plan->events);
  plan->events = -1;
}
