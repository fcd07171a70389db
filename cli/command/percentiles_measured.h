/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `tailproof percentiles --data FILE`: what was measured, without a protocol.
 */
#ifndef CLI_COMMAND_PERCENTILES_MEASURED_H
#define CLI_COMMAND_PERCENTILES_MEASURED_H

#include "cli/command/rows.h"
#include "cli/question/percentiles/percentiles.h"
#include "cli/question/store/server.h"

/* The exit code; of.data is not NULL, or the server has an address. */
enum status percentiles_measured(const struct command_line *line,
                                 const struct percentiles_request *of,
                                 const struct server_request *server,
                                 const struct output_options *output, bool full);

#endif
