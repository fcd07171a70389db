/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Random protocols (protocol.h) one after the other, each from its seed: drawn, verified, and what
 * is proved held against runs. At the end a table says how many there were of each kind, how many
 * bounds were proved, and how many of these came true: a generator whose bounds are never proved
 * tests nothing. */
#ifndef TESTS_SIMULATOR_SAMPLE_H
#define TESTS_SIMULATOR_SAMPLE_H

#include "tests/simulator/hold.h"

/* Whether random protocols can be asked for by that row of the table: one about a family, lost
 * copies, a sum over a family, priority. */
bool sample_has_kind(const char *kind);

enum status sample_judge(const struct demand *demand);

#endif
