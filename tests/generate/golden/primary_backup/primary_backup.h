/* Generated from primary_backup.tp by tailproof generate: all roles. */
#ifndef PRIMARY_BACKUP_H
#define PRIMARY_BACKUP_H

#include "tp_step.h"

struct primary_backup_params {
  int32_t n;
};

#define PRIMARY_BACKUP_BACKUP_COUNT(params) (params)->n

/*@ predicate primary_backup_valid(struct primary_backup_params *params) =
      tp_int(params->n) && 1 <= PRIMARY_BACKUP_BACKUP_COUNT(params) <= TP_NODES &&
      params->n >= 1; */

#endif
