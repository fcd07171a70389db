/* Count of raft's leader, by hand: asks the cheap questions first and counts no further than to the
 * quorum. */
#include "raft_leader.h"
#include "tp_lemmas.h"

/*@ requires size: 0 <= n <= 64;
    assigns \nothing;
    ensures truth: \result <==> tp_card(s, n) >= f;
*/
static bool has_quorum(tp_set s, int32_t n, int32_t f) {
  int32_t count = 0;
  //@ ghost tp_card_grows(s, 0, n);
  //@ ghost tp_card_next(s, 0);
  /*@ loop invariant range: 0 <= i <= n;
      loop invariant count: count == tp_card(s, i) && 0 <= count <= i;
      loop assigns i, count;
      loop variant n - i; */
  for (int32_t i = 0; i < n; i++) {
    //@ ghost tp_card_grows(s, i, n);
    //@ ghost tp_card_next(s, i);
    if (count >= f)
      return true;
    if (tp_set_has(s, i))
      count++;
  }
  return count >= f;
}

enum tp_verdict leader_Count(struct leader *self, const struct raft_params *params,
                             struct leader_sends *out, int32_t r) {
  const tp_set matched = tp_set_union(self->matched, tp_set_one(r));
  out->Write = false;
  out->AppendEntries = tp_set_none();
  out->Reply = false;
  self->matched = matched;
  if (self->committed || !self->durable)
    return TP_DONE;
  if (has_quorum(matched, RAFT_FOLLOWER_COUNT(params), params->f))
    out->Reply = self->committed = true;
  return TP_DONE;
}
