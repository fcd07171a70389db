/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The program of a node: its command line, its store, its socket and its loop until it has taken
 * its steps, its time is over, or SIGINT or SIGTERM comes.
 */
#ifndef TP_MAIN_H
#define TP_MAIN_H

#include "tp_loop.h"

#ifdef __cplusplus
extern "C" {
#endif

struct tp_parameter {
  const char *name;
  int32_t *integer;
  int64_t *time; /* ns; both NULL: how long nodes of another role rest */
};

struct tp_program {
  const struct tp_role *role;
  void *node;
  int32_t *index; /* of the node in its family; NULL: it is the only one */
  const struct tp_parameter *parameters;
  size_t parameter_count;
  const char *(*wrong)(const void *node); /* the constraint that the parameters break, or NULL */
};

/* Returns an exit code: 0; 1: fewer steps than asked for, or one whose number does not fit; 64: a
 * wrong command line; 65: a wrong file of addresses; 70: the system refused something. */
int tp_main(const struct tp_program *program, int count, char **arguments);

#ifdef __cplusplus
}
#endif

#endif
