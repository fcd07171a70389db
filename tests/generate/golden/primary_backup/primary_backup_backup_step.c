/* Generated from primary_backup.tp by tailproof generate: role backup. */
#include "primary_backup_backup_step.h"

enum tp_verdict backup_take(struct backup *self, const struct primary_backup_params *params,
                            int32_t i, struct backup_sends *out, const struct tp_message *m) {
  if (m->kind == primary_backup_Request && m->field[0] == i)
    return backup_Handle(self, params, i, out);
  out->Ack = false;
  return TP_DISABLED;
}
