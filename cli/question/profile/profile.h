/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The question of `profile`: which functions use the processor? Samples a program and counts. Of
 * `profile --off-cpu`: where do threads wait?
 */
#ifndef CLI_QUESTION_PROFILE_PROFILE_H
#define CLI_QUESTION_PROFILE_PROFILE_H

#include "base/asker.h"
#include "base/ledger.h"
#include "cli/question/profile/program.h"
#include "measure/profile/interrupt.h"
#include "measure/profile/phases.h"
#include "measure/profile/counters.h"
#include "trace/stacks/hot.h"
#include "trace/stacks/tpp.h"

struct profile_request {
  const char *const *argv; /* the program to run, up to a NULL; or NULL */
  const char *process;     /* id; or NULL */
  const char *cgroup;      /* its folder, or its name below /sys/fs/cgroup; or NULL */
  bool all;
  bool quiet; /* the program's output goes to stderr */
  struct counter_options counters;
  unsigned seconds;     /* 0: until the program ends, or this is interrupted */
  bool adaptive;        /* counters.rate is the most; the rate follows what is seen: */
  unsigned floor;       /* the least, samples a second */
  const char *overhead; /* of a processor: "1%" */
  const char *window;   /* how often to look: "10s" */
  const char *keep;     /* only the threads that hold this part of the samples: "99%"; NULL: all */
  bool rated;           /* somebody asked for a rate */
  bool off_cpu;         /* waits in place of samples; counters.event says so, too */
  const char *least;    /* shorter waits are only counted: "10us"; NULL: 10us */
  const char *out;      /* file; NULL: none is kept */
  double level;         /* of confidence in shares */
  const struct asker *asker;
};

struct profile_answer {
  const struct profile_request *request;
  enum status status;
  bool found;                      /* whether there is the rest: */
  struct counter_options counters; /* as it was sampled */
  uint32_t process;                /* 0: several */
  struct stack_profile profile;
  struct stack_recording recording;
  struct stack_hot_list hot;
  struct stack_evidence evidence; /* of the shares of all of these */
  struct adapt_options adapt;     /* if adaptive: what it was asked; and */
  uint64_t window_ns;
  unsigned changes;                /* of hot functions that were seen */
  struct interrupt_cost interrupt; /* of the program, for each sample */
  struct phases phases;            /* between these */
  double worth;         /* samples, as equal and independent ones, before they were pooled */
  size_t threads, kept; /* with `keep`: threads that were sampled, and that are in the profile */
  double seconds;       /* that it was sampled */
  uint64_t least_ns;    /* of request->least */
  double reached;       /* samples for a second of processor time; 0: not known */
  uint64_t unnamed;     /* weight in functions without a name, and of these */
  uint64_t compiled;    /* in code that was compiled at run time */
  uint32_t refused_map; /* a process whose perf-PID.map is none, or too long; 0: none */
  bool ended;           /* the program did; */
  int exit;             /* its exit code, or 128 and the signal that ended it */
  struct program program;
  struct ledger ledger;
};

/* `request` must outlive the answer, which is initialised in any case. */
enum status profile_ask(struct profile_answer *answer, const struct profile_request *request);

/* Waits for the program, where it was only sampled for some time; its exit code is then known. */
void profile_wait(struct profile_answer *answer);
void profile_clear_answer(struct profile_answer *answer);

#endif
