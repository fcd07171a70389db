/* Generated from lock.tp by tailproof generate: role node. */
#ifndef LOCK_NODE_STEP_H
#define LOCK_NODE_STEP_H

#include "lock_node.h"
#include "lock_message.h"

/*@ predicate node_same{K, L}(struct node *self) =
      \at(self->held, K) == \at(self->held, L) && \at(self->epoch, K) == \at(self->epoch, L); */
/*@ predicate node_Accept_step{K, L}(struct node *self, struct lock_params *params, integer i,
      struct node_sends *out, integer e) =
      \at(self->held, L) && \at(self->epoch, L) == e && !\at(out->Transfer, L); */
/*@ predicate node_takes(struct node *self, struct lock_params *params, integer i,
      struct tp_message *m) =
      (m->kind == lock_Transfer && node_Accept_enabled(self, params, i, m->field[0])); */

/* Takes the message with the first action of its kind that is enabled. TP_DISABLED: none is. */
/*@ requires storage: \valid(self) && \valid_read(params) && \valid_read(m) && \valid(out) &&
      \separated(self, params, m, out);
    requires parameters: lock_valid(params);
    requires state: node_valid(self, params);
    requires node: 0 <= i < LOCK_NODE_COUNT(params);
    requires message: tp_message_valid(m) && lock_message(m, params);
    assigns *self, *out;
    ensures verdict: \result == TP_DONE || \result == TP_DISABLED || \result == TP_RANGE;
    ensures state: node_valid(self, params);
    ensures sends: node_sends_valid(out, params);
    ensures none: \result == TP_DISABLED <==> !\old(node_takes(self, params, i, m));
    ensures unchanged: \result != TP_DONE ==> node_same{Old, Here}(self) && node_sends_nothing(out);
    ensures Accept: \result == TP_DONE && \old(m->kind == lock_Transfer &&
      node_Accept_enabled(self, params, i, m->field[0])) ==>
      node_Accept_step{Old, Here}(self, params, i, out, m->field[0]);
*/
enum tp_verdict node_take(struct node *self, const struct lock_params *params, int32_t i,
                          struct node_sends *out, const struct tp_message *m);

#endif
