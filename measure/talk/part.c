/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/talk/part.h"

#include <string.h>

#include "base/memory.h"
#include "measure/talk/exchange.h"

/* --- which processes --- */

static const struct talk_process *process_of(const struct talk *talk, uint32_t id) {
  return talk_table_process(&talk->table, id);
}

static bool share_listening(const struct talk_table *table, uint32_t one, uint32_t other,
                            uint16_t port, bool *both) {
  bool first = talk_table_listens(table, port, one),
       second = talk_table_listens(table, port, other);
  *both = first && second;
  for (size_t i = 0; *both && i < table->sockets.count; i++)
    for (size_t k = 0; k < table->sockets.count; k++) {
      const struct talk_socket *a = &table->sockets.data[i], *b = &table->sockets.data[k];
      if (a->kind == TALK_LISTENS && b->kind == TALK_LISTENS && a->process == one &&
          b->process == other && a->inode == b->inode && a->local == port)
        return true;
    }
  return false;
}

/* Whether two processes that are asked at one port play one part. */
static bool is_one_part(const struct talk *talk, uint32_t one, uint32_t other, uint16_t port) {
  const struct talk_process *a = process_of(talk, one), *b = process_of(talk, other);
  bool both;
  if (share_listening(&talk->table, one, other, port, &both))
    return true;
  if (a == NULL || b == NULL)
    return true; /* short-lived ones of a server */
  bool brothers = a->parent > 1 && a->parent == b->parent;
  if (both)
    return brothers && strcmp(a->command, b->command) == 0;
  return brothers || a->parent == b->id || b->parent == a->id;
}

long talk_part_of(const struct talk_parts *parts, uint32_t process) {
  for (size_t i = 0; i < parts->list.count; i++)
    for (size_t k = 0; k < parts->list.data[i].processes.count; k++)
      if (parts->list.data[i].processes.data[k] == process)
        return (long)i;
  return TALK_NONE;
}

static long part_at(const struct talk_parts *parts, const struct talk *talk, uint32_t process,
                    uint16_t port) {
  for (size_t i = 0; i < parts->list.count; i++)
    if (parts->list.data[i].port == port &&
        is_one_part(talk, parts->list.data[i].processes.data[0], process, port))
      return (long)i;
  return TALK_NONE;
}

static const char *command_of(const struct talk *talk, uint32_t process) {
  const struct talk_process *found = process_of(talk, process);
  return found == NULL || found->command == NULL ? "" : found->command;
}

static void add_part(struct talk_parts *parts, const struct talk *talk, uint32_t process,
                     uint16_t port) {
  const char *command = command_of(talk, process);
  struct talk_part part = {.port = port,
                           .program = mem_copy_text(command, talk_program_length(command))};
  vector_push(&part.processes, process);
  vector_push(&parts->list, part);
}

/* Servers first, by port; then those that only ask, by program. */
static void assign(struct talk_parts *parts, const struct talk *talk,
                   const struct talk_exchange *exchange) {
  if (talk_part_of(parts, exchange->process) != TALK_NONE)
    return;
  const char *command = command_of(talk, exchange->process);
  long found = TALK_NONE;
  if (!exchange->asks)
    found = part_at(parts, talk, exchange->process, exchange->port);
  for (size_t i = 0; exchange->asks && found == TALK_NONE && i < parts->list.count; i++)
    if (parts->list.data[i].port == 0 &&
        strncmp(parts->list.data[i].program, command, talk_program_length(command)) == 0 &&
        strlen(parts->list.data[i].program) == talk_program_length(command))
      found = (long)i;
  if (found != TALK_NONE)
    vector_push(&parts->list.data[found].processes, exchange->process);
  else if (parts->list.count < TALK_PARTS)
    add_part(parts, talk, exchange->process, exchange->asks ? 0 : exchange->port);
}

/* --- families --- */

/* Whether some part asks both. */
static bool have_one_caller(const struct talk *talk, long one, long other) {
  bool asks[TALK_PARTS][2] = {{false}};
  for (size_t i = 0; i < talk->exchanges.count; i++) {
    const struct talk_exchange *at = &talk->exchanges.data[i];
    if (at->asks || at->twin == TALK_NONE)
      continue;
    long caller = talk->exchanges.data[at->twin].part;
    if (caller != TALK_NONE && (at->part == one || at->part == other))
      asks[caller][at->part == other] = true;
  }
  for (size_t i = 0; i < TALK_PARTS; i++)
    if (asks[i][0] && asks[i][1])
      return true;
  return false;
}

static void find_families(struct talk_parts *parts, const struct talk *talk) {
  for (size_t i = 0; i < parts->list.count; i++) {
    struct talk_part *part = &parts->list.data[i];
    part->service = TALK_NONE;
    for (size_t k = 0; k < i && part->service == TALK_NONE; k++) {
      const struct talk_part *other = &parts->list.data[k];
      if (part->port != 0 && other->port != 0 && strcmp(part->program, other->program) == 0 &&
          *part->program != '\0' && have_one_caller(talk, (long)i, (long)k))
        part->service = other->service;
    }
    if (part->service == TALK_NONE)
      part->service = (long)parts->services++;
  }
}

void talk_parts_split(struct talk_parts *parts, long service) {
  bool first = true;
  for (size_t i = 0; i < parts->list.count; i++) {
    struct talk_part *part = &parts->list.data[i];
    if (part->service != service)
      continue;
    if (!first)
      part->service = (long)parts->services++;
    first = false;
  }
}

long talk_part_asked(const struct talk_parts *parts, const struct talk *talk,
                     const struct talk_exchange *exchange) {
  if (exchange->twin != TALK_NONE)
    return talk->exchanges.data[exchange->twin].part;
  long found = TALK_NONE;
  for (size_t i = 0; i < parts->list.count; i++)
    if (parts->list.data[i].port == exchange->port) {
      if (found != TALK_NONE)
        return TALK_NONE; /* one of several */
      found = (long)i;
    }
  return found;
}

/* Those that processes of this host ask elsewhere, or whose end was not seen. */
static void add_remote(struct talk_parts *parts, const struct talk *talk) {
  for (size_t i = 0; i < talk->exchanges.count; i++) {
    const struct talk_exchange *exchange = &talk->exchanges.data[i];
    bool known = !exchange->asks || exchange->told == 0;
    for (size_t k = 0; k < parts->list.count && !known; k++)
      known = parts->list.data[k].port == exchange->port;
    if (!known && parts->list.count < TALK_PARTS)
      vector_push(&parts->list, (struct talk_part){.port = exchange->port,
                                                   .serves = true,
                                                   .program = mem_copy_text("", 0)});
  }
}

void talk_parts_make(struct talk_parts *parts, struct talk *talk) {
  *parts = (struct talk_parts){0};
  for (int asks = 0; asks < 2; asks++)
    for (size_t i = 0; i < talk->exchanges.count; i++)
      if (talk->exchanges.data[i].asks == (asks != 0))
        assign(parts, talk, &talk->exchanges.data[i]);
  add_remote(parts, talk);
  for (size_t i = 0; i < talk->exchanges.count; i++) {
    struct talk_exchange *exchange = &talk->exchanges.data[i];
    exchange->part = talk_part_of(parts, exchange->process);
    const struct talk_process *process = process_of(talk, exchange->process);
    if (exchange->part == TALK_NONE)
      continue;
    struct talk_part *part = &parts->list.data[exchange->part];
    part->serves = part->serves || !exchange->asks;
    part->asked = part->asked || (process != NULL && process->asked);
  }
  find_families(parts, talk);
  talk_parts_patterns(parts, &talk->table);
}

void talk_parts_clear(struct talk_parts *parts) {
  for (size_t i = 0; i < parts->list.count; i++) {
    vector_clear(&parts->list.data[i].processes);
    mem_free(parts->list.data[i].program);
    mem_free(parts->list.data[i].pattern);
  }
  vector_clear(&parts->list);
}
