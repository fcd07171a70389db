/* Generated from raft.tp by tailproof generate: all roles. */
#include "raft_message.h"

bool raft_message_valid(const struct tp_message *m, const struct raft_params *params) {
  switch (m->kind) {
  case raft_Write:
    return true;
  case raft_Written:
    return true;
  case raft_AppendEntries:
    return 0 <= m->field[0] && m->field[0] < RAFT_FOLLOWER_COUNT(params);
  case raft_Success:
    return 0 <= m->field[0] && m->field[0] < RAFT_FOLLOWER_COUNT(params);
  case raft_Reply:
    return true;
  default:
    return false;
  }
}
