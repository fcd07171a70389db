/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sampled stacks: how often each chain of calls was seen running. Stacks are kept once, in a tree
 * from the outermost function to the innermost, and a sample is a node of it. All readers of
 * profiles make this, and everything that is said of hot functions is computed from it.
 *
 * Example. Three samples main;work;hash and one main;work are four nodes (root, main, work, hash)
 * with own weights 0, 0, 1, 3.
 */
#ifndef TRACE_STACKS_PROFILE_H
#define TRACE_STACKS_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/index.h"
#include "base/text.h"
#include "base/vector.h"
#include "trace/span/names.h"

#define STACK_NONE UINT32_MAX

enum frame_kind {
  FRAME_USER,
  FRAME_KERNEL,
  FRAME_JIT,     /* compiled at run time: named by a map that the runtime writes */
  FRAME_INLINED, /* part of its caller's code */
  FRAME_THREAD,  /* no function: the thread or process that the stack is of */
};

/* A function in a module. A frame without a name is module+0xoffset, and says so. */
struct stack_frame {
  uint32_t function; /* name; 0: not known */
  uint32_t module;   /* name of the file; 0: not known */
  uint64_t offset;   /* in the module, where the function is not known */
  enum frame_kind kind;
};

struct stack_node {
  uint32_t parent; /* before this one; STACK_NONE for the root, node 0 */
  uint32_t frame;  /* STACK_NONE for the root */
  uint64_t own;    /* weight of the samples that end here */
};

/* A thread that was sampled. */
struct stack_thread {
  uint32_t process, thread; /* ids of the system; 0: not known */
  uint32_t command;         /* name */
  uint64_t weight;
};

/* One sample with its moment, where the format has it; of a wait that is when it ended. */
struct stack_sample {
  int64_t time; /* ns, CLOCK_MONOTONIC */
  uint32_t thread, node;
  uint64_t weight;
};

/* A further value of each sample of a pprof file: alloc_objects beside alloc_space. */
struct stack_value {
  uint32_t type, unit;  /* names: "alloc_objects", "count" */
  VECTOR(uint64_t) own; /* by node, of the samples that end there; 0 of nodes behind its end */
};

enum stack_unit {
  STACK_SAMPLES,     /* weights are numbers of samples */
  STACK_NANOSECONDS, /* of processor time, or of what `event` names */
  STACK_PERIODS,     /* of the event named in `event` */
  STACK_WEIGHTS,     /* nobody says of what, and they cannot be numbers of samples */
};

struct stack_profile {
  struct span_names names;
  VECTOR(struct stack_frame) frames;
  VECTOR(struct stack_node) nodes; /* a parent before its children; [0] is the root */
  VECTOR(struct stack_thread) threads;
  VECTOR(struct stack_sample) samples; /* in the order of time; empty: only the weights are known */
  enum stack_unit unit;
  uint32_t event;     /* name: "cpu-clock", "cycles", "alloc_space"; 0: not said */
  uint32_t measure;   /* name of what periods are counted in: "bytes"; 0: a plain count */
  uint64_t total;     /* weight of all samples, the sum of the nodes' own */
  uint64_t count;     /* samples taken, for intervals; 0: not known */
  uint64_t heaviest;  /* no sample weighs more; 0: as `samples` have it, or total / count */
  bool assumed;       /* numbers of folded text are taken for samples, which nothing says */
  bool torn;          /* a file ended before its end: there were more samples */
  uint32_t rate;      /* samples a second of processor time; 0: not said, or not one rate */
  uint64_t lost;      /* samples for which the kernel or the ring had no space */
  uint64_t throttled; /* times that the kernel stopped sampling for a while */
  uint64_t pruned;    /* weight of threads whose callers were left out on purpose */
  uint64_t unseen;    /* weight of processor time that no sample stands for; 0: or not known */
  uint64_t used;      /* ns of processor time, of one recording; 0: not known */
  int64_t start, end; /* ns: what the recording covers; 0, 0: not known */
  int64_t realtime;   /* ns to add to its times for the time of day; 0: not known */
  int64_t time;       /* ns since 1970 when it began, as pprof says; 0: not known */
  uint64_t duration;  /* ns, of several files the sum; 0: as start .. end */
  uint32_t period_type, period_unit; /* names: of what pprof took a sample each `period` */
  uint64_t period;                   /* 0: not said, or several */
  VECTOR(struct stack_value) values; /* trace/stacks/values.h */
  struct text left_out;    /* what a reader could not take from the file; empty: nothing */
  struct index node_index; /* by (parent, frame); the root is nobody's child, and not in it */
  struct index frame_index;
};

void stack_profile_init(struct stack_profile *profile); /* with the root */
void stack_profile_clear(struct stack_profile *profile);

/* The number of an equal frame, or of a new one; the node below a node; both in constant time. */
uint32_t stack_profile_frame(struct stack_profile *profile, const struct stack_frame *frame);
uint32_t stack_profile_node(struct stack_profile *profile, uint32_t parent, uint32_t frame);

/* When it began, in ns since 1970, and how long it took, in ns, as far as its fields say; else 0. */
int64_t stack_profile_time(const struct stack_profile *profile);
uint64_t stack_profile_duration(const struct stack_profile *profile);

/* Adds weight to a node's own and to the total. Sums that 64 bits do not hold stay at UINT64_MAX.
 */
void stack_profile_add(struct stack_profile *profile, uint32_t node, uint64_t weight);

#endif
