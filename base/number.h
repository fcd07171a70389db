/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Numbers and shares as people write them: the one grammar of the command line, as duration.h has
 * that of times.
 *
 *   whole  = digits                                                     20
 *   number = digits [ "." digits ] [ "e" [ "+" | "-" ] digits ]         0.25, 1.5e-3
 *   share  = number blanks "%" | number                                 5%, 0.05
 *
 * Anything else is refused: signs, blanks in front, hexadecimal, "inf", "nan", a point without
 * digits on both sides. A share is at most 1, or 100%: 5 means neither 5% nor 500%.
 */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

struct rational;

/* 0 <= *value <= most; false, with *value unchanged, for anything else. */
bool number_whole(uint64_t *value, const char *text, uint64_t most);

/* Exactly, 0 or above; exponents up to 4096. */
bool number_exact(struct rational *value, const char *text);

/* The nearest double, finite, 0 or above: what is not 0 in the text is not 0. */
bool number_real(double *value, const char *text);

/* 0 <= *share <= 1, exactly, and as the nearest double. */
bool number_share(struct rational *share, const char *text);
bool number_share_real(double *share, const char *text);

#endif
