/* Generated from lock.tp by tailproof generate: role node. */
#ifndef LOCK_NODE_H
#define LOCK_NODE_H

#include "lock.h"

#ifdef __cplusplus
extern "C" {
#endif

struct node {
  bool held;
  int32_t epoch;
};

/*@ predicate node_valid(struct node *self, struct lock_params *params) = tp_int(self->epoch); */

/* What one step sends. */
struct node_sends {
  bool Transfer;
  int32_t Transfer_epoch;
  int32_t Transfer_to; /* node */
};

/*@ predicate node_sends_nothing(struct node_sends *out) = !out->Transfer;
    predicate node_sends_valid(struct node_sends *out, struct lock_params *params) =
      (!out->Transfer || tp_int(out->Transfer_epoch)) &&
      (!out->Transfer || 0 <= out->Transfer_to < LOCK_NODE_COUNT(params));
*/

/*@ requires storage: \valid(self) && \valid_read(params) && \separated(self, params);
    requires parameters: lock_valid(params);
    requires node: 0 <= i < LOCK_NODE_COUNT(params);
    assigns *self;
    ensures state: node_valid(self, params);
    ensures held: self->held <==> i == 0;
    ensures epoch: self->epoch == 0;
*/
void node_init(struct node *self, const struct lock_params *params, int32_t i);

/* action node i.Grant cost Grant[epoch] {
 *   when held
 *   held := false
 *   send Transfer(epoch + 1) to next(i)
 * } */
/*@ predicate node_Grant_enabled(struct node *self, struct lock_params *params, integer i) =
      self->held; */
/*@ predicate node_Grant_fits(struct node *self, struct lock_params *params, integer i) =
      tp_int(self->epoch + 1); */
/*@ requires storage: \valid(self) && \valid_read(params) && \valid(out) &&
      \separated(self, params, out);
    requires parameters: lock_valid(params);
    requires state: node_valid(self, params);
    requires node: 0 <= i < LOCK_NODE_COUNT(params);
    assigns self->held, *out;
    ensures verdict: \result == TP_DONE || \result == TP_DISABLED || \result == TP_RANGE;
    ensures state: node_valid(self, params);
    ensures sends: node_sends_valid(out, params);
    ensures enabled: \result == TP_DISABLED <==> !\old(node_Grant_enabled(self, params, i));
    ensures fits: \result == TP_RANGE <==>
      \old(node_Grant_enabled(self, params, i)) && !\old(node_Grant_fits(self, params, i));
    ensures unchanged: \result != TP_DONE ==>
      self->held == \old(self->held) && node_sends_nothing(out);
    ensures held: \result == TP_DONE ==> !self->held;
    ensures Transfer: \result == TP_DONE ==> out->Transfer;
    ensures Transfer_epoch: \result == TP_DONE ==> out->Transfer_epoch == \old(self->epoch) + 1;
    ensures Transfer_to: \result == TP_DONE ==>
      out->Transfer_to == tp_after(i, LOCK_NODE_COUNT(params));
*/
enum tp_verdict node_Grant(struct node *self, const struct lock_params *params, int32_t i,
                           struct node_sends *out);

/* action node i.Accept on Transfer(e) cost Accept[e - 1] {
 *   when e > epoch
 *   held := true
 *   epoch := e
 * } */
/*@ predicate node_Accept_enabled(struct node *self, struct lock_params *params, integer i,
      integer e) = e > self->epoch; */
/*@ requires storage: \valid(self) && \valid_read(params) && \valid(out) &&
      \separated(self, params, out);
    requires parameters: lock_valid(params);
    requires state: node_valid(self, params);
    requires node: 0 <= i < LOCK_NODE_COUNT(params);
    requires message: tp_int(e);
    assigns self->held, self->epoch, *out;
    ensures verdict: \result == TP_DONE || \result == TP_DISABLED;
    ensures state: node_valid(self, params);
    ensures sends: node_sends_valid(out, params);
    ensures enabled: \result == TP_DISABLED <==> !\old(node_Accept_enabled(self, params, i, e));
    ensures unchanged: \result != TP_DONE ==>
      self->held == \old(self->held) && self->epoch == \old(self->epoch) && node_sends_nothing(out);
    ensures held: \result == TP_DONE ==> self->held;
    ensures epoch: \result == TP_DONE ==> self->epoch == e;
    ensures Transfer: \result == TP_DONE ==> !out->Transfer;
*/
enum tp_verdict node_Accept(struct node *self, const struct lock_params *params, int32_t i,
                            struct node_sends *out, int32_t e);

#ifdef __cplusplus
}
#endif

#endif
