/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/command/options.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "base/text.h"
#include "cli/command/option_values.h"

enum { HELP_WIDTH = 98 };

struct option_row {
  const char *name;
  int letter;
  const char *argument, *commands, *help;
};

static const struct option_row rows[] = {
#define OPTION(id, name, letter, argument, commands, help) {name, letter, argument, commands, help},
#include "cli/command/options.def"
#undef OPTION
};

static const struct {
  enum option_id id;
  const char *commands, *help;
} helps[] = {
#define HELP(id, commands, help) {OPTION_##id, commands, help},
#include "cli/command/help.def"
#undef HELP
};

/* Of a command that answers several questions. */
static const struct question {
  const char *command, *word, *options;
} questions[] = {
#define WORD(command, word, options, summary) {#command, #word, options},
#include "cli/command/words.def"
#undef WORD
};

enum { QUESTION_COUNT = sizeof questions / sizeof *questions };

struct command_row {
  const char *name, *arguments, *summary;
};

static const struct command_row commands[] = {
#define COMMAND(name, function, arguments, summary) {#name, arguments, summary},
#include "cli/command/commands.def"
#undef COMMAND
};

bool options_has_word(const char *words, const char *word) {
  size_t length = strlen(word);
  for (const char *at = words; (at = strstr(at, word)) != NULL; at += length)
    if ((at == words || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
      return true;
  return false;
}

const char *option_help(enum option_id id, const char *command) {
  for (size_t i = 0; i < sizeof helps / sizeof *helps; i++)
    if (helps[i].id == id && options_has_word(helps[i].commands, command))
      return helps[i].help;
  return rows[id].help;
}

static const char *nearest_option(const char *command, const char *wrong) {
  const char *best = NULL;
  size_t least = 3;
  wrong += strspn(wrong, "-");
  for (size_t i = 0; i < OPTION_COUNT; i++) {
    size_t distance = text_distance(rows[i].name, wrong);
    if (options_has_word(rows[i].commands, command) && distance < least)
      least = distance, best = rows[i].name;
  }
  return best;
}

static enum status unknown_option(const char *command, const char *wrong) {
  const char *best = nearest_option(command, wrong);
  fprintf(stderr, "tailproof %s: unusable option \"%s\"; ", command, wrong);
  if (best != NULL)
    fprintf(stderr, "did you mean --%s?\n", best);
  else
    fprintf(stderr, "see tailproof %s --help\n", command);
  return STATUS_USAGE;
}

/* What getopt_long refused. It moves files behind the options, so only now is it known where the
 * option stood; a letter may be one of several behind a "-". */
static enum status refused_option(const char *command, char *const *argv) {
  char letter[] = {'-', (char)optopt, '\0'};
  return unknown_option(command, optopt > 0 && optopt < 128 ? letter : argv[optind - 1]);
}

/* Fills the tables of getopt_long with the command's options; val is the row + 1. */
static void fill(const char *command, struct option *longs, char *shorts) {
  size_t n = 0, s = 0;
  shorts[s++] = ':';
  for (int i = 0; i < OPTION_COUNT; i++) {
    if (!options_has_word(rows[i].commands, command))
      continue;
    int wants = rows[i].argument == NULL ? no_argument : required_argument;
    longs[n++] = (struct option){rows[i].name, wants, NULL, 1000 + i};
    if (rows[i].letter != 0) {
      shorts[s++] = (char)rows[i].letter;
      if (wants == required_argument)
        shorts[s++] = ':';
    }
  }
  longs[n] = (struct option){0};
  shorts[s] = '\0';
}

static enum option_id row_of(int got) {
  if (got >= 1000)
    return (enum option_id)(got - 1000);
  int i = 0;
  while (i < OPTION_COUNT && rows[i].letter != got)
    i++;
  return (enum option_id)i;
}

/* The question asked has no use for the option, but another one of the command has. */
static enum status refuse_unused(const struct question *asked, const char *option) {
  struct text where, remedy, name;
  text_init(&where);
  text_init(&remedy);
  text_init(&name);
  text_format(&where, "%s %s", asked->command, asked->word);
  text_format(&name, "--%s", option);
  for (size_t i = 0; i < QUESTION_COUNT; i++)
    if (strcmp(questions[i].command, asked->command) == 0 &&
        options_has_word(questions[i].options, option))
      text_format(&remedy, "leave it out; it belongs to %s %s", asked->command, questions[i].word);
  enum status status =
      option_complain(where.data, "it has no use for", name.data, text_get(&remedy));
  text_clear(&where);
  text_clear(&remedy);
  text_clear(&name);
  return status;
}

/* Refuses what would be ignored. */
static enum status check_use(const struct options *o, const char *command, const bool *given) {
  if (o->help)
    return STATUS_OK;
  if (o->forget_timing && !o->infer)
    return option_complain(command, "--forget-timing is about --infer", NULL, "give both");
  if (strcmp(command, "certify") == 0 && o->check == NULL && given[OPTION_WITH])
    return option_complain(command, "--with is about --check", NULL, "give both");
  if (strcmp(command, "certify") == 0 && o->check == NULL && given[OPTION_EVERY])
    return option_complain(command, "--every is about --check", NULL, "give both");
  const char *first = o->file_count != 0 ? o->files[0] : "";
  for (size_t i = 0; i < QUESTION_COUNT; i++) {
    if (strcmp(questions[i].command, command) != 0 || strcmp(questions[i].word, first) != 0)
      continue;
    for (size_t k = 0; k < OPTION_COUNT; k++)
      if (given[k] && !options_has_word(questions[i].options, rows[k].name))
        return refuse_unused(&questions[i], rows[k].name);
  }
  return STATUS_OK;
}

static void append_word(struct text *line, const char *word) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                              "_@%+=:,./-";
  text_append(line, " ");
  if (word[0] != '\0' && word[strspn(word, plain)] == '\0') {
    text_append(line, word);
    return;
  }
  text_append(line, "'");
  for (; *word != '\0'; word++)
    if (*word == '\'')
      text_append(line, "'\\''");
    else
      text_append_bytes(line, word, 1);
  text_append(line, "'");
}

/* Before getopt_long changes the order. */
static char *command_line(int argc, char **argv) {
  struct text line;
  text_init(&line);
  text_append(&line, "tailproof");
  for (int i = 0; i < argc; i++)
    append_word(&line, argv[i]);
  return text_take(&line);
}

enum status options_read(struct options *o, const char *command, int argc, char **argv) {
  memset(o, 0, sizeof *o);
  o->line = command_line(argc, argv);
  rational_init(&o->confidence);
  rational_set_fraction(&o->confidence, 99, 100);
  o->jobs = parallel_processors();
  o->timeout_ms = 10000;
  o->every = 1;
  o->percentiles = "50,90,99,99.9";
  o->with = "cvc5";
  struct option longs[OPTION_COUNT + 1];
  char shorts[2 * OPTION_COUNT + 2];
  bool given[OPTION_COUNT] = {false};
  fill(command, longs, shorts);
  opterr = 0;
  optind = 1;
  enum status status = STATUS_OK;
  while (status == STATUS_OK) {
    int got = getopt_long(argc, argv, shorts, longs, NULL);
    if (got == -1)
      break;
    if (got == ':')
      status =
          option_complain(command, "a value is missing behind", argv[optind - 1], "see --help");
    else if (got == '?')
      status = refused_option(command, argv);
    else
      status = option_apply(o, command, row_of(got), optarg);
    if (got != ':' && got != '?')
      given[row_of(got)] = true;
  }
  o->files = (const char *const *)(argv + optind);
  o->file_count = (size_t)(argc - optind);
  return status == STATUS_OK ? check_use(o, command, given) : status;
}

static void settings_clear(settings *list) {
  for (size_t i = 0; i < list->count; i++)
    mem_free((void *)(uintptr_t)list->data[i].name);
  vector_clear(list);
}

void options_clear(struct options *o) {
  mem_free(o->line);
  settings_clear(&o->set);
  settings_clear(&o->units);
  settings_clear(&o->caps);
  settings_clear(&o->laws);
  settings_clear(&o->rates);
  vector_clear(&o->together);
  vector_clear(&o->together_each);
  vector_clear(&o->slo);
  vector_clear(&o->above);
  vector_clear(&o->joint);
  vector_clear(&o->neighbours);
  vector_clear(&o->scale_out);
  vector_clear(&o->workers);
  rational_clear(&o->confidence);
}

const char *settings_find(const settings *list, const char *name) {
  for (size_t i = 0; i < list->count; i++)
    if (strcmp(list->data[i].name, name) == 0)
      return list->data[i].value;
  return NULL;
}

void options_help(FILE *out) {
  fprintf(out, "usage: tailproof COMMAND [OPTION]... FILE...\n\ncommands:\n");
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
    fprintf(out, "  %-12s %s\n", commands[i].name, commands[i].summary);
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

void options_command_help(FILE *out, const char *command) {
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
    if (strcmp(commands[i].name, command) == 0)
      fprintf(out, "usage: tailproof %s [OPTION]... %s\n%s\n\n", command, commands[i].arguments,
              commands[i].summary);
  for (size_t i = 0; i < OPTION_COUNT; i++) {
    if (!options_has_word(rows[i].commands, command))
      continue;
    char flag[64];
    snprintf(flag, sizeof flag, "%s%c%s --%s %s", rows[i].letter ? "-" : " ",
             rows[i].letter ? rows[i].letter : ' ', rows[i].letter ? "," : " ", rows[i].name,
             rows[i].argument ? rows[i].argument : "");
    fprintf(out, "  %-24s", flag);
    print_wrapped(out, option_help((enum option_id)i, command), 26);
  }
}
