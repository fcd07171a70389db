/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where things stand in a sample that the kernel wrote into its ring (perf_event_open(2), "MMAP
 * layout"), with the fields TID, TIME, PERIOD, CALLCHAIN and, if asked, REGS_USER and STACK_USER,
 * in 64-bit words behind the record's header:
 *
 *     [0] process and thread   [1] time   [2] period   [3] n   [4 ..] n addresses
 *     then  abi, and registers of the program that was interrupted unless the abi is 0
 *     then  size, and where it is not 0: size / 8 words of its stack, and `used`
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

/* What the words say where, with `registers` of them asked for: whether the chain ends within
 * `count` words; the word with the size of the copied stack; whether registers, stack and what the
 * kernel says of them end within the words, too. */
/*@ predicate sample_has_chain{L}(uint64_t *words, integer count) =
      SAMPLE_CHAIN <= count && words[3] <= count - SAMPLE_CHAIN;
    logic integer sample_abi_at{L}(uint64_t *words) = SAMPLE_CHAIN + words[3];
    logic integer sample_size_at{L}(uint64_t *words, integer registers) =
      sample_abi_at(words) + 1 + (words[sample_abi_at(words)] == 0 ? 0 : registers);
    logic integer sample_used_at{L}(uint64_t *words, integer registers) =
      sample_size_at(words, registers) + 1 + words[sample_size_at(words, registers)] / 8;
    predicate sample_is_whole{L}(uint64_t *words, integer count, integer registers) =
      sample_has_chain(words, count) &&
      (registers == 0 ||
       (sample_abi_at(words) < count && sample_size_at(words, registers) < count &&
        (words[sample_size_at(words, registers)] == 0 ||
         (words[sample_size_at(words, registers)] % 8 == 0 &&
          sample_used_at(words, registers) < count))));
*/

/* Finds the places in `count` words. `registers`: how many were asked for, with the stack; 0: none,
 * and no stack. Returns 0, with all places 0, when the words are no such sample: exactly then. */
/*@ requires storage: \valid_read(&words[0 .. count - 1]) && \valid(places);
    requires distinct: \separated(&words[0 .. count - 1], places);
    requires count_range: count <= 8192;
    requires registers_range: registers <= 64;
    assigns *places;
    ensures answer: \result == 0 || \result == 1;
    ensures whole: \result == 1 <==> sample_is_whole{Pre}(words, count, registers);
    ensures chain: \result == 1 ==> places->chain_count == \old(words[3]);
    ensures registers: \result == 1 && registers != 0 ==>
      places->registers == (\at(words[sample_abi_at(words)], Pre) != 0 ? sample_abi_at{Pre}(words) +
   1 : 0); ensures stack: \result == 1 && registers != 0 && \at(words[sample_size_at(words,
   registers)], Pre) != 0 ==> places->stack == sample_size_at{Pre}(words, registers) + 1 &&
      places->stack_bytes == \min(\at(words[sample_size_at(words, registers)], Pre),
                                  \at(words[sample_used_at(words, registers)], Pre));
    ensures no_stack: \result == 1 && registers != 0 &&
      \at(words[sample_size_at(words, registers)], Pre) == 0 ==>
      places->stack == 0 && places->stack_bytes == 0;
    ensures not_asked: registers == 0 ==>
      places->registers == 0 && places->stack == 0 && places->stack_bytes == 0;
    ensures within: \result == 1 ==> SAMPLE_CHAIN + places->chain_count <= count &&
      (places->registers != 0 ==> places->registers + registers <= count) &&
      8 * places->stack + places->stack_bytes <= 8 * count;
    ensures nothing: \result == 0 ==> places->chain_count == 0 && places->registers == 0 &&
      places->stack == 0 && places->stack_bytes == 0;
*/
int sample_locate(struct sample_places *places, const uint64_t *words, uint64_t count,
                  uint32_t registers);

#endif
