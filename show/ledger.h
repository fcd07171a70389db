/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a result rests on: as text, in lines that fit a terminal.
 */
#ifndef SHOW_LEDGER_H
#define SHOW_LEDGER_H

#include <stdbool.h>

#include "base/ledger.h"
#include "base/text.h"
#include "show/style.h"

/* Warnings; then what the reader must know, where what several files have in common is one line;
 * then how many standard lines there are, or with `full` all lines. Nothing of an empty ledger. */
void ledger_append(struct text *out, const struct ledger *ledger, const struct style *style);

/* On stderr, for who gets no text on stdout: with a result for programs, or without a result. */
void ledger_print_warnings(const struct ledger *ledger);

#endif
