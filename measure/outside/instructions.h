/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Instructions of BPF, one behind the other, and what the parts of writing a program share
 * (measure/outside/program.h). For program.c alone.
 */
#ifndef MEASURE_OUTSIDE_INSTRUCTIONS_H
#define MEASURE_OUTSIDE_INSTRUCTIONS_H

#include "measure/outside/program.h"

/* In every program: */
enum {
  CONTEXT = BPF_REG_6,
  WHO = BPF_REG_7, /* process and thread */
  COUNTS = BPF_REG_8,
  RECORD = BPF_REG_9,
  FRAME = BPF_REG_10,
  /* and below its frame pointer: */
  KEY = -8,
  BUFFER = -16,
  POINTER = -24,
  LENGTH = -32,
  MASK = -40,
  KEPT = -48, /* whether arguments of the call were kept, and these */
  KEPT_ARGUMENT = -96,
  CALL = -112, /* struct program_call_key */
};

struct writer {
  bpf_code *code;
  const struct outside_site *site;
  const struct target_place *place;
  const struct tracepoint *tracepoint;
  const struct socket_layout *socket;
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

static inline void end(struct writer *w) {
  set(w, BPF_REG_0, 0);
  emit(w, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}

/* Of a probe at a return: takes the arguments that its entry has kept (program_call.c). */
void program_take_call(struct writer *w, uint32_t number, const struct program_maps *maps);

#endif
