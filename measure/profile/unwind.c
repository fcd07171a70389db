/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/profile/unwind.h"

#include <string.h>

#include "measure/profile/machine.h"

struct word {
  uint64_t value;
  bool known;
};

/* How sure the last step was. */
enum doubt { DOUBT_NONE, DOUBT_BLIND, DOUBT_OVER };

/* Where the walk is. */
struct walk {
  const struct ring_event *sample;
  const uint64_t *chain;
  size_t chain_count;
  size_t link;              /* chain[link + 1] is stored behind the frame pointer `linked` */
  struct word linked;       /* of the kernel's walk */
  bool in_chain;            /* the frame pointer is `linked`, also where its value is not known */
  struct word stack, frame; /* registers, as in the function that the walk is at */
  uint64_t place;
  enum doubt doubt;
};

static struct word load(const struct walk *walk, struct word address) {
  uint64_t start = walk->sample->registers[MACHINE_STACK];
  struct word word = {0, false};
  if (!address.known || walk->sample->stack_size < sizeof word.value || address.value < start ||
      address.value - start > walk->sample->stack_size - sizeof word.value)
    return word;
  memcpy(&word.value, walk->sample->stack + (address.value - start), sizeof word.value);
  word.known = true;
  return word;
}

static struct word add(struct word word, int64_t offset) {
  word.value += (uint64_t)offset;
  return word;
}

static struct word locate(const struct walk *walk, struct cfi_place place, struct word call) {
  struct word base = place.base == CFI_STACK   ? walk->stack
                     : place.base == CFI_FRAME ? walk->frame
                                               : call;
  return add(base, place.offset);
}

/* What the frame pointer is in the caller. */
static void restore_frame(struct walk *walk, const struct cfi_row *row, struct word call) {
  if (row->frame.base == CFI_SAME)
    return;
  if (row->frame.base == CFI_LOST) {
    walk->frame.known = walk->in_chain = false;
    return;
  }
  struct word address = locate(walk, row->frame, call);
  walk->frame = load(walk, address);
  if (walk->in_chain && walk->linked.known && address.known &&
      address.value == walk->linked.value) {
    walk->linked = walk->frame;
    walk->link++;
  } else {
    walk->in_chain =
        walk->frame.known && walk->linked.known && walk->frame.value == walk->linked.value;
  }
}

/* One step by the table alone; false where the copy of the stack does not reach. */
static bool step_by_row(struct walk *walk, const struct cfi_row *row) {
  struct word call = locate(walk, row->call, (struct word){0, false});
  if (row->load)
    call = load(walk, call);
  struct word back = load(walk, locate(walk, row->back, call));
  if (!back.known || (!row->interrupted && walk->stack.known && call.value <= walk->stack.value))
    return false;
  restore_frame(walk, row, call);
  walk->stack = call;
  walk->place = back.value;
  return true;
}

/* The kernel's next address; false where it has none. */
static bool step_by_chain(struct walk *walk) {
  if (!walk->in_chain || walk->link + 1 >= walk->chain_count)
    return false;
  struct word frame = walk->frame;
  walk->place = walk->chain[++walk->link];
  walk->stack = frame.known ? add(frame, 16) : frame;
  walk->frame = walk->linked = load(walk, frame);
  return true;
}

static void push(struct unwound *unwound, uint32_t frame) {
  if (unwound->count < UNWIND_MOST)
    unwound->frames[unwound->count++] = frame;
}

enum unwind_step { STEP_ON, STEP_END, STEP_CUT };

/* Past a function that keeps no frame pointer and whose stack was not copied: the next one of the
 * chain that does is an ancestor, but not the nearest. */
static enum unwind_step step_over(struct walk *walk, const struct cfi_row *row,
                                  struct unwound *unwound) {
  if (row->kind != CFI_ROW || row->frame.base != CFI_SAME || !step_by_chain(walk))
    return STEP_CUT;
  push(unwound, UNWIND_GAP);
  walk->doubt = DOUBT_OVER;
  return STEP_ON;
}

/* Whether one address of the stack is above another, and not by far. */
static bool is_above(struct word address, struct word below) {
  enum { FRAME_MOST = 1 << 20 };
  return !address.known || !below.known ||
         (address.value % 8 == 0 && address.value - below.value <= FRAME_MOST);
}

/* Nobody says that the register is a frame pointer: it must at least point up the stack, and to
 * one that does. */
static enum unwind_step step_blindly(struct walk *walk) {
  struct word next = load(walk, walk->frame);
  if (!is_above(walk->frame, walk->stack) || !is_above(next, walk->frame))
    return STEP_CUT;
  walk->doubt = DOUBT_BLIND;
  return step_by_chain(walk) ? STEP_ON : STEP_CUT;
}

static enum unwind_step step(struct walk *walk, const struct cfi_row *row,
                             struct unwound *unwound) {
  walk->doubt = DOUBT_NONE;
  if (row->kind == CFI_END)
    return STEP_END;
  if (row->kind == CFI_ROW && step_by_row(walk, row))
    return walk->place == 0 ? STEP_END : STEP_ON; /* as some run times mark the outermost frame */
  if (row->kind == CFI_NONE)
    return step_blindly(walk);
  if (cfi_keeps_frame(row))
    return step_by_chain(walk) ? STEP_ON : STEP_CUT;
  return step_over(walk, row, unwound);
}

/* Whether what a doubtful step led to can be a caller. */
static bool is_credible(const struct walk *walk, const struct unwind_place *place) {
  if (walk->doubt == DOUBT_NONE)
    return true;
  return walk->doubt == DOUBT_BLIND ? place->calls_bare
                                    : place->called && cfi_keeps_frame(&place->row);
}

static void begin(struct walk *walk, const struct ring_event *sample, const uint64_t *chain,
                  size_t chain_count) {
  bool known = sample->has_registers;
  struct word frame = {sample->registers[MACHINE_FRAME], known};
  *walk = (struct walk){.sample = sample,
                        .chain = chain,
                        .chain_count = chain_count,
                        .linked = frame,
                        .in_chain = true,
                        .stack = {sample->registers[MACHINE_STACK], known},
                        .frame = frame,
                        .place = chain[0]};
}

void unwind(struct unwound *unwound, const struct ring_event *sample, const uint64_t *chain,
            size_t chain_count, unwind_find *find, void *context) {
  struct walk walk;
  enum unwind_step next = STEP_ON;
  bool back = false;
  unwound->count = 0;
  begin(&walk, sample, chain, chain_count);
  while (next == STEP_ON && unwound->count < UNWIND_MOST) {
    const struct unwind_place *place = find(context, walk.place, back);
    if (place == NULL || !is_credible(&walk, place)) {
      next = STEP_CUT;
      break;
    }
    push(unwound, place->frame);
    back = !place->row.interrupted;
    next = step(&walk, &place->row, unwound);
  }
  unwound->cut = next != STEP_END;
}
