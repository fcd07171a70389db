/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/command/help.h"

#include <ctype.h>
#include <string.h>

#include "base/text.h"

enum { HELP_WIDTH = 98 };

#define GROUP(name, question, brief)
#define RENAMED(old, now)
#define COMMAND(name) extern const struct command name##_command;
#include "cli/command/commands.def"
#undef COMMAND

const struct command *const commands[] = {
#define COMMAND(name) &name##_command,
#include "cli/command/commands.def"
#undef COMMAND
    NULL,
};
#undef GROUP

/* A group, or a command of the group before it. */
static const struct {
  const char *name, *question, *brief; /* of a group; else NULL */
  const struct command *command;       /* NULL: a group */
} shelf[] = {
#define GROUP(name, question, brief) {name, question, brief, NULL},
#define COMMAND(name) {NULL, NULL, NULL, &name##_command},
#include "cli/command/commands.def"
#undef COMMAND
#undef GROUP
#undef RENAMED
};

static const struct {
  const char *old, *now;
} renamed[] = {
#define GROUP(name, question, brief)
#define COMMAND(name)
#define RENAMED(old, now) {#old, now},
#include "cli/command/commands.def"
#undef COMMAND
#undef GROUP
#undef RENAMED
};

static const struct {
  const char *word, *command, *what;
} words[] = {
#define WORD(word, command, what) {word, command, what},
#include "cli/command/words.def"
#undef WORD
};

enum { SHELF = sizeof shelf / sizeof *shelf };

const struct option_row option_help_row = {.name = "help", .letter = 'h', .help = "show help"};

const struct command *command_find(const char *name) {
  for (const struct command *const *at = commands; *at != NULL; at++)
    if (strcmp((*at)->name, name) == 0)
      return *at;
  return NULL;
}

const char *command_renamed(const char *name) {
  for (size_t i = 0; i < sizeof renamed / sizeof *renamed; i++)
    if (strcmp(renamed[i].old, name) == 0)
      return renamed[i].now;
  return NULL;
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
    if (row->instead == NULL)
      print_row(out, row);
}

static void print_questions(FILE *out, const struct command *command) {
  fprintf(out, "\nquestions, each with options of its own (tailproof %s %s --help):\n",
          command->name, command->questions[0]->name);
  for (const struct command *const *at = command->questions; *at != NULL; at++) {
    fprintf(out, "  %s%s%s\n%10s", (*at)->name, (*at)->arguments[0] == '\0' ? "" : " ",
            (*at)->arguments, "");
    print_wrapped(out, (*at)->summary, 10);
  }
}

static void print_renamed(FILE *out, const struct command *command) {
  for (const struct option_row *row = command->rows; row->name != NULL; row++)
    if (row->instead != NULL)
      fprintf(out, "  --%s is --%s now; the old name goes with the next version\n", row->name,
              row->instead);
}

void command_help(FILE *out, const struct command *parent, const struct command *command) {
  fprintf(out, "usage: tailproof %s%s%s%s %s\n", parent == NULL ? "" : parent->name,
          parent == NULL ? "" : " ", command->name, command->run == NULL ? "" : " [OPTION]...",
          command->arguments);
  fprintf(out, "%s\n\n", command->summary);
  print_rows(out, command);
  print_row(out, &option_help_row);
  print_renamed(out, command);
  if (command->questions != NULL)
    print_questions(out, command);
}

/* --- of the program ------------------------------------------------------------------------- */

static bool is_called(const char *name, const char *typed) {
  size_t i = 0;
  while (name[i] != '\0' && tolower((unsigned char)name[i]) == tolower((unsigned char)typed[i]))
    i++;
  return name[i] == '\0' && typed[i] == '\0';
}

static void print_command(FILE *out, const struct command *command) {
  fprintf(out, "  %-11s", command->name);
  print_wrapped(out, command->summary, 13);
}

/* The group that stands there; whole: with a line for each command, whatever it has in brief. */
static void print_group(FILE *out, size_t at, bool whole) {
  fprintf(out, "%s: %s\n", shelf[at].name, shelf[at].question);
  if (!whole && shelf[at].brief != NULL) {
    fprintf(out, "  %s\n", shelf[at].brief);
    return;
  }
  for (at++; at < SHELF && shelf[at].command != NULL; at++)
    print_command(out, shelf[at].command);
}

void help_print(FILE *out) {
  fprintf(out, "usage: tailproof COMMAND [OPTION]... FILE...\n\n");
  for (size_t at = 0; at < SHELF; at++)
    if (shelf[at].command == NULL)
      print_group(out, at, false);
  fprintf(out,
          "\ntailproof COMMAND --help lists the options of a command; tailproof --version.\n"
          "exit: 0 all proved or done, 1 refuted or not dominated, 2 unknown, 3 on independence\n"
          "      only, 64 usage, 65 mistakes in a file, 66 unreadable file, 69 tool missing,\n"
          "      70 internal error\n");
}

static const struct command *question_of(const struct command *command, const char *name) {
  for (size_t i = 0; command->questions != NULL && command->questions[i] != NULL; i++)
    if (strcmp(command->questions[i]->name, name) == 0)
      return command->questions[i];
  return NULL;
}

enum status help_of(FILE *out, const char *name, const char *question) {
  for (size_t at = 0; at < SHELF; at++)
    if (shelf[at].command == NULL && is_called(shelf[at].name, name)) {
      print_group(out, at, true);
      return STATUS_OK;
    }
  const struct command *command = command_find(name);
  if (command == NULL)
    return help_unknown(name);
  const struct command *asked = question == NULL ? command : question_of(command, question);
  if (asked == NULL)
    return help_name_question(command);
  command_help(out, asked == command ? NULL : command, asked);
  return STATUS_OK;
}

/* A third of its letters may be wrong, rounded up from the half. */
static const char *nearest(const char *name) {
  const char *best = NULL;
  size_t least = (strlen(name) + 1) / 3 + 1;
  for (const struct command *const *at = commands; *at != NULL; at++) {
    size_t distance = text_distance((*at)->name, name);
    if (distance < least)
      least = distance, best = (*at)->name;
  }
  return best;
}

enum status help_unknown(const char *name) {
  fprintf(stderr, "tailproof: unknown command \"%s\"; ", name);
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (is_called(words[i].word, name)) {
      fprintf(stderr, "see tailproof %s: %s\n", words[i].command, words[i].what);
      return STATUS_USAGE;
    }
  const char *best = nearest(name);
  if (best != NULL)
    fprintf(stderr, "did you mean %s?\n", best);
  else
    fprintf(stderr, "see tailproof --help\n");
  return STATUS_USAGE;
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
