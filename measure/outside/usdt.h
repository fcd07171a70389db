/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Probes that programmers have put into programs (USDT, as of sys/sdt.h): the notes in
 * .note.stapsdt, and what they say of arguments.
 */
#ifndef MEASURE_OUTSIDE_USDT_H
#define MEASURE_OUTSIDE_USDT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vector.h"
struct image; /* measure/profile/image.h */

enum { USDT_ARGUMENTS = 12 };

enum usdt_kind { USDT_NUMBER, USDT_REGISTER, USDT_MEMORY, USDT_STRANGE };

struct usdt_argument {
  enum usdt_kind kind;
  unsigned width; /* bytes: 1, 2, 4, 8 */
  bool has_sign;
  int place;     /* of the register in struct pt_regs; of USDT_MEMORY that of the address */
  int64_t value; /* the number; what is added to the address */
};

struct usdt_arguments {
  unsigned count;
  struct usdt_argument argument[USDT_ARGUMENTS];
};

/* As in a note: "-4@%edi 8@-16(%rbp) 4@$7". What is written in another way is USDT_STRANGE. */
void usdt_parse(struct usdt_arguments *arguments, const char *text);

struct usdt_place {
  uint64_t address, semaphore; /* as the file's tables have addresses; semaphore 0: none */
  struct usdt_arguments arguments;
};

/* The places of one probe; of other probes "PROVIDER:NAME" goes into `other`, at most 200 bytes. */
typedef VECTOR(struct usdt_place) usdt_places;
void usdt_find(usdt_places *places, const struct image *image, const char *provider,
               const char *name, char other[200]);

#endif
