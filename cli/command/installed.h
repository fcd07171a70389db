/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is installed with the program, and found from where the program is.
 */
#ifndef CLI_COMMAND_INSTALLED_H
#define CLI_COMMAND_INSTALLED_H

#include <stddef.h>

/* The first of the places, seen from the folder of the program, that exists: in the source tree, or
 * as installed. Its path without links, to be freed with free(); NULL: none is there. */
char *installed_find(const char *const *places, size_t count);

/* One line on stderr where an argument, until NULL, is a file that the pages name (specs/...,
 * examples/...) and that is not here, but was installed. */
void installed_hint(const char *const *arguments);

#endif
