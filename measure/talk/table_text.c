/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of processes and sockets as text, and back.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "measure/talk/table.h"
#include "measure/talk/exchange.h"

static const char *const kinds[] = {[TALK_LISTENS] = "listens",
                                    [TALK_CONNECTED] = "connected",
                                    [TALK_UDP] = "udp",
                                    [TALK_UNIX] = "unix"};
enum { KINDS = sizeof kinds / sizeof *kinds };

void talk_table_write(struct text *text, const struct talk_table *table) {
  for (size_t i = 0; i < table->processes.count; i++) {
    const struct talk_process *one = &table->processes.data[i];
    text_format(text, "process %" PRIu32 " %" PRIu32 " %" PRIu64 " %" PRIu64 " %s %s\n", one->id,
                one->parent, one->space, one->since_ns, one->asked ? "asked" : "met", one->command);
  }
  for (size_t i = 0; i < table->sockets.count; i++) {
    const struct talk_socket *one = &table->sockets.data[i];
    text_format(text, "%s %" PRIu32 " %" PRIu64, kinds[one->kind], one->process, one->inode);
    if (one->kind == TALK_UNIX)
      text_format(text, " %s\n", one->path);
    else
      text_format(text, " %u %u\n", one->local, one->remote);
  }
}

static bool parse_process(struct talk_table *table, const char *line) {
  struct talk_process one = {0};
  char asked[6];
  int behind = 0;
  if (sscanf(line, "process %" SCNu32 " %" SCNu32 " %" SCNu64 " %" SCNu64 " %5s %n", &one.id,
             &one.parent, &one.space, &one.since_ns, asked, &behind) != 5 ||
      behind == 0)
    return false;
  one.asked = strcmp(asked, "asked") == 0;
  one.command = mem_copy_text(line + behind, strlen(line + behind));
  vector_push(&table->processes, one);
  return true;
}

static bool parse_socket(struct talk_table *table, const char *line) {
  struct talk_socket one = {0};
  char kind[12];
  int behind = 0;
  if (sscanf(line, "%11s %" SCNu32 " %" SCNu64 " %n", kind, &one.process, &one.inode, &behind) !=
          3 ||
      behind == 0)
    return false;
  unsigned number = 0;
  while (number < KINDS && strcmp(kinds[number], kind) != 0)
    number++;
  one.kind = (enum talk_kind)number;
  if (number == KINDS || (number != TALK_UNIX && sscanf(line + behind, "%" SCNu16 " %" SCNu16,
                                                        &one.local, &one.remote) != 2))
    return false;
  if (number == TALK_UNIX)
    one.path = mem_copy_text(line + behind, strlen(line + behind));
  vector_push(&table->sockets, one);
  return true;
}

bool talk_table_parse(struct talk_table *table, const char *text, struct text *message) {
  *table = (struct talk_table){0};
  unsigned number = 0;
  while (*text != '\0') {
    size_t length = strcspn(text, "\n");
    char *line = mem_copy_text(text, length);
    bool known = length == 0 || *line == '#' ||
                 (strncmp(line, "process ", 8) == 0 ? parse_process(table, line)
                                                    : parse_socket(table, line));
    mem_free(line);
    number++;
    text += length + (text[length] == '\n');
    if (known)
      continue;
    text_format(message, "line %u is no line of a table of sockets; take it out", number);
    return false;
  }
  return true;
}
