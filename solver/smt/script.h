/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whether a script in SMT-LIB 2 is one that smt_print could have written. Solvers obey a script: it
 * can have them write files. So one that came from elsewhere is read here first, and nothing but
 * declarations, assertions of linear arithmetic with quantifiers, and one question passes.
 */
#ifndef SOLVER_SMT_SCRIPT_H
#define SOLVER_SMT_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

enum {
  SCRIPT_LIMIT = 1 << 26,   /* bytes of a script */
  SCRIPT_NESTING = 2000,    /* parentheses in each other; smt_print needs some fifty */
  SCRIPT_WORD = 4096,       /* bytes of a symbol or numeral */
  SCRIPT_COMMANDS = 1 << 20 /* of a script */
};

/* True for a script of these parts and no other:
 *
 *    ; comments of printable ASCII
 *    (set-info :status unknown) (set-logic ALL)
 *    (declare-sort S 0) (declare-fun F (S...) S)    no name twice
 *    (assert TERM)    whose words are declared, bound, numerals or those of script.c's list
 *    (check-sat)      once, at the end
 *
 * in bytes of printable ASCII, blanks and line feeds. A name has a `.`, `!` or `@` inside, as each
 * of smt_print's has: so none is a word of the solver's, nor one of its answers. Otherwise false,
 * with the line (from 1) and why in `message`, which is appended to: "3: set-option is no command
 * of a certificate". */
bool script_is_plain(const char *bytes, size_t length, struct text *message);

#endif
