/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What events from outside mean in a protocol: the sections of a probe file beside its probes.
 *
 *   request:  {name: commit, node: client, from: asked, to: answered}
 *   queueing: Queuing
 *   places:
 *     client:     'pgbench '
 *     standby[0]: 'postgres: s1: walreceiver'
 *   moments:
 *     asked:       {probe: client.send}
 *     flushing:    {probe: flush.begin, where: thread == asked.thread}
 *     received[r]: {probe: wal.recv, at: standby[r], where: lsn >= flushing.lsn, shared: yes}
 *     quorum:      {kth: 1, of: received}
 *   steps:
 *     backend.Commit:        {from: asked, to: flushing, component: Execute}
 *     standby[r].Receive(r): {from: received[r], to: kept[r], component: Receive}
 *   messages:
 *     Ask(r): {from: proxy, to: server[r], sent: passed, arrived: got[r], delay: d, chose: got[r]}
 *     Wal(r): {from: backend, to: standby[r], sent: flushed, arrived: received[r], delay: d}
 *
 * A *place* is the processes whose command line matches a regular expression (POSIX, extended). A
 * *moment* is an event of each request, or of each request and member r of a family: the first
 * event of its probe at its place, at or after another moment (`after`; without it the one written
 * before it), for which its condition holds (measure/outside/condition.h). Of a call it is when that
 * was done, or when it began (`when: begun`), as of what sockets send. The first moment of the
 * file begins a request. Or it is the latest, the earliest, or the k-th of others. Steps and
 * messages of the protocol lie between moments. A step that chooses a member, and the message that
 * it sends there, name a moment of the family: of the members that have it, the one was chosen that
 * has it first (`chose`).
 *
 * The mapping owns its texts; members of all families are counted alike, from 0.
 */
#ifndef MEASURE_OUTSIDE_MAPPING_H
#define MEASURE_OUTSIDE_MAPPING_H

#include <regex.h>

#include "measure/outside/condition.h"
#include "measure/outside/event.h"
#include "measure/yaml/tree.h"

enum {
  MAPPING_PLACES = 64,
  MAPPING_MOMENTS = 48,
  MAPPING_STEPS = 48,
  MAPPING_PARTS = 6, /* of a moment or a step */
  MAPPING_MEMBERS = 32,
  MAPPING_ARGUMENTS = 7,
  MAPPING_NONE = UINT32_MAX,
};

/* A name that may have an index: "standby[r]", "standby[0]", "client". */
struct mapping_name {
  char text[CONDITION_NAME + 1];
  bool of_member;  /* [r], of whatever letter or word */
  char letter[16]; /* that; "": none */
  int32_t index;   /* -1: none */
};

struct mapping_place {
  struct mapping_name name;
  regex_t command;
};

enum mapping_moment_kind { MAPPING_EVENT, MAPPING_LATEST, MAPPING_EARLIEST, MAPPING_KTH };

struct mapping_moment {
  struct mapping_name name;
  enum mapping_moment_kind kind;
  /* an event: */
  uint32_t probe;
  bool placed;
  struct mapping_name place;
  uint32_t after; /* moment, or MAPPING_NONE */
  struct condition where;
  bool begun;  /* when the call began that the event is of, not when it was done */
  bool shared; /* one event may be that of several requests */
  /* of others: */
  uint32_t of[MAPPING_PARTS], of_count, rank;
  bool optional; /* what never comes leaves the request whole */
};

/* From one moment to another. */
struct mapping_stretch {
  uint32_t from, to;
};

/* What a step charges a component. */
struct mapping_part {
  struct mapping_name component;
  bool as_step; /* it has the indices of the step; else its own, or none */
  struct mapping_stretch time;
};

struct mapping_step {
  struct mapping_name node;
  char action[2 * CONDITION_NAME + 2]; /* "backup.Handle" */
  char component[CONDITION_NAME + 1];  /* that has the indices of the step, or "" */
  struct mapping_stretch time;
  uint32_t argument_count, part_count;
  struct mapping_name arguments[MAPPING_ARGUMENTS]; /* "r", or a number as its index */
  struct mapping_part parts[MAPPING_PARTS];         /* further components that it charges */
  uint32_t chose; /* the moment whose members' first says which one was chosen; MAPPING_NONE */
  bool family;    /* one for each member */
};

struct mapping_message {
  char name[CONDITION_NAME + 1], delay[CONDITION_NAME + 1];
  struct mapping_name from, to;
  uint32_t sent, arrived, taken;
  uint32_t chose; /* as of a step: it is sent to that member alone */
  uint32_t argument_count;
  struct mapping_name arguments[MAPPING_ARGUMENTS];
  bool family;
};

struct outside_mapping {
  char request[CONDITION_NAME + 1], queueing[CONDITION_NAME + 1];
  struct mapping_name node; /* that sees the request's end */
  struct mapping_stretch time;
  uint64_t within_ns; /* how far apart two moments may be */
  bool exclude;       /* what is not paired is left out, else endless */
  uint32_t members;   /* of each family, at least 1 */
  uint32_t place_count, moment_count, step_count, message_count;
  struct mapping_place places[MAPPING_PLACES];
  struct mapping_moment moments[MAPPING_MOMENTS];
  struct mapping_step steps[MAPPING_STEPS];
  struct mapping_message messages[MAPPING_STEPS];
};

/* The mapping of a probe file, owned by the caller (mapping_free), or NULL with one line in
 * `message`: place, what is wrong, remedy. `probes` are those of the same file. */
struct outside_mapping *mapping_read(const struct tree_node *file,
                                     const struct outside_probe *probes, uint32_t probe_count,
                                     char *message, size_t size);
void mapping_free(struct outside_mapping *mapping); /* NULL is accepted */

/* The places at which moments look for a probe, a bit for each. */
uint64_t mapping_looks_at(const struct outside_mapping *mapping, uint32_t probe);

/* The place of a process with this command line: its number, or MAPPING_NONE. */
uint32_t mapping_place_of(const struct outside_mapping *mapping, const char *command);

/* "standby[1]" of a name and a member; `size` of at least 96. */
void mapping_name_print(char *text, size_t size, const struct mapping_name *name, uint32_t member);

#endif
