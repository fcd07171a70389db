/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A budget as a file: promises of parts, and of what whole they are.
 *
 *   budget: 1
 *   protocol: shop.tp
 *   digest: 64 hexadecimal digits, SHA-256 of the protocol's text
 *   bound: answer
 *   objective: p99<50ms
 *   dependence: unknown
 *   set: {n: 5}
 *   groups: {pay: "Charge,Refund"}
 *   promises:
 *     pay: p99.9<=5ms
 */
#ifndef CLI_QUESTION_BUDGET_BUDGET_FILE_H
#define CLI_QUESTION_BUDGET_BUDGET_FILE_H

#include <stdint.h>

#include "base/status.h"
#include "base/text.h"
#include "cli/question/setting.h"

struct asker;
struct budget;
struct promise;
struct tree_node;

struct budget_file {
  struct tree_node *tree; /* owns all texts */
  const char *protocol, *digest, *bound, *objective;
  bool independent, each;
  settings set, groups, promises;
};

/* STATUS_NO_INPUT, STATUS_DATA after the asker was told. *file is cleared by the caller in any
 * case. */
enum status budget_file_read(struct budget_file *file, const char *path, const struct asker *asker);
void budget_file_clear(struct budget_file *file);

/* Appends x / 10^places, exactly; and "p99.9<=5ms", as it can be read again. */
void decimal_print(struct text *text, uint64_t x, int places);
void promise_print(struct text *text, const struct promise *promise);

/* Of a budget that was found. On failure one line in `message`. */
enum status budget_file_write(const char *path, const struct budget *budget, struct text *message);

#endif
