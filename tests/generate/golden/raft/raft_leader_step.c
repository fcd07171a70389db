/* Generated from raft.tp by tailproof generate: role leader. */
#include "raft_leader_step.h"

enum tp_verdict leader_take(struct leader *self, const struct raft_params *params,
                            struct leader_sends *out, enum leader_action *action,
                            const struct tp_message *m) {
  switch (m->kind) {
  case raft_Written:
    *action = leader_did_Own;
    return leader_Own(self, params, out);
  case raft_Success:
    *action = leader_did_Count;
    return leader_Count(self, params, out, m->field[0]);
  default:
    break;
  }
  out->Write = false;
  out->AppendEntries = tp_set_none();
  out->Reply = false;
  return TP_DISABLED;
}

enum tp_verdict leader_act(struct leader *self, const struct raft_params *params,
                           struct leader_sends *out, enum leader_action *action) {
  enum tp_verdict verdict;
  *action = leader_did_Propose;
  verdict = leader_Propose(self, params, out);
  if (verdict != TP_DISABLED)
    return verdict;
  out->Write = false;
  out->AppendEntries = tp_set_none();
  out->Reply = false;
  return TP_DISABLED;
}
