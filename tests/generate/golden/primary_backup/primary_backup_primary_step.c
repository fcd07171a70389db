/* Generated from primary_backup.tp by tailproof generate: role primary. */
#include "primary_backup_primary_step.h"

enum tp_verdict primary_take(struct primary *self, const struct primary_backup_params *params,
                             struct primary_sends *out, enum primary_action *action,
                             const struct tp_message *m) {
  switch (m->kind) {
  case primary_backup_Ack:
    *action = primary_did_Collect;
    return primary_Collect(self, params, out, m->field[0]);
  default:
    break;
  }
  out->Request = tp_set_none();
  out->Reply = false;
  return TP_DISABLED;
}

enum tp_verdict primary_act(struct primary *self, const struct primary_backup_params *params,
                            struct primary_sends *out, enum primary_action *action) {
  enum tp_verdict verdict;
  *action = primary_did_Broadcast;
  verdict = primary_Broadcast(self, params, out);
  if (verdict != TP_DISABLED)
    return verdict;
  out->Request = tp_set_none();
  out->Reply = false;
  return TP_DISABLED;
}
