/* Generated from lock.tp by tailproof generate: role node. */
#ifndef LOCK_NODE_STEP_H
#define LOCK_NODE_STEP_H

#include "lock_node.h"
#include "lock_message.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Which action a step was. */
enum node_action { node_did_Grant, node_did_Accept };

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
      \valid(action) && \separated(self, params, m, out, action);
    requires parameters: lock_valid(params);
    requires state: node_valid(self, params);
    requires node: 0 <= i < LOCK_NODE_COUNT(params);
    requires message: tp_message_valid(m) && lock_message(m, params);
    assigns *self, *out, *action;
    ensures verdict: \result == TP_DONE || \result == TP_DISABLED || \result == TP_RANGE;
    ensures state: node_valid(self, params);
    ensures sends: node_sends_valid(out, params);
    ensures none: \result == TP_DISABLED <==> !\old(node_takes(self, params, i, m));
    ensures unchanged: \result != TP_DONE ==> node_same{Old, Here}(self) && node_sends_nothing(out);
    ensures Accept: \result == TP_DONE && \old(m->kind == lock_Transfer &&
      node_Accept_enabled(self, params, i, m->field[0])) ==>
      *action == node_did_Accept &&
      node_Accept_step{Old, Here}(self, params, i, out, \old(m->field[0]));
*/
enum tp_verdict node_take(struct node *self, const struct lock_params *params, int32_t i,
                          struct node_sends *out, enum node_action *action,
                          const struct tp_message *m);

/*@ predicate node_Grant_step{K, L}(struct node *self, struct lock_params *params, integer i,
      struct node_sends *out) =
      !\at(self->held, L) && \at(self->epoch, L) == \at(self->epoch, K) && \at(out->Transfer, L) &&
      \at(out->Transfer_epoch, L) == \at(self->epoch, K) + 1 &&
      \at(out->Transfer_to, L) == tp_after(i, \at(LOCK_NODE_COUNT(params), K)); */
/*@ predicate node_acts(struct node *self, struct lock_params *params, integer i) =
      (node_Grant_enabled(self, params, i)); */

/* Takes the first enabled action that waits for no message and no timeout. TP_DISABLED: none is. */
/*@ requires storage: \valid(self) && \valid_read(params) && \valid(out) && \valid(action) &&
      \separated(self, params, out, action);
    requires parameters: lock_valid(params);
    requires state: node_valid(self, params);
    requires node: 0 <= i < LOCK_NODE_COUNT(params);
    assigns *self, *out, *action;
    ensures verdict: \result == TP_DONE || \result == TP_DISABLED || \result == TP_RANGE;
    ensures state: node_valid(self, params);
    ensures sends: node_sends_valid(out, params);
    ensures none: \result == TP_DISABLED <==> !\old(node_acts(self, params, i));
    ensures unchanged: \result != TP_DONE ==> node_same{Old, Here}(self) && node_sends_nothing(out);
    ensures Grant: \result == TP_DONE && \old(node_Grant_enabled(self, params, i)) ==>
      *action == node_did_Grant && node_Grant_step{Old, Here}(self, params, i, out);
*/
enum tp_verdict node_act(struct node *self, const struct lock_params *params, int32_t i,
                         struct node_sends *out, enum node_action *action);

#ifdef __cplusplus
}
#endif

#endif
