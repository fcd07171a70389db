/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Writes the program that the kernel runs at a probe: instructions of BPF (the kernel's
 * Documentation/bpf/standardization/instruction-set.rst), without a compiler.
 *
 * The program passes over processes that are not traced, takes space for a record in a ring, stamps it, fills in what is read, and leaves it there. The time is read when the space is
 * taken: so whatever comes behind a record in the ring has a time later than when it was taken.
 */
#ifndef MEASURE_OUTSIDE_PROGRAM_H
#define MEASURE_OUTSIDE_PROGRAM_H

#include <linux/bpf.h>

#include "base/text.h"
#include "base/vector.h"
#include "measure/outside/probe_plan.h"

/* What a program leaves in the ring; texts behind the fields it has. */
struct program_record {
  uint64_t time_ns;
  uint32_t probe, fields;
  uint32_t tid, pid;
  uint64_t field[];
};

/* What programs count, for each probe and processor, of what leaves no record. */
struct program_count {
  uint64_t lost;   /* for want of space */
  uint64_t others; /* of processes that are not traced */
  uint64_t aside;  /* of processes of which nobody asks for the probe */
};

struct program_maps {
  int ring, counts;
  int traced; /* processes, and of each which places it may be; -1: all are traced */
  int calls;  /* calls that are not done (struct program_call); -1: no need */
};

/* Of a call under way; its key says whose it is. */
enum { PROGRAM_ARGUMENTS = 6 };
struct program_call_key {
  uint32_t tid, probe;
  uint64_t stack; /* where it is at its entry; of a call into the kernel 0 */
};
struct program_call {
  uint64_t argument[PROGRAM_ARGUMENTS];
  uint64_t begun;
};

/* A set of places (measure/outside/mapping.h), a bit for each. */
#define PROGRAM_EVERYWHERE UINT64_MAX

typedef VECTOR(struct bpf_insn) bpf_code;

/* Appends the program of a probe, whose number is `number`. `place` is for sites with a path,
 * and one of those of `planned`. Of traced processes it records those that may be one of `places`.
 * False with one line in `message` that names what cannot be read and the remedy. */
bool program_write(bpf_code *code, uint32_t number, const struct outside_probe *probe,
                   const struct outside_site *site, const struct planned_probe *planned,
                   const struct target_place *place, const struct program_maps *maps,
                   uint64_t places, struct text *message);

/* The same where a call begins that is probed where it is done: keeps what is asked for, and makes
 * no record. */
void program_write_entry(bpf_code *code, uint32_t number, const struct outside_site *site,
                         enum call_form form, const struct program_maps *maps, uint64_t places);

/* The same of a tracepoint that tells what becomes of traced processes: a record with number
 * `number` and one field, the tracepoint's `field` (NULL: 0). With `follow`, what the field names
 * is traced from then on, and may be any place. */
bool program_write_fate(bpf_code *code, uint32_t number, const struct tracepoint *tracepoint,
                        const char *field, bool follow, const struct program_maps *maps);

#endif
