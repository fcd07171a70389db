/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Times as people write and read them: the one grammar that command line, protocols, laws and plans
 * share, and the printers of reports.
 *
 *   duration = digits [ "." digits ] blanks unit        300ms, 1.5 s
 *   unit     = "ns" | "us" | "\u00B5s" | "\u03BCs" | "ms" | "s"
 *
 * Micro is a u, the sign (U+00B5) or the Greek letter (U+03BC). Signs, exponents and hexadecimal
 * numbers are refused.
 */
#ifndef BASE_DURATION_H
#define BASE_DURATION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/rational.h"
#include "base/slice.h"
#include "base/text.h"

/* A unit as a power of ten of ns: 0, 3, 6 or 9; -1 when it is none. And its name: ns, us, ms, s. */
int unit_exponent(struct slice name);
const char *unit_name(int exponent);

/* Reads a number and its unit; *ns is exact. False, with *ns unchanged, for anything else. */
bool duration_parse(struct rational *ns, const char *text);

/* Appends "1.234 ms" with three decimals of the largest unit that fits, ns without: rounded up, as
 * upper bounds are not to be shown too small; down; and to the nearest, with a sign. */
void duration_print_upper(struct text *text, uint64_t ns);
void duration_print_lower(struct text *text, uint64_t ns);
void duration_print_nearest(struct text *text, int64_t ns);

/* Appends it exactly, in the largest unit of which it is a whole multiple, else in ns: "10 ms". */
void duration_print_exact(struct text *text, const struct rational *ns);

#endif
