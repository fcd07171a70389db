/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Instructions of BPF, one behind the other, and what the parts of writing a program share
 * (measure/outside/program.h): for program*.c alone.
 */
#ifndef MEASURE_OUTSIDE_INSTRUCTIONS_H
#define MEASURE_OUTSIDE_INSTRUCTIONS_H

#include "measure/outside/program.h"

/* In every program: */
enum {
  CONTEXT = BPF_REG_6,
  WHO = BPF_REG_7, /* process and thread */
  RECORD = BPF_REG_9,
  FRAME = BPF_REG_10,
  /* and below its frame pointer: */
  KEY = -8,
  BUFFER = -16,
  POINTER = -24,
  LENGTH = -32,
  MASK = -40,
  KEPT_ARGUMENT = -96, /* struct program_call: arguments, */
  KEPT = -48,          /* and when it began; 0: it is not known */
  CALL = -112,         /* struct program_call_key */
  PATH = -224,
  LOCAL = -232, /* ends of a socket: ports, or numbers that tell Unix sockets apart */
  REMOTE = -240,
};

/* What is kept of a call on a socket, instead of arguments. */
enum {
  KEPT_DATA, /* where its message is; 0: it is not known */
  KEPT_SIZE, /* of the first part of it; when it is done, how much can be read there */
  KEPT_NAME, /* where the address is that it is sent to; 0: none is given */
  KEPT_NEXT, /* where the call says where its next message is; 0: it has one */
};

struct writer {
  bpf_code *code;
  const struct outside_site *site;
  bool shared; /* of a tracepoint: others may be attached there as well */
  const struct target_place *place;
  const struct tracepoint *tracepoint;
  const struct socket_layout *socket;
  const begun_calls *calls;
  VECTOR(size_t) failures; /* jumps to where the next field begins */
  struct text *message;
};

/* --- instructions --- */

static inline void emit(struct writer *w, int op, int target, int source, int offset,
                        int32_t number) {
  vector_push(w->code, (struct bpf_insn){.code = (uint8_t)op,
                                         .dst_reg = (unsigned)target & 15u,
                                         .src_reg = (unsigned)source & 15u,
                                         .off = (int16_t)offset,
                                         .imm = number});
}

static inline void move(struct writer *w, int target, int source) {
  emit(w, BPF_ALU64 | BPF_MOV | BPF_X, target, source, 0, 0);
}

static inline void set(struct writer *w, int target, uint64_t number) {
  emit(w, BPF_LD | BPF_DW | BPF_IMM, target, 0, 0, (int32_t)(uint32_t)number);
  emit(w, 0, 0, 0, 0, (int32_t)(uint32_t)(number >> 32));
}

static inline void set_map(struct writer *w, int target, int map) {
  emit(w, BPF_LD | BPF_DW | BPF_IMM, target, BPF_PSEUDO_MAP_FD, 0, map);
  emit(w, 0, 0, 0, 0, 0);
}

static inline void add(struct writer *w, int target, int32_t number) {
  if (number != 0)
    emit(w, BPF_ALU64 | BPF_ADD | BPF_K, target, 0, 0, number);
}

static inline void point(struct writer *w, int target, int offset) {
  move(w, target, FRAME);
  add(w, target, offset);
}

static inline int size_of(unsigned width) {
  return width == 1 ? BPF_B : width == 2 ? BPF_H : width == 4 ? BPF_W : BPF_DW;
}

static inline void load(struct writer *w, int target, int base, int offset, unsigned width) {
  emit(w, BPF_LDX | BPF_MEM | size_of(width), target, base, offset, 0);
}

static inline void store(struct writer *w, int base, int offset, int source, unsigned width) {
  emit(w, BPF_STX | BPF_MEM | size_of(width), base, source, offset, 0);
}

static inline void call(struct writer *w, int helper) {
  emit(w, BPF_JMP | BPF_CALL, 0, 0, 0, helper);
}

/* A jump whose aim is settled by land(). */
static inline size_t jump_if(struct writer *w, int op, int what, int32_t number) {
  emit(w, BPF_JMP | op | BPF_K, what, 0, 0, number);
  return w->code->count - 1;
}

static inline void land(struct writer *w, size_t jump) {
  w->code->data[jump].off = (int16_t)(w->code->count - jump - 1);
}

/* At a tracepoint 0 would take the event away from whoever else listens there by perf_event_open
 * (the kernel's trace_call_bpf). In a file 1 would take away the probe (UPROBE_HANDLER_REMOVE). */
static inline void end(struct writer *w) {
  set(w, BPF_REG_0, w->shared);
  emit(w, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}

/* --- parts of programs --- */

/* The context, and whose thread it is. */
void program_start(struct writer *w);
/* Ends for processes that are not traced, or of which the probe is not asked for. `counts`: counts
 * these. */
void program_filter(struct writer *w, uint32_t number, const struct program_maps *maps,
                    uint64_t places, bool counts);

/* The lowest `width` bytes of register 3, with or without a sign. */
void program_narrow(struct writer *w, unsigned width, bool has_sign);
/* What register 3 points to in the program's memory, into register 3. */
void program_follow(struct writer *w, unsigned width, bool has_sign);

/* Where a call is done: takes what was kept when it began (program_call.c). */
void program_take_call(struct writer *w, uint32_t number, const struct program_maps *maps);

/* Goes on where bytes were sent on, or received from, a socket that is asked for
 * (program_socket.c). */
void program_socket_filter(struct writer *w);
/* What is read of a socket by name, into register 3; of "data" where the message is. */
void program_socket_field(struct writer *w, const char *name);
/* The field cannot be read where the message is shorter than `size`. */
void program_socket_reach(struct writer *w, int32_t size);
/* Lowers register 3 to how much of the message is behind its byte `from`. */
void program_socket_cut(struct writer *w, int32_t from);

#endif
