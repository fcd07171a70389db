/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What --set says of a protocol's parameters: whole numbers, and times with a unit.
 */
#ifndef CLI_QUESTION_VERIFY_PARAMETERS_H
#define CLI_QUESTION_VERIFY_PARAMETERS_H

#include "base/rational.h"
#include "base/asker.h"
#include "cli/question/setting.h"
#include "base/ledger.h"
#include "lang/model.h"

struct parameters {
  const struct model *model;
  int64_t *values;               /* of integers, by parameter id */
  bool *given;                   /* which of them were set */
  const struct rational **times; /* in ns, by component id; NULL: not set, or no parameter */
};

/* STATUS_USAGE after the asker was told for an unknown name, an unusable value, or values that
 * break an assumption of the protocol; STATUS_DATA for an assumption that cannot be met.
 * `parameters` is to be cleared in any case. */
enum status parameters_read(struct parameters *parameters, const struct model *model,
                            const settings *set, const struct asker *asker);
void parameters_clear(struct parameters *parameters);

/* STATUS_USAGE, with one line in `message`, when the bound mentions times that are not set: they
 * are constants of the system, no distribution can stand for them. */
enum status parameters_need_times(const struct parameters *parameters, const struct bound *bound,
                                  struct text *message);

/* One line for each time that is set and that the bound mentions: the result rests on it. */
void parameters_add_times(const struct parameters *parameters, const struct bound *bound,
                          const settings *set, struct ledger *ledger);

#endif
