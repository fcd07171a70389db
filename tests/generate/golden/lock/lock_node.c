/* Generated from lock.tp by tailproof generate: role node. */
#include "lock_node.h"

void node_init(struct node *self, const struct lock_params *params, int32_t i) {
  (void)params;
  self->held = i == 0;
  self->epoch = 0;
}

enum tp_verdict node_Grant(struct node *self, const struct lock_params *params, int32_t i,
                           struct node_sends *out) {
  out->Transfer = false;
  if (!self->held)
    return TP_DISABLED;
  if (!tp_fits((int64_t)self->epoch + 1))
    return TP_RANGE;
  self->held = false;
  out->Transfer = true;
  out->Transfer_epoch = self->epoch + 1;
  out->Transfer_to = tp_next(i, LOCK_NODE_COUNT(params));
  return TP_DONE;
}

enum tp_verdict node_Accept(struct node *self, const struct lock_params *params, int32_t i,
                            struct node_sends *out, int32_t e) {
  (void)params, (void)i;
  out->Transfer = false;
  if (e <= self->epoch)
    return TP_DISABLED;
  self->held = true;
  self->epoch = e;
  return TP_DONE;
}
