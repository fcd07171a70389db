/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a result rests on: as text, in lines that fit a terminal, or as JSON, an object a line.
 */
#ifndef CLI_PRESENT_LEDGER_H
#define CLI_PRESENT_LEDGER_H

#include "base/ledger.h"

void ledger_print_text(const struct ledger *ledger);
void ledger_print_json(const struct ledger *ledger);

#endif
