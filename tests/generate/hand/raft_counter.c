/* Count of raft's leader, by hand: keeps the number of answers in a member `answers` of its own, so
 * that no step counts. The header says what the member is (t-prove.sh adds it to leader_valid). */
#include "raft_leader.h"
#include "tp_lemmas.h"

enum tp_verdict leader_Count(struct leader *self, const struct raft_params *params,
                             struct leader_sends *out, int32_t r) {
  const tp_set matched = tp_set_union(self->matched, tp_set_one(r));
  //@ ghost tp_card_with(self->matched, matched, r, 2 * params->f);
  //@ ghost tp_card_full(matched, 2 * params->f);
  if (!tp_set_has(self->matched, r))
    self->answers++;
  self->matched = matched;
  out->Write = false;
  out->AppendEntries = tp_set_none();
  out->Reply = false;
  if (self->durable && !self->committed && self->answers >= params->f) {
    self->committed = true;
    out->Reply = true;
  }
  return TP_DONE;
}
