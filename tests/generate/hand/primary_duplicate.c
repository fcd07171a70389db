/* Collect of the primary, by hand and wrong: an acknowledgement that comes twice is counted twice.
 */
#include "primary_backup_primary.h"

enum tp_verdict primary_Collect(struct primary *self, const struct primary_backup_params *params,
                                struct primary_sends *out, int32_t b) {
  const int32_t n = PRIMARY_BACKUP_BACKUP_COUNT(params);
  const int32_t count = tp_set_count(self->acked, n) + 1;
  self->acked = tp_set_union(self->acked, tp_set_one(b));
  out->Request = tp_set_none();
  out->Reply = count >= n;
  return TP_DONE;
}
