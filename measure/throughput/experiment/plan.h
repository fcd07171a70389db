/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The plan of an experiment (YAML; docs/manual.md, "What if a service were faster"): which services
 * there are, what loads them, and whose work is to become shorter by how much.
 */
#ifndef MEASURE_THROUGHPUT_EXPERIMENT_PLAN_H
#define MEASURE_THROUGHPUT_EXPERIMENT_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PLAN_SERVICES 64 /* most */
#define PLAN_LEVELS 32
#define PLAN_NAME 64 /* bytes, terminator included */
#define PLAN_MESSAGE 512
#define PLAN_PPM 1000000u
#define PLAN_USERS "{users}"

/* How a service is slowed while another is to seem faster. */
enum plan_slowing {
  PLAN_SLOW_AUTO,   /* by what it was seen to do (measure/throughput/experiment/slowing.h) */
  PLAN_SLOW_FREEZE, /* it is stopped */
  PLAN_SLOW_HOLD,   /* its answers are held at its proxy or relay */
};

struct plan_service {
  char name[PLAN_NAME];
  char *command;  /* started by the experiment under a poker, by a shell in the plan's folder; or */
  char *poker;    /* HOST:PORT of a poker that runs already; exactly one of the two */
  char *proxy;    /* LISTEN=BACKEND, or NULL */
  char *relay;    /* likewise */
  char *resource; /* the machine that it shares with others of that name; or NULL */
  uint32_t processors; /* of that machine; 0: without a resource */
  bool count_pipe;     /* its requests are counted by a pipe */
  double calls_stated; /* of it, for each call of `counted_by`; 0: it counts by itself */
  uint32_t counted_by; /* with calls_stated, a service that counts by itself */
  uint64_t neighbours; /* services that it exchanges rounds with, a bit each, symmetric */
  uint32_t workers;    /* 0: to be measured */
  uint64_t work_ns;    /* for one call; 0: to be measured */
  enum plan_slowing slow;
};

/* Owns its texts. */
struct experiment_plan {
  char *path;     /* of the file */
  char *folder;   /* where it is */
  char *load;     /* command, with PLAN_USERS for their number; NULL: the load runs elsewhere */
  char *key;      /* path of the key file; NULL: none */
  char *pause;    /* auto, freeze or signal; NULL: not said */
  uint32_t users; /* of the load; 0: it has a number of its own */
  uint32_t entry, count;
  struct plan_service services[PLAN_SERVICES];
  char **unwaited; /* HOST:PORT whom services talk to, and whom no request waits for */
  uint32_t unwaited_count;
  uint64_t targets;                              /* a bit each */
  uint32_t level_count, levels_ppm[PLAN_LEVELS]; /* shares of the time per call, rising */
  uint64_t warmup_ns, window_ns, budget_ns;
  uint32_t least, most; /* repetitions */
  uint32_t precision_ppm;
  uint64_t batch; /* of the target's requests, for one round */
};

/* Reads the file. 0; ENOENT, EACCES, ... for one that cannot be read; EBADMSG for a mistake in it.
 * Then `plan` is empty and `message` one line with file, key and remedy. */
int plan_read(struct experiment_plan *plan, const char *path, char message[PLAN_MESSAGE]);

/* The same of bytes in memory. */
int plan_parse(struct experiment_plan *plan, const char *path, const char *bytes, size_t length,
               char message[PLAN_MESSAGE]);

void plan_clear(struct experiment_plan *plan);

/* The service of that name; plan->count when there is none. */
uint32_t plan_find(const struct experiment_plan *plan, const char *name);

/* "40%" or "12.5 %": above 0 and below 100; false for anything else. */
bool plan_percentage(uint32_t *ppm, const char *text);

#endif
