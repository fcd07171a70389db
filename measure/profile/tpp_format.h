/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The file of sampled stacks, .tpp: records behind each other, in the order in which they came to
 * be, each of a head and a body that is padded with zeros to a multiple of 8 bytes; numbers as the
 * machine has them (little-endian). A program that is killed leaves whole records and at most one
 * torn one at the end; a file that was ended in order has TPP_END last.
 *
 * Modules, frames, nodes and threads are numbered from 0 (nodes from 1; node 0 is the root) as they
 * come, and named by number afterwards. Texts have their length before them where there are two.
 */
#ifndef MEASURE_PROFILE_TPP_FORMAT_H
#define MEASURE_PROFILE_TPP_FORMAT_H

#include <stdint.h>

#define TPP_MAGIC "TPPROF1\n"

enum tpp_kind {
  TPP_HEADER = 1, /* tpp_header, then the event's name and the machine's, each with a NUL */
  TPP_MODULE,     /* tpp_module, then its path */
  TPP_FRAME,      /* tpp_frame, then its name if known (TPP_NAME may say it later) */
  TPP_NODE,       /* tpp_node */
  TPP_THREAD,     /* tpp_thread, then its name */
  TPP_SAMPLES,    /* any number of tpp_sample */
  TPP_NAME,       /* tpp_name, then names, each with a NUL */
  TPP_COUNTS,     /* tpp_counts; a later one replaces an earlier one */
  TPP_END,        /* nothing */
  TPP_WINDOW,     /* tpp_window: a window at one rate has ended */
  TPP_WAITS,      /* tpp_waits, of a file of waits; a later one replaces an earlier one */
};

struct tpp_head {
  uint32_t kind, size; /* size: of the body, with its padding */
};

/* A file of waits has this event: a sample is a wait, weighs the ns that it took, and has the moment
 * of its end. Its innermost frame is what it waits in, or TPP_PREEMPTED. */
#define TPP_WAITING "off-cpu"
#define TPP_PREEMPTED "[waits for a processor]"

/* How much a sample weighs: one sample each, periods of the event, or ns of processor time. */
enum tpp_unit { TPP_UNIT_SAMPLES, TPP_UNIT_PERIODS, TPP_UNIT_NANOSECONDS };

struct tpp_header {
  char magic[8];
  int64_t start;    /* ns, CLOCK_MONOTONIC */
  int64_t calendar; /* the same moment in ns since 1970 */
  uint32_t unit, rate;
};

enum { TPP_BUILD_ID = 48 };

struct tpp_module {
  char build_id[TPP_BUILD_ID]; /* hexadecimal, "": none */
  uint64_t size;               /* of the file, and when it was written last: 0: not known */
  int64_t written;             /* ns */
};

/* tpp_frame.kind is one of enum frame_kind's first three (trace/stacks/profile.h). */
enum { TPP_FRAME_USER, TPP_FRAME_KERNEL, TPP_FRAME_JIT };

#define TPP_NO_MODULE UINT32_MAX

struct tpp_frame {
  uint32_t kind, module;
  uint64_t address; /* as the module's symbols have it; of a caller, within the call */
};

struct tpp_node {
  uint32_t parent, frame; /* frame TPP_GAP: callers are missing here */
};

#define TPP_GAP UINT32_MAX

struct tpp_thread {
  uint32_t process, thread;
};

struct tpp_sample {
  int64_t time;
  uint32_t thread, node;
  uint64_t weight;
};

struct tpp_name {
  uint32_t frame, names; /* how many follow, the outermost first; those behind the first are of
                            functions that the compiler put into the one before. 0: none */
  uint64_t start;        /* of the function; without one, the frame's address */
};

/* Of a rate that changes: the samples since the window before, and how they were judged. */
struct tpp_window {
  uint64_t samples;
  uint32_t verdict, alone; /* enum adapt_verdict (measure/profile/adapt.h); 0 or 1: phases_add */
};

struct tpp_counts {
  uint64_t lost, throttled, samples, processor_time /* ns; 0: not known */;
  int64_t end;
  uint64_t cut; /* samples whose outermost callers are not known */
  uint64_t user_only, pruned;
};

/* Waits that are no samples: those shorter than `least` ns; those that went on when the recording
 * began, from then on; those in whose time records were lost. Of those that are samples: the ones
 * that went on when it ended. */
struct tpp_waits {
  uint64_t least, brief, brief_ns, begun, begun_ns, cut, cut_ns, doubtful;
};

#endif
