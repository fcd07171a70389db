/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What it costs a thread to come by a probe: measured on this process, by probes that read nothing.
 */
#ifndef MEASURE_OUTSIDE_COST_H
#define MEASURE_OUTSIDE_COST_H

#include "measure/outside/probe_plan.h"

enum cost_kind {
  COST_FUNCTION,
  COST_STEPPED, /* at an instruction that the processor must step over */
  COST_RETURN,  /* with the entry that it needs */
  COST_KERNEL,  /* tracepoints, system calls */
  COSTS
};

/* ns, the least of several averages; 0 where it could not be measured. Takes some 10 ms. */
void cost_measure(double cost_ns[COSTS]);

/* Of one passage of a probe; 0: not known. */
double cost_of(const double cost_ns[COSTS], const struct outside_site *site,
               const struct planned_probe *planned);

#endif
