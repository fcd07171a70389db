/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Times as users write and read them: a decimal number and one of ns, us (also µs), ms, s.
 */
#ifndef CLI_DURATION_H
#define CLI_DURATION_H

#include <stdbool.h>

#include "base/rational.h"

/* "300ms", "1.5 s": decimal digits, blanks, a unit; *ns is in ns. False, with *ns unchanged, for
 * anything else. */
bool duration_parse(struct rational *ns, const char *text);

#endif
