/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Address spaces of processes, as far as they can be executed, and names of threads: read from
 * /proc for what runs already, then kept by the kernel's records.
 */
#ifndef MEASURE_PROFILE_SPACE_H
#define MEASURE_PROFILE_SPACE_H

#include "measure/profile/event.h"
#include "measure/profile/jit.h"
#include "measure/profile/module.h"
#include "measure/profile/unwind.h"

struct space_mapping {
  uint64_t start, end, offset; /* offset: in the file */
  uint32_t module;
};

struct cached_place {
  uint64_t address;
  uint32_t version; /* of the space; another one: empty */
  struct unwind_place place;
};

/* The stack that was written last, from the outermost frame on: the next one begins alike. */
struct space_path {
  uint32_t version; /* of the space; another one: none */
  size_t count;
  uint32_t frames[UNWIND_MOST + 1],
      nodes[UNWIND_MOST + 1]; /* with the gap at the end of one that is cut */
};

enum { SPACE_CACHE = 1024, SPACE_NAME = 16 };

struct address_space {
  uint32_t process;
  uint32_t version; /* changes when the meaning of an address may have changed; not 0 */
  bool ended;
  VECTOR(struct space_mapping) mappings; /* in the order of addresses; none overlap */
  struct jit jit;
  bool compiles;              /* code that is in no file was sampled: its names are to be read */
  struct cached_place *cache; /* SPACE_CACHE places, by address; NULL: none yet */
  struct space_path *path;    /* NULL: none yet */
};

struct task {
  uint32_t process, thread;
  uint32_t number; /* in the file; UINT32_MAX: not written */
  char name[SPACE_NAME];
};

struct spaces {
  struct modules modules;
  VECTOR(struct address_space *) list; /* in the order of process ids */
  VECTOR(struct task) tasks;           /* in the order of thread ids */
};

void spaces_clear(struct spaces *spaces);

/* That of a process; read from /proc when it was not seen before. */
struct address_space *spaces_get(struct spaces *spaces, uint32_t process);
/* Whether it was seen, as one that is there or by a record, and has not ended. */
bool spaces_know(const struct spaces *spaces, uint32_t process);
struct task *spaces_task(struct spaces *spaces, uint32_t process, uint32_t thread);

/* What a record says of mappings, processes, threads. */
void spaces_follow(struct spaces *spaces, const struct ring_event *event);

/* Forgets processes that ended before the last call. */
void spaces_sweep(struct spaces *spaces);

/* The mapping that an address is in, or NULL. */
const struct space_mapping *space_find(const struct address_space *space, uint64_t address);

/* Puts a mapping where it belongs, in place of what was there. */
void space_map(struct address_space *space, const struct space_mapping *mapping);

#endif
