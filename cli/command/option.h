/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The command line. Each command has a struct of its options, which begins with a struct
 * command_line, and a table of rows, each of which says which field an option sets and how. What is
 * in no row of a command is refused; help, completion and the man page are made of the same rows.
 *
 *   struct verify_options { struct command_line line; const char *bound; bool explain; };
 *
 *   static const struct option_row rows[] = {
 *       OPTION("bound", 'b', "NAME", "only this bound", option_text, offsetof(..., bound)),
 *       OPTION("explain", 0, NULL, "also say why", option_flag, offsetof(..., explain)),
 *       {0}};
 */
#ifndef CLI_COMMAND_OPTION_H
#define CLI_COMMAND_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/status.h"
#include "base/vector.h"
#include "cli/question/setting.h"

/* What every command reads. Strings point into argv; `typed` is owned. */
struct command_line {
  const char *command; /* "verify", "whatif predict" */
  char *typed;         /* all of it, for a shell */
  bool help;
  const char *const *files; /* what is no option */
  size_t file_count;
  VECTOR(const char *) given; /* names of the options, each time they were given; owned */
};

struct option_row;

/* How a value is read into a field and what the field owns is freed. read: STATUS_USAGE after
 * option_complain. */
struct option_kind {
  enum status (*read)(void *field, const struct option_row *row, const char *command,
                      const char *value);
  void (*clear)(void *field); /* NULL: nothing is owned */
};

struct option_row {
  const char *name;
  char letter;          /* 0: none */
  const char *argument; /* what help calls the value; NULL: a flag. FILE and DIR are completed; in
                           brackets it may be left out, and is then "" */
  const char *help;
  const struct option_kind *kind;
  size_t field;        /* offset in the command's struct */
  const char *words;   /* of option_choice and option_word: what there is, separated by blanks */
  const char *instead; /* of an old name: what it is called now; it is taken with a note */
};

extern const struct option_kind option_flag[1];       /* bool */
extern const struct option_kind option_off[1];        /* bool, which it makes false */
extern const struct option_kind option_text[1];       /* const char * */
extern const struct option_kind option_path[1];       /* const char *, not empty */
extern const struct option_kind option_word[1];       /* const char *, one of `words` */
extern const struct option_kind option_choice[1];     /* enum: the number of the word in `words` */
extern const struct option_kind option_texts[1];      /* texts; repeatable */
extern const struct option_kind option_paths[1];      /* texts, none empty; repeatable */
extern const struct option_kind option_settings[1];   /* settings: NAME=VALUE, each name once */
extern const struct option_kind option_jobs[1];       /* size_t, 1 .. 1024 */
extern const struct option_kind option_count[1];      /* unsigned, 1 .. 2^31-1 */
extern const struct option_kind option_seed[1];       /* unsigned, 0 .. 2^31-1 */
extern const struct option_kind option_seconds[1];    /* unsigned: ms, 1 .. a day */
extern const struct option_kind option_share[1];      /* double, 0 .. 1 */
extern const struct option_kind option_confidence[1]; /* struct rational, 0 .. 1 - 10^-12 */
extern const struct option_kind option_weight[1];     /* struct stack_weight */

#define OPTION(name_, letter_, argument_, help_, kind_, field_)                                    \
  {                                                                                                \
    .name = name_, .letter = letter_, .argument = argument_, .help = help_, .kind = kind_,         \
    .field = field_                                                                                \
  }

/* With the words that its value is one of. */
#define OPTION_WORDS(name_, letter_, argument_, help_, kind_, field_, words_)                      \
  {                                                                                                \
    .name = name_, .letter = letter_, .argument = argument_, .help = help_, .kind = kind_,         \
    .field = field_, .words = words_                                                               \
  }

/* The name that an option had in the version before: `row` is the OPTION that it is now, with the
 * old name in place of its own, and `now` its name. */
#define OPTION_OLD(old_, letter_, argument_, now_, kind_, field_)                                  \
  {                                                                                                \
    .name = old_, .letter = letter_, .argument = argument_, .help = "now --" now_, .kind = kind_,  \
    .field = field_, .instead = now_                                                               \
  }

/* One of the questions that a command answers, or a command that answers one. */
struct command {
  const char *name; /* "verify"; of a question: "predict" */
  const char *arguments, *summary;
  const struct option_row *rows;           /* NULL behind the last; without --help */
  size_t size;                             /* of its struct */
  void (*prepare)(void *options);          /* sets what is not 0 without an option; or NULL */
  enum status (*run)(const void *options); /* NULL: only `questions` answer */
  const struct command *const *questions;  /* NULL behind the last; or NULL: none */
};

/* Runs a command with the arguments behind its name. */
enum status command_run(const struct command *command, int argc, char **argv);

/* The two halves of it. `options` is the command's struct, all zero: it gets what prepare sets and
 * then what the arguments say; argv[0] is not looked at. STATUS_USAGE after a line on stderr. To be
 * cleared in any case. */
enum status options_read(void *options, const struct command *command, const struct command *parent,
                         int argc, char **argv);
void options_clear(void *options, const struct command *command);

/* --help, and its row in every command. */
extern const struct option_row option_help_row;
/* `parent` of a question is its command; else NULL. */
void command_help(FILE *out, const struct command *parent, const struct command *command);

/* "tailproof COMMAND: WHAT "VALUE"; REMEDY" on stderr, and STATUS_USAGE. `value` may be NULL. */
enum status option_complain(const char *command, const char *what, const char *value,
                            const char *remedy);

/* Whether the option was given, "route". */
bool option_is_given(const struct command_line *line, const char *name);

/* STATUS_USAGE after a message when one of the options, names separated by blanks, was given: this
 * input ("event logs") does not use them. A command whose rows serve several kinds of input calls
 * it for what it was given, so that no option passes unheard. */
enum status option_refuse_unused(const struct command_line *line, const char *input,
                                 const char *names);

/* The same when one was given that is not among the names: the only ones that this input uses. */
enum status option_refuse_others(const struct command_line *line, const char *input,
                                 const char *names);

/* STATUS_USAGE, after a message, when there are not between `least` and `most` files: "name WHAT",
 * "a protocol file". */
enum status need_files(const struct command_line *line, size_t least, size_t most,
                       const char *what);

#endif
