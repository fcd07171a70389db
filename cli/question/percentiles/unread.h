/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Files of measurements that nothing will ever read, as their names say something the protocol has
 * not: a node 3 where nodes count from 0 to 2, a message that does not exist. Without a word of
 * them, the slow node's file is left out and another's stands for it.
 */
#ifndef CLI_QUESTION_PERCENTILES_UNREAD_H
#define CLI_QUESTION_PERCENTILES_UNREAD_H

#include "base/status.h"

struct laws;
struct ledger;
struct model;
struct parameters;
struct source_notes;

/* Adds a sentence for each mistake to `warnings`; it names the files in `directory`, and why. Sizes
 * of roles are judged where `set` gives the parameters they need. `laws`: only files of components
 * that it has read others of, and that it has not read (for a law of --law); NULL: of all. */
void unread_find(struct source_notes *warnings, const char *directory, const struct parameters *set,
                 const struct laws *laws);

/* The same, as warnings in the ledger. */
enum status unread_warn(const struct laws *laws, const struct model *model, struct ledger *ledger);

#endif
