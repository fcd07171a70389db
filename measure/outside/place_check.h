/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whether a probe may be put at an address of a program: only where an instruction is known to
 * begin, and of returns only where a function is entered. Elsewhere the program would be killed, or
 * go on with wrong data.
 */
#ifndef MEASURE_OUTSIDE_PLACE_CHECK_H
#define MEASURE_OUTSIDE_PLACE_CHECK_H

#include "measure/outside/probes.h"
#include "measure/outside/target_file.h"

/* What an address is called in messages: SYMBOL+N where the site names a symbol, which begins at
 * `start` and ends at `end` (or at `start`, if that is not known); else by its place in the file.
 */
struct place_name {
  const struct outside_site *site;
  uint64_t start, end;
};

/* STATUS_OK; or STATUS_DATA with one line in `message` that says why not and what to write. */
enum status place_check(struct target_file *file, const struct place_name *name, uint64_t address,
                        struct text *message);

/* Of a symbol without an offset: `address` is its beginning, or a little behind it, where straight
 * code from there leads. */
enum status place_check_start(struct target_file *file, const struct place_name *name,
                              uint64_t address, struct text *message);

/* Of a probe that waits for a function's return: at its first instruction the return address is on
 * top of the stack, where the kernel takes it from. */
enum status place_check_return(struct target_file *file, const struct place_name *name,
                               uint64_t address, struct text *message);

/* Of a USDT probe: there is the nop of its note. */
enum status place_check_note(struct target_file *file, const struct outside_site *site,
                             uint64_t address, struct text *message);

#endif
