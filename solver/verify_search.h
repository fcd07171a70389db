/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The searches behind a verdict: for an execution in which the bound's event happens, for one that
 * breaks the model's own rules, for one that is later than the bound or attains it. Scopes are
 * tried one after the other; first each a little, as a small scope often has what a large one
 * hides.
 *
 * What a search finds does not depend on the load of the machine: its limits are counted in steps.
 */
#ifndef SOLVER_VERIFY_SEARCH_H
#define SOLVER_VERIFY_SEARCH_H

#include "solver/verify.h"

/* Sets `reached`, `scope` and `reached_steps` of the report; or `reason`, with an execution, when
 * the model breaks its own rules, or when there is no scope. */
void search_witness(struct bound_report *report, const struct model *model,
                    const struct verify_options *options);

/* Sets `reason` and the execution when it finds that the model breaks its own rules. */
void search_fault(struct bound_report *report, const struct model *model,
                  const struct verify_options *options);

/* Of a bound that is reached: an execution that exceeds it. Fills what the report says of a
 * refutation; whether one was found. */
bool search_refutation(struct bound_report *report, const struct model *model,
                       const struct verify_options *options);

/* Of a bound that is proved and reached: sets `tight` and `tightness`. */
void search_tightness(struct bound_report *report, const struct model *model,
                      const struct verify_options *options);

/* Of a bound `from` a message that is proved: sets `never_later` when no execution is found in
 * which the event comes later than the end of the step that sends the message. */
void search_later(struct bound_report *report, const struct model *model,
                  const struct verify_options *options);

/* Of a bound that is unknown as a message may be deferred, or time may not go on: sets the
 * execution when it finds one in which that is so (solver/search/stall.h). Of other obligations it
 * looks for nothing. */
void search_stall(struct bound_report *report, const struct model *model,
                  const struct obligation *failed, const struct verify_options *options);

#endif
