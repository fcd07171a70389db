/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What an experiment found, for people, for programs, and as a picture.
 */
#ifndef CLI_PRESENT_WHATIF_H
#define CLI_PRESENT_WHATIF_H

#include "measure/throughput/experiment/experiment.h"

void tell_text(const struct experiment *experiment); /* on stdout */
void tell_json(const struct experiment *experiment);

/* Whose time may contain waiting, and what to do about it (cli/present/whatif_waiting.c): one line,
 * or none; an object for each service. Parts of the two above. */
void tell_waiting_text(const struct experiment *experiment);
void tell_waiting_json(const struct experiment *experiment);

/* Draws the curves into the SVG file, which appears complete or not at all. A line on stderr and a
 * status other than STATUS_OK when it cannot be written or there is nothing to draw. */
enum status tell_picture(const struct experiment *experiment, const char *path);

#endif
