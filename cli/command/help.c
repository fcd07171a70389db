/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/command/help.h"

#include <string.h>

enum { HELP_WIDTH = 98 };

#define COMMAND(name) extern const struct command name##_command;
#include "cli/command/commands.def"
#undef COMMAND

const struct command *const commands[] = {
#define COMMAND(name) &name##_command,
#include "cli/command/commands.def"
#undef COMMAND
    NULL,
};

const struct option_row option_help_row = {.name = "help", .letter = 'h', .help = "show help"};

const struct command *command_find(const char *name) {
  for (const struct command *const *at = commands; *at != NULL; at++)
    if (strcmp((*at)->name, name) == 0)
      return *at;
  return NULL;
}

void help_print(FILE *out) {
  fprintf(out, "usage: tailproof COMMAND [OPTION]... FILE...\n\ncommands:\n");
  for (const struct command *const *at = commands; *at != NULL; at++)
    fprintf(out, "  %-12s %s\n", (*at)->name, (*at)->summary);
  fprintf(out,
          "\ntailproof COMMAND --help lists the options of a command; tailproof --version.\n"
          "exit: 0 all proved or done, 1 refuted or not dominated, 2 unknown, 3 on independence\n"
          "      only, 64 usage, 65 mistakes in a file, 66 unreadable file, 69 tool missing,\n"
          "      70 internal error\n");
}

/* At the column, and again below it, so that it fits a terminal. */
static void print_wrapped(FILE *out, const char *text, size_t column) {
  size_t at = column;
  while (*text != '\0') {
    size_t length = strcspn(text, " ");
    if (at + 1 + length > HELP_WIDTH) {
      fprintf(out, "\n%*s", (int)column, "");
      at = column;
    }
    fprintf(out, " %.*s", (int)length, text);
    at += 1 + length;
    text += length + (text[length] == ' ');
  }
  fputc('\n', out);
}

static void print_row(FILE *out, const struct option_row *row) {
  char flag[64];
  snprintf(flag, sizeof flag, "%s%c%s --%s %s", row->letter ? "-" : " ",
           row->letter ? row->letter : ' ', row->letter ? "," : " ", row->name,
           row->argument ? row->argument : "");
  fprintf(out, "  %-24s", flag);
  print_wrapped(out, row->help, 26);
}

static void print_rows(FILE *out, const struct command *command) {
  for (const struct option_row *row = command->rows; row->name != NULL; row++)
    print_row(out, row);
}

void command_help(FILE *out, const struct command *command) {
  fprintf(out, "usage: tailproof %s [OPTION]... %s\n%s\n\n", command->name, command->arguments,
          command->summary);
  if (command->questions != NULL && command->run != NULL) {
    print_rows(out, command);
    fputc('\n', out);
  }
  for (size_t i = 0; command->questions != NULL && command->questions[i] != NULL; i++) {
    const struct command *question = command->questions[i];
    fprintf(out, "%s %s: %s\n", question->name, question->arguments, question->summary);
    print_rows(out, question);
    fputc('\n', out);
  }
  if (command->questions == NULL)
    print_rows(out, command);
  print_row(out, &option_help_row);
}

enum status help_name_question(const struct command *command) {
  fprintf(stderr, "tailproof %s: name a question:", command->name);
  for (size_t i = 0; command->questions[i] != NULL; i++)
    fprintf(stderr, "%s %s%s%s", i == 0 ? "" : ", or", command->questions[i]->name,
            command->questions[i]->arguments[0] == '\0' ? "" : " ",
            command->questions[i]->arguments);
  fprintf(stderr, "; see tailproof %s --help\n", command->name);
  return STATUS_USAGE;
}
