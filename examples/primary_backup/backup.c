/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A backup.
 */
#include "examples/common/complain.h"
#include "examples/common/moment.h"
#include "examples/common/process.h"
#include "examples/primary_backup/system.h"
#include "primary_backup_backup_loop.h"

#include <stdio.h>
#include <stdlib.h>

struct backup_process {
  struct participant participant; /* the first: it is the context of the port */
  struct backup_node node;
  uint64_t tidy_ns;    /* when it will tidy up next */
  uint64_t tidy_since; /* ticks: it is to tidy up since then; 0: it is not */
};

static bool work(void *context, int32_t action) {
  struct participant *participant = context;
  const struct system_options *options = participant->options;
  return participant_work(participant,
                          action == (int32_t)backup_did_Tidy ? options->tidy_us : options->work_us,
                          options->busy ? WORK_BUSY : WORK_SLEEP);
}

/* A backup's own step is Tidy. */
static bool ready(void *context, uint64_t *since) {
  const struct backup_process *backup = context;
  *since = backup->tidy_since;
  return backup->tidy_since != 0;
}

static void tidy_plan(struct backup_process *backup) {
  uint64_t every_ns = backup->participant.options->tidy_every_us * 1000;
  backup->tidy_ns = every_ns == 0
                        ? MOMENT_NEVER
                        : moment_ns() + random_exponential(&backup->participant.random, every_ns);
}

/* The timer: Tidy in the request in progress, if the protocol lets it, which it does once. It
 * starts after the request was put on the board, so not before the request began. */
static enum tp_turn tidy(struct backup_process *backup) {
  struct tp_loop *loop = &backup->participant.loop;
  const uint32_t request = atomic_load(&backup->participant.system->board->request);
  if (request == 0)
    return TP_IDLE;
  if (request > loop->instance)
    tp_loop_begin(loop, request);
  backup->tidy_since = tailproof_now(loop->writer);
  enum tp_turn turn = participant_turn(&backup->participant, 0);
  backup->tidy_since = 0;
  return turn;
}

/* Serves until it is told to stop; false after a complaint. */
static bool serve(struct backup_process *backup) {
  const int64_t longest_ns = 1000000000;
  enum tp_turn turn = TP_IDLE;
  while (turn != TP_BROKEN && turn != TP_STUCK) {
    const uint64_t now_ns = moment_ns();
    if (turn == TP_IDLE && now_ns >= backup->tidy_ns) {
      turn = tidy(backup);
      tidy_plan(backup);
      continue;
    }
    const uint64_t left_ns = backup->tidy_ns > now_ns ? backup->tidy_ns - now_ns : 0;
    turn = participant_turn(&backup->participant,
                            left_ns < (uint64_t)longest_ns ? (int64_t)left_ns : longest_ns);
  }
  return process_stopping();
}

/* Twice the housekeeping that a pause, or the time between requests, has room for is recorded with
 * each request. */
static uint64_t records_needed(const struct system_options *options) {
  enum { RECORDS_PER_REQUEST = 5 };
  uint64_t pause_us = options->pause_us > options->every_us ? options->pause_us : options->every_us;
  uint64_t tidies = options->tidy_every_us == 0 ? 0 : 2 * pause_us / options->tidy_every_us;
  return options->requests * (RECORDS_PER_REQUEST + tidies);
}

int backup_run(void *context) {
  const struct backup_start *start = context;
  static struct backup_process backup;
  struct participant *participant = &backup.participant;
  const struct system_options *options = start->system->options;
  char name[32];
  snprintf(name, sizeof name, "backup[%zu]", start->index);
  backup.node.params.n = (int32_t)options->backups;
  backup.node.i = (int32_t)start->index;
  participant->port.ready = ready;
  if (!participant_init(participant, start->system, NODE_BACKUPS + start->index, name,
                        records_needed(options)) ||
      !participant_open(participant, &primary_backup_backup_role, &backup.node, work))
    return EXIT_FAILED;
  tp_loop_begin(&participant->loop, 0);
  tidy_plan(&backup);
  return participant_close(participant, serve(&backup));
}
