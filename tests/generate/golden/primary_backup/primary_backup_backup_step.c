/* Generated from primary_backup.tp by tailproof generate: role backup. */
#include "primary_backup_backup_step.h"

enum tp_verdict backup_take(struct backup *self, const struct primary_backup_params *params,
                            int32_t i, struct backup_sends *out, enum backup_action *action,
                            const struct tp_message *m) {
  switch (m->kind) {
  case primary_backup_Request:
    if (m->field[0] == i) {
      *action = backup_did_Handle;
      return backup_Handle(self, params, i, out);
    }
    break;
  default:
    break;
  }
  out->Ack = false;
  return TP_DISABLED;
}

enum tp_verdict backup_act(struct backup *self, const struct primary_backup_params *params,
                           int32_t i, struct backup_sends *out, enum backup_action *action) {
  enum tp_verdict verdict;
  *action = backup_did_Tidy;
  verdict = backup_Tidy(self, params, i, out);
  if (verdict != TP_DISABLED)
    return verdict;
  out->Ack = false;
  return TP_DISABLED;
}
