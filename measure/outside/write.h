/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Paired requests as stores, one for each node of the protocol: what a program records that was
 * written for it (measure/tailproof_measure.h), with the times of the events.
 *
 * Requests are numbered from 1, by their beginning. One that is not paired is written as one that
 * never ended, up to its beginning: then its row of the joint table says `inf`. Or, where the
 * mapping says so, it is left out. Either way pairing_tell says how many there are, and why, and a
 * file beside the stores says it to those who read them (measure/outside/left_over.h).
 */
#ifndef MEASURE_OUTSIDE_WRITE_H
#define MEASURE_OUTSIDE_WRITE_H

#include "base/status.h"
#include "base/text.h"
#include "measure/outside/left_over.h"
#include "measure/outside/pair.h"

#define PAIRING_LOG_MOST (UINT32_C(1) << 24)

/* Records that the requests may make for one store, and what its log holds of them: at most `most`,
 * a power of two; the last ones when there are more. */
struct pairing_logs {
  size_t wanted;
  uint32_t held;
};
struct pairing_logs pairing_logs(const struct pairing *pairing,
                                 const struct outside_mapping *mapping, uint32_t most);
/* Appends a line when not all are held. */
void pairing_tell_logs(struct text *text, struct pairing_logs logs);

/* Writes into a folder, which is made. STATUS_OK, or one line in `message`. */
enum status pairing_write(const struct pairing *pairing, const struct outside_mapping *mapping,
                          const char *folder, struct text *message);

/* Appends what was paired and what was not, by reason, a line each: what a ledger has to state.
 * The lost events of the run are counted there, too. */
void pairing_tell(struct text *text, const struct pairing *pairing,
                  const struct outside_mapping *mapping, const struct outside_probe *probes,
                  uint32_t probe_count, const struct outside_run *run);

/* The same for those who read the stores; *left is initialised and empty. */
void pairing_left_over(struct left_over *left, const struct pairing *pairing,
                       const struct outside_mapping *mapping, uint32_t probe_count,
                       const struct outside_run *run);

#endif
