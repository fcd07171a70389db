/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Events as text, one a line in order of time:
 *
 *   TIME_NS PROBE PID TID FIELD=VALUE ...
 *   81723645001 flush.begin 4711 4711 lsn=1234 user="a b"
 *
 * A field that could not be read is left out. A text stands in double quotes, with \" \\ and \xHH
 * for other bytes. Besides there may be lines of
 *
 *   # ...                  anything
 *   clock IDENTITY         of CLOCK_MONOTONIC, hexadecimal
 *   start TIME_NS          all probes are in place
 *   process PID COMMAND    its command line, from here on
 *   lost PROBE COUNT       events that the file lacks
 *   end TIME_NS            the last line of a recording that was not cut short
 *
 * Of a recording that was cut short a last line without its end is left out: a number in it may lack
 * digits.
 */
#ifndef MEASURE_OUTSIDE_EVENT_TEXT_H
#define MEASURE_OUTSIDE_EVENT_TEXT_H

#include "base/status.h"
#include "base/text.h"
#include "measure/outside/event.h"

/* Appends the line of an event. */
void event_text_append(struct text *text, const struct outside_probe *probes,
                       const struct outside_event *event);
/* What stands before the events, and behind them. */
void event_text_begin(struct text *text, const struct outside_run *run);
void event_text_end(struct text *text, const struct outside_probe *probes, uint32_t count,
                    const struct outside_run *run);

/* Gives the events of a file ("-": standard input; gzip is expanded) to the sink, each of which
 * must be of one of `count` probes. Events that are out of order by less than a second are put in
 * order. STATUS_OK, also when the sink wanted no more; otherwise one line in `message` that names
 * file, line and remedy. */
enum status event_text_read(struct outside_run *run, const struct outside_probe *probes,
                            uint32_t count, const char *path, const struct outside_sink *sink,
                            struct text *message);

#endif
