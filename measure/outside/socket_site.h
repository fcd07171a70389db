/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a probe file says of sockets: which ones, and what is read of them.
 */
#ifndef MEASURE_OUTSIDE_SOCKET_SITE_H
#define MEASURE_OUTSIDE_SOCKET_SITE_H

#include "base/text.h"
#include "measure/outside/probes.h"

/* "2379", "tcp 2379", "udp 53", "udp", "unix", "unix /run/app.sock", "unix @abstract". False: it is
 * none of these. */
bool socket_site_read(struct outside_site *site, const char *text);

/* What is wrong with a value that is read, or from where a text is read (`starts`); NULL: nothing. */
const char *socket_site_mistake(const struct outside_site *site, const struct read_value *value,
                                bool starts);

/* Whether a value is of the message itself. */
bool socket_site_is_data(const struct read_value *value);

/* Appends "TCP port 2379, sent". */
void socket_site_describe(struct text *text, const struct outside_site *site);

#endif
