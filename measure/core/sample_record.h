/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where things stand in a sample that the kernel wrote into its ring (perf_event_open(2), "MMAP
 * layout"), with the fields TID, TIME, PERIOD, CALLCHAIN and, if asked, REGS_USER and STACK_USER,
 * in 64-bit words behind the record's header:
 *
 *     [0] process and thread  [1] time  [2] period  [3] n  [4 ..] n addresses
 *     abi  registers, unless the abi is 0          of the program that was interrupted
 *     size  size / 8 words of its stack  used      words and `used` only where size is not 0
 *
 * Words of any content are safe: what is said to be there is there. Proved.
 */
#ifndef MEASURE_CORE_SAMPLE_RECORD_H
#define MEASURE_CORE_SAMPLE_RECORD_H

#include <stdint.h>

#define SAMPLE_CHAIN 4 /* the first address */

struct sample_places {
  uint64_t chain_count;
  uint64_t registers;   /* the first one; 0: there are none */
  uint64_t stack;       /* the first word; 0: there is none */
  uint64_t stack_bytes; /* of the copy that were filled in */
};

/* Finds the places in `count` words. `registers`: how many were asked for, with the stack; 0: none,
 * and no stack. Returns 0, with all places 0, when the words are no such sample. */
/*@ requires storage: \valid_read(&words[0 .. count - 1]) && \valid(places);
    requires distinct: \separated(&words[0 .. count - 1], places);
    requires count_range: count <= 8192;
    requires registers_range: registers <= 64;
    assigns *places;
    ensures answer: \result == 0 || \result == 1;
    ensures chain: \result == 1 ==> SAMPLE_CHAIN + places->chain_count <= count;
    ensures chain_all: \result == 1 ==> places->chain_count == words[3];
    ensures registers: places->registers != 0 ==>
      SAMPLE_CHAIN + places->chain_count < places->registers &&
      places->registers + registers <= count;
    ensures stack: places->stack != 0 ==>
      SAMPLE_CHAIN + places->chain_count < places->stack &&
      8 * places->stack + places->stack_bytes <= 8 * count;
    ensures no_stack: places->stack == 0 ==> places->stack_bytes == 0;
    ensures nothing: \result == 0 ==> places->chain_count == 0 && places->registers == 0 &&
      places->stack == 0;
*/
int sample_locate(struct sample_places *places, const uint64_t *words, uint64_t count,
                  uint32_t registers);

#endif
