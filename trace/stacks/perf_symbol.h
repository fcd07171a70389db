/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A line of a stack that `perf script` printed; private to trace/stacks:
 *
 *     7f1e2162ad6f StealTask::do_it(GCTaskManager*, unsigned int)+0x3f (/usr/lib/libjvm.so)
 *
 * A symbol `a->b` is the function a with b in it.
 */
#ifndef TRACE_STACKS_PERF_SYMBOL_H
#define TRACE_STACKS_PERF_SYMBOL_H

#include <stdbool.h>

#include "base/text.h"
#include "trace/stacks/profile.h"

/* All zeros before the first line. */
struct perf_symbol {
  struct slice address, module;
  struct slice left; /* of the symbol: what perf_symbol_next has not given */
  struct text text;  /* storage */
  bool whole;        /* names keep the parameters that C++ puts behind them */
};

/* false when the line is no frame, or one that has no function (its symbol begins with a
 * bracket). */
bool perf_symbol_parse(struct perf_symbol *symbol, struct slice line);

/* The next function of the symbol, outermost first; false when there is none. */
bool perf_symbol_next(struct perf_symbol *symbol, struct slice *name);

/* The frame of a function of the symbol. */
void perf_symbol_frame(struct perf_symbol *symbol, struct slice name, bool inlined, bool java,
                       bool addresses, struct span_names *names, struct stack_frame *frame);

void perf_symbol_clear(struct perf_symbol *symbol);

#endif
