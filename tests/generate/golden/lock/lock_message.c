/* Generated from lock.tp by tailproof generate: all roles. */
#include "lock_message.h"

bool lock_message_valid(const struct tp_message *m, const struct lock_params *params) {
  (void)params;
  switch (m->kind) {
  case lock_Transfer:
    return true;
  default:
    return false;
  }
}
