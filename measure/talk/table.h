/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which processes of this host hold which sockets: a look at /proc, in all network namespaces (each
 * of which has its own /proc/PID/net). Of other users' processes only root sees the sockets.
 */
#ifndef MEASURE_TALK_TABLE_H
#define MEASURE_TALK_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "base/vector.h"

enum talk_kind { TALK_LISTENS, TALK_CONNECTED, TALK_UDP, TALK_UNIX };

/* One end of a socket; those that several processes hold stand once for each. */
struct talk_socket {
  enum talk_kind kind;
  uint32_t process;
  uint64_t inode;
  uint16_t local, remote; /* ports; of TALK_UNIX 0 */
  char address[33];       /* of TALK_CONNECTED: the other end's, as /proc has it in hexadecimal */
  char *path;             /* of TALK_UNIX, owned; "": none */
};

struct talk_process {
  uint32_t id, parent;
  uint64_t space;    /* its network namespace, by inode; 0: not known */
  uint64_t since_ns; /* when it was met, and is traced; 0: from the beginning */
  bool asked;        /* the user named it, or a process that started it */
  char *command;     /* its words with a blank behind each, as moments' places see it; owned */
};

struct talk_table {
  VECTOR(struct talk_process) processes;
  VECTOR(struct talk_socket) sockets;
};

/* What there is at this moment; forgets what was in the table, but for `asked` and
 * `since_ns`. */
void talk_table_look(struct talk_table *table);
void talk_table_clear(struct talk_table *table);

/* Marks a process, and what it has started, as asked for. False: there is no such process. */
bool talk_table_ask(struct talk_table *table, uint32_t process);

struct talk_process *talk_table_process(const struct talk_table *table, uint32_t process);

/* The processes at the other end of connections between these two ports; and those that listen on a
 * port. A call for each. */
typedef void talk_found(void *context, uint32_t process);
void talk_table_peers(const struct talk_table *table, uint16_t local, uint16_t remote,
                      talk_found *found, void *context);
bool talk_table_listens(const struct talk_table *table, uint16_t port, uint32_t process);

/* As text, a line for each process and socket, and back. Lines are
 *   process PID PARENT SPACE SINCE asked|met COMMAND
 *   listens|connected|udp PID INODE LOCAL REMOTE
 *   unix PID INODE PATH
 * False with one line in `message`. */
void talk_table_write(struct text *text, const struct talk_table *table);
bool talk_table_parse(struct talk_table *table, const char *text, struct text *message);

#endif
