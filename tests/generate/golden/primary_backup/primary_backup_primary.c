/* Generated from primary_backup.tp by tailproof generate: role primary. */
#include "primary_backup_primary.h"

void primary_init(struct primary *self, const struct primary_backup_params *params) {
  (void)params;
  self->started = false;
  self->acked = tp_set_none();
}

enum tp_verdict primary_Broadcast(struct primary *self, const struct primary_backup_params *params,
                                  struct primary_sends *out) {
  out->Request = tp_set_none();
  out->Reply = false;
  if (self->started)
    return TP_DISABLED;
  self->started = true;
  out->Request = tp_set_all(PRIMARY_BACKUP_BACKUP_COUNT(params));
  return TP_DONE;
}

enum tp_verdict primary_Collect(struct primary *self, const struct primary_backup_params *params,
                                struct primary_sends *out, int32_t b) {
  out->Request = tp_set_none();
  out->Reply = false;
  self->acked = tp_set_union(self->acked, tp_set_one(b));
  if (tp_set_same(self->acked, tp_set_all(PRIMARY_BACKUP_BACKUP_COUNT(params))))
    out->Reply = true;
  return TP_DONE;
}
