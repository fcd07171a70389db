/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `verify --explain`: where a proved bound comes from, as text on stdout or inside a JSON object.
 */
#ifndef CLI_PRESENT_EXPLAIN_H
#define CLI_PRESENT_EXPLAIN_H

#include "base/jsonl.h"
#include "solver/tell/explain.h"

struct bound_report;

void report_explanation_json(struct jsonl *json, const struct explanation *explanation,
                             const struct model *model);
void report_explanation_text(const struct bound_report *report, const struct model *model);

#endif
