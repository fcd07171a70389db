/* Generated from primary_backup.tp by tailproof generate: role primary. */
#include "primary_backup_primary_step.h"

enum tp_verdict primary_take(struct primary *self, const struct primary_backup_params *params,
                             struct primary_sends *out, const struct tp_message *m) {
  if (m->kind == primary_backup_Ack)
    return primary_Collect(self, params, out, m->field[0]);
  out->Request = tp_set_none();
  out->Reply = false;
  return TP_DISABLED;
}
