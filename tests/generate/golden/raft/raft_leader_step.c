/* Generated from raft.tp by tailproof generate: role leader. */
#include "raft_leader_step.h"

enum tp_verdict leader_take(struct leader *self, const struct raft_params *params,
                            struct leader_sends *out, const struct tp_message *m) {
  if (m->kind == raft_Written)
    return leader_Own(self, params, out);
  if (m->kind == raft_Success)
    return leader_Count(self, params, out, m->field[0]);
  out->Write = false;
  out->AppendEntries = tp_set_none();
  out->Reply = false;
  return TP_DISABLED;
}
