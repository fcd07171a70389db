/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `tailproof record --node --pid PID`: the program that records a Node.js process which runs already.
 */
#ifndef CLI_COMMAND_NODE_ATTACH_H
#define CLI_COMMAND_NODE_ATTACH_H

#include <stdint.h>

#include "base/status.h"

enum { NODE_ATTACH_WORDS = 7 };

/* What is to be run: the Node.js of that process, with the recorder that goes into it. */
struct node_attach {
  char *package; /* owned */
  char program[32], seconds[24];
  const char *words[NODE_ATTACH_WORDS]; /* the last is NULL */
};

/* `pid` is what was given; `seconds` 0: until Ctrl-C; `ready_file` may be NULL, or is made when recording has begun. The
 * folder is absolute. STATUS_USAGE or STATUS_UNAVAILABLE, after a message, where that is no process of Node.js. */
enum status node_attach_prepare(struct node_attach *attach, const char *pid, const char *folder,
                                uint64_t seconds, const char *ready_file);
void node_attach_clear(struct node_attach *attach);

#endif
