/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `tailproof record --node`: what a Node.js program is started with, and what it recorded.
 */
#ifndef CLI_COMMAND_NODE_RECORD_H
#define CLI_COMMAND_NODE_RECORD_H

#include "base/status.h"
#include "cli/present/output.h"

/* A file of the recorder: its path, for free(); NULL, after a message, where it is not installed. */
char *node_record_find(const char *file);

/* Lets every Node.js program that is started from here on record into the folder (absolute), in the
 * environment. STATUS_UNAVAILABLE, after a message, without the recorder. */
enum status node_record_prepare(const char *folder);

/* Instead of collecting, where the program could not be run. */
void node_record_abandon(void);

/* Says what is in the folder, and how the program ended. STATUS_DATA, after a message, when nothing
 * was recorded. */
enum status node_record_collect(struct output *output, const char *folder, int code, int by_signal);

#endif
