/* Generated from lock.tp by tailproof generate: role node. */
#include "lock_node_step.h"

enum tp_verdict node_take(struct node *self, const struct lock_params *params, int32_t i,
                          struct node_sends *out, enum node_action *action,
                          const struct tp_message *m) {
  *action = node_did_Accept;
  return node_Accept(self, params, i, out, m->field[0]);
}

enum tp_verdict node_act(struct node *self, const struct lock_params *params, int32_t i,
                         struct node_sends *out, enum node_action *action) {
  enum tp_verdict verdict;
  *action = node_did_Grant;
  verdict = node_Grant(self, params, i, out);
  if (verdict != TP_DISABLED)
    return verdict;
  out->Transfer = false;
  return TP_DISABLED;
}
