/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A program of BPF at one place: in a file that processes map, or at a tracepoint; or at many places
 * of one file; or an event without one. It stays there as long as the descriptor is open, and so no
 * longer than this process lives.
 */
#ifndef MEASURE_OUTSIDE_ATTACH_H
#define MEASURE_OUTSIDE_ATTACH_H

#include <stdbool.h>
#include <stdint.h>

/* The processes that a probe in a file is put into: all that have it mapped. */
enum { ATTACH_ALL = -1 };

/* A descriptor, or -1 with errno. `process`: the one that the probe is put into, whatever program
 * it becomes, or ATTACH_ALL. */
int attach_file(const char *path, uint64_t offset, uint64_t semaphore, bool at_return,
                int32_t process, int program);
int attach_tracepoint(unsigned id, int program);

/* Places in one file. The program learns at which it runs by the cookie (bpf_get_attach_cookie). */
struct attach_places {
  const uint64_t *offsets, *semaphores, *cookies;
  uint32_t count;
};

/* The same at many places by one link of the kernel, which are taken away in the time of one; the
 * program was loaded for ATTACH_LINK_TYPE. */
enum { ATTACH_LINK_TYPE = 48 }; /* BPF_TRACE_UPROBE_MULTI, which headers before Linux 6.6 lack */
int attach_link(const char *path, const struct attach_places *places, bool at_return,
                int32_t process, int program);

/* Whether this kernel has such links, and keeps them to a process rather than to its first thread
 * (Linux 6.10, and those before it that were mended), and this process may use them. With
 * TAILPROOF_PROBE_LINKS=no in the environment: no, as tests try what takes their place. */
bool attach_has_links(void);

/* How many programs are attached to the tracepoint of an event, whoever attached them: the kernel
 * shows the event what all of them let pass, and does not count the rest. 0 where it does not tell. */
unsigned attach_programs(int event);

struct perf_event_attr;

/* Describes an event at a place in a file. False, with errno: this kernel has no such
 * events (ENOSYS), or this process no descriptor (EMFILE, ENFILE). */
bool attach_describe(struct perf_event_attr *attr, const char *path, uint64_t offset,
                     uint64_t semaphore, bool at_return);

/* An event without a program, of all processes, on one processor; -1 with errno. */
int attach_sampling(struct perf_event_attr *attr, int processor);

#endif
