/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Generated steps as a test calls them, whatever the protocol: numbers are those of the model
 * (lang/model.h), values are 64-bit cells as in solver/judge/interpreter.h. tests/tools/step_glue.c
 * writes the functions of a protocol.
 */
#ifndef TESTS_GENERATE_GLUE_H
#define TESTS_GENERATE_GLUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GLUE_FIELDS = 9, GLUE_SENT = 512 };

struct glue_call {
  int64_t *const *cells; /* by state id: one cell, of a map TP_NODES; in and out */
  int64_t node;
  int64_t now, read;     /* of a timer, of a clock read; ns */
  const int64_t *fields; /* of the received message */
};

/* What a step sent: message id, fields, and the receiver. */
struct glue_sent {
  size_t count;
  struct {
    size_t message;
    int64_t fields[GLUE_FIELDS], receiver;
  } items[GLUE_SENT];
};

/* Parameters by id; times among them by component id. */
void glue_params(const int64_t *values, const int64_t *constants);
void glue_init(size_t role, int64_t *const *cells, int64_t node);
/* An enum tp_verdict. */
int glue_step(size_t role, size_t action, const struct glue_call *call, struct glue_sent *sent);

static inline void glue_send(struct glue_sent *sent, size_t message, const int64_t *fields,
                             int64_t receiver) {
  sent->items[sent->count].message = message;
  for (size_t i = 0; i < GLUE_FIELDS; i++)
    sent->items[sent->count].fields[i] = fields[i];
  sent->items[sent->count++].receiver = receiver;
}

#endif
