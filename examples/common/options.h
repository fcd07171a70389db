/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Command lines of the examples, from a table: "--name VALUE" each, "--name" for flags.
 */
#ifndef EXAMPLES_COMMON_OPTIONS_H
#define EXAMPLES_COMMON_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Exactly one of number, text and flag is set; what it points to holds the default. */
struct option_row {
  const char *name;  /* without "--" */
  const char *value; /* its name in the help, "N", "DIR"; NULL for a flag */
  const char *help;
  uint64_t *number;
  uint64_t least, most; /* of a number */
  const char **text;
  bool *flag;
};

/* Reads the command line; prints help ("about", then the rows with their defaults) for --help. A
 * mistake gets one line and ends the program with EXIT_USAGE. */
void options_parse(const char *program, const char *about, const struct option_row *rows,
                   size_t count, int arguments_count, char **arguments);

#endif
