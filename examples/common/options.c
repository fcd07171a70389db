/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "examples/common/options.h"

#include "examples/common/complain.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t number_parse(const struct option_row *row, const char *text) {
  char *end;
  errno = 0;
  unsigned long long number = strtoull(text, &end, 10);
  if (*text >= '0' && *text <= '9' && *end == '\0' && errno == 0 && number >= row->least &&
      number <= row->most)
    return number;
  complain("--%s %s: a whole number from %" PRIu64 " to %" PRIu64 " is expected", row->name, text,
           row->least, row->most);
  exit(EXIT_USAGE);
}

static void help_print(const char *program, const char *about, const struct option_row *rows,
                       size_t count) {
  printf("usage: %s", program);
  for (size_t i = 0; i < count; i++)
    printf(rows[i].value != NULL ? " [--%s %s]" : " [--%s]", rows[i].name, rows[i].value);
  printf("\n%s\n", about);
  for (size_t i = 0; i < count; i++) {
    char head[64];
    snprintf(head, sizeof head, "--%s %s", rows[i].name,
             rows[i].value != NULL ? rows[i].value : "");
    printf("  %-18s %s", head, rows[i].help);
    if (rows[i].number != NULL)
      printf(", %" PRIu64 " to %" PRIu64 " (default %" PRIu64 ")", rows[i].least, rows[i].most,
             *rows[i].number);
    printf("\n");
  }
}

static void option_take(const struct option_row *row, const char *value) {
  if (row->flag != NULL)
    *row->flag = true;
  else if (value == NULL) {
    complain("--%s needs a value; see --help", row->name);
    exit(EXIT_USAGE);
  } else if (row->number != NULL)
    *row->number = number_parse(row, value);
  else
    *row->text = value;
}

void options_parse(const char *program, const char *about, const struct option_row *rows,
                   size_t count, int arguments_count, char **arguments) {
  complain_as(program);
  for (int i = 1; i < arguments_count; i++) {
    const char *argument = arguments[i];
    if (strncmp(argument, "--", 2) != 0) {
      complain("unexpected argument %s; see --help", argument);
      exit(EXIT_USAGE);
    }
    if (strcmp(argument, "--help") == 0) {
      help_print(program, about, rows, count);
      exit(EXIT_SUCCESS);
    }
    size_t row = 0;
    while (row < count && strcmp(argument + 2, rows[row].name) != 0)
      row++;
    if (row == count) {
      complain("unknown option %s; see --help", argument);
      exit(EXIT_USAGE);
    }
    if (rows[row].flag == NULL)
      i++;
    option_take(&rows[row], i < arguments_count ? arguments[i] : NULL);
  }
}
