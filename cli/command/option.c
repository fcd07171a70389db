/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/command/option.h"

#include <getopt.h>
#include <string.h>

#include "base/memory.h"
#include "base/rational.h"
#include "base/text.h"
#include "cli/command/help.h"

enum { ROWS_MAX = 64, LONG = 1000 };

enum status option_complain(const char *command, const char *what, const char *value,
                            const char *remedy) {
  fprintf(stderr, "tailproof %s: %s%s%s%s; %s\n", command, what, value ? " \"" : "",
          value ? value : "", value ? "\"" : "", remedy);
  return STATUS_USAGE;
}

enum status need_files(const struct command_line *line, size_t least, size_t most,
                       const char *what) {
  if (line->file_count >= least && line->file_count <= most)
    return STATUS_OK;
  fprintf(stderr, "tailproof %s: name %s%s; see tailproof %s --help\n", line->command,
          line->file_count < least || least > 1 ? "" : "only one: ", what, line->command);
  return STATUS_USAGE;
}

static const struct option_row *nearest(const struct command *command, const char *wrong) {
  const struct option_row *best = NULL;
  size_t least = 3;
  wrong += strspn(wrong, "-");
  for (const struct option_row *row = command->rows; row->name != NULL; row++) {
    size_t distance = text_distance(row->name, wrong);
    if (distance < least && row->instead == NULL)
      least = distance, best = row;
  }
  return best;
}

/* The question of the same command that has the option, where this one has none. */
static const struct command *owner_of(const struct command *parent, const char *wrong) {
  size_t length = strcspn(wrong, "=");
  for (size_t i = 0; parent != NULL && parent->questions[i] != NULL; i++)
    for (const struct option_row *row = parent->questions[i]->rows; row->name != NULL; row++)
      if (strncmp(wrong, "--", 2) == 0 && strlen(row->name) + 2 == length &&
          strncmp(row->name, wrong + 2, length - 2) == 0)
        return parent->questions[i];
  return NULL;
}

static enum status unknown_option(const struct command *command, const struct command *parent,
                                  const char *title, const char *wrong) {
  const struct command *owner = owner_of(parent, wrong);
  if (owner != NULL) {
    fprintf(stderr, "tailproof %s: it has no use for \"%.*s\"; leave it out; it belongs to %s %s\n",
            title, (int)strcspn(wrong, "="), wrong, parent->name, owner->name);
    return STATUS_USAGE;
  }
  const struct option_row *best = nearest(command, wrong);
  fprintf(stderr, "tailproof %s: unusable option \"%s\"; ", title, wrong);
  if (best != NULL)
    fprintf(stderr, "did you mean --%s?\n", best->name);
  else
    fprintf(stderr, "see tailproof %s --help\n", title);
  return STATUS_USAGE;
}

/* The tables of getopt_long: val is the letter, or LONG and the number of the row. */
static size_t fill(const struct command *command, struct option longs[ROWS_MAX + 2],
                   char shorts[2 * ROWS_MAX + 4]) {
  size_t n = 0, s = 0;
  shorts[s++] = ':';
  shorts[s++] = option_help_row.letter;
  for (const struct option_row *row = command->rows; row->name != NULL; row++, n++) {
    if (n == ROWS_MAX)
      bug("too many options of %s", command->name);
    int wants = row->argument == NULL ? no_argument : required_argument;
    longs[n] = (struct option){row->name, wants, NULL, LONG + (int)n};
    if (row->letter == 0)
      continue;
    shorts[s++] = row->letter;
    if (wants == required_argument)
      shorts[s++] = ':';
  }
  longs[n] = (struct option){option_help_row.name, no_argument, NULL, option_help_row.letter};
  longs[n + 1] = (struct option){0};
  shorts[s] = '\0';
  return n;
}

static const struct option_row *row_of(const struct command *command, int got) {
  if (got >= LONG)
    return &command->rows[got - LONG];
  const struct option_row *row = command->rows;
  while (row->name != NULL && row->letter != got)
    row++;
  return row;
}

/* getopt_long moves files behind the options, so only when it has refused one is it known where
 * that stood; a letter may be one of several behind a "-". */
static enum status refuse_option(const struct command *command, const struct command *parent,
                                 const char *title, char *const *argv) {
  char letter[] = {'-', (char)optopt, '\0'};
  bool is_letter = optopt > 0 && optopt < 128;
  return unknown_option(command, parent, title, is_letter ? letter : argv[optind - 1]);
}

/* What prepare does not set is 0, also where 0 needs memory. */
static void prepare(char *options, const struct command *command) {
  for (const struct option_row *row = command->rows; row->name != NULL; row++)
    if (row->kind == option_confidence)
      rational_init((struct rational *)(void *)(options + row->field));
  if (command->prepare != NULL)
    command->prepare(options);
}

/* A value in brackets may be left out: an option behind it is none. */
static bool may_lack_value(const struct option_row *row) {
  return row->argument != NULL && row->argument[0] == '[';
}

static bool lacks_value(const struct option_row *row, char *const *argv) {
  return may_lack_value(row) && optarg == argv[optind - 1] && optarg[0] == '-';
}

/* A file or folder that another one would silently take the place of. */
static enum status refuse_again(const struct command_line *line, const struct option_row *row) {
  const char *name = row->instead != NULL ? row->instead : row->name;
  bool single = row->kind == option_path || row->kind == option_text;
  bool of_file = row->argument != NULL &&
                 (strcmp(row->argument, "FILE") == 0 || strcmp(row->argument, "DIR") == 0 ||
                  strcmp(row->argument, "OUT") == 0);
  if (!single || !of_file || !option_is_given(line, name))
    return STATUS_OK;
  fprintf(stderr,
          "tailproof %s: --%s is given twice, and takes one %s; leave one out, or run it once for "
          "each\n",
          line->command, name, strcmp(row->argument, "DIR") == 0 ? "folder" : "file");
  return STATUS_USAGE;
}

/* An old name counts as the new one. */
static void note_given(struct command_line *line, const struct option_row *row) {
  vector_push(&line->given, row->instead != NULL ? row->instead : row->name);
  if (row->instead != NULL)
    fprintf(stderr, "tailproof %s: --%s is --%s now; the old name goes with the next version\n",
            line->command, row->name, row->instead);
}

enum status options_read(void *given, const struct command *command, const struct command *parent,
                         int argc, char **argv) {
  char *options = given;
  struct command_line *line = given;
  prepare(options, command);
  struct option longs[ROWS_MAX + 2];
  char shorts[2 * ROWS_MAX + 4];
  fill(command, longs, shorts);
  opterr = 0;
  optind = 1;
  enum status status = STATUS_OK;
  while (status == STATUS_OK) {
    int got = getopt_long(argc, argv, shorts, longs, NULL);
    if (got == -1)
      break;
    const struct option_row *row = got == '?' ? NULL : row_of(command, got == ':' ? optopt : got);
    if (row != NULL && row->name != NULL) {
      status = refuse_again(line, row);
      note_given(line, row);
    }
    if (status != STATUS_OK)
      break;
    if (got == ':' && may_lack_value(row)) {
      status = row->kind->read(options + row->field, row, line->command, "");
    } else if (got == ':')
      status = option_complain(line->command, "a value is missing behind", argv[optind - 1],
                               "see --help");
    else if (got == '?')
      status = refuse_option(command, parent, line->command, argv);
    else if (row->name == NULL)
      line->help = true;
    else if (lacks_value(row, argv)) {
      optind--;
      status = row->kind->read(options + row->field, row, line->command, "");
    } else
      status = row->kind->read(options + row->field, row, line->command, optarg);
  }
  line->files = (const char *const *)(argv + optind);
  line->file_count = (size_t)(argc - optind);
  return status;
}

void options_clear(void *options, const struct command *command) {
  struct command_line *line = options;
  vector_clear(&line->given);
  for (const struct option_row *row = command->rows; row->name != NULL; row++)
    if (row->kind->clear != NULL)
      row->kind->clear((char *)options + row->field);
}

bool option_is_given(const struct command_line *line, const char *name) {
  for (size_t i = 0; i < line->given.count; i++)
    if (strcmp(line->given.data[i], name) == 0)
      return true;
  return false;
}

/* names: separated by blanks */
static bool is_among(const char *name, const char *names) {
  size_t length = strlen(name);
  for (const char *at = names; (at = strstr(at, name)) != NULL; at += length)
    if ((at == names || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
      return true;
  return false;
}

static enum status refuse(const struct command_line *line, const char *input, const char *names,
                          bool among) {
  for (size_t i = 0; i < line->given.count; i++) {
    const char *name = line->given.data[i];
    if (is_among(name, names) != among)
      continue;
    fprintf(stderr, "tailproof %s: --%s says nothing of %s; leave it out\n", line->command, name,
            input);
    return STATUS_USAGE;
  }
  return STATUS_OK;
}

enum status option_refuse_unused(const struct command_line *line, const char *input,
                                 const char *names) {
  return refuse(line, input, names, true);
}

enum status option_refuse_others(const struct command_line *line, const char *input,
                                 const char *names) {
  return refuse(line, input, names, false);
}

static bool is_input(const char *path) {
  return path != NULL && strcmp(path, "-") == 0;
}

/* Values of an option that names files. */
static size_t count_inputs(const char *options, const struct option_row *row) {
  if (row->argument == NULL || strcmp(row->argument, "FILE") != 0)
    return 0;
  if (row->kind == option_path)
    return is_input(*(const char *const *)(const void *)(options + row->field));
  size_t count = 0;
  const texts *list = (const void *)(options + row->field);
  for (size_t i = 0; row->kind == option_paths && i < list->count; i++)
    count += is_input(list->data[i]);
  return count;
}

/* Whatever reads standard input second would read what the first has read. */
static enum status check_input(const void *options, const struct command *command) {
  const struct command_line *line = options;
  size_t count = 0;
  if (strncmp(command->arguments, "--", 2) == 0) /* what follows is another program's */
    return STATUS_OK;
  for (const struct option_row *row = command->rows; row->name != NULL; row++)
    count += count_inputs(options, row);
  for (size_t i = 0; i < line->file_count; i++)
    count += is_input(line->files[i]);
  if (count < 2)
    return STATUS_OK;
  return option_complain(line->command, "standard input is named more than once by", "-",
                         "let one of them be a file");
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
static char *typed_line(int argc, char **argv) {
  struct text line;
  text_init(&line);
  text_append(&line, "tailproof");
  for (int i = 0; i < argc; i++)
    append_word(&line, argv[i]);
  return text_take(&line);
}

static enum status answer(const struct command *command, const struct command *parent, char *typed,
                          int argc, char **argv) {
  struct text title;
  text_init(&title);
  text_format(&title, "%s%s%s", parent == NULL ? "" : parent->name, parent == NULL ? "" : " ",
              command->name);
  void *options = mem_alloc(1, command->size);
  struct command_line *line = options;
  line->command = title.data;
  line->typed = typed;
  enum status status = options_read(options, command, parent, argc, argv);
  if (status == STATUS_OK && line->help)
    command_help(stdout, parent, command);
  else if (status == STATUS_OK && (status = check_input(options, command)) == STATUS_OK)
    status = command->run(options);
  options_clear(options, command);
  mem_free(options);
  text_clear(&title);
  return status;
}

/* Which of the command's questions is asked: the first argument that is the name of one, which is
 * taken out; of a command that also does something itself, where it comes first. NULL: none. */
static const struct command *take_question(const struct command *command, int *argc, char **argv) {
  int last = command->run != NULL && *argc > 2 ? 2 : *argc;
  for (int i = 1; i < last; i++)
    for (size_t k = 0; command->questions[k] != NULL; k++)
      if (strcmp(argv[i], command->questions[k]->name) == 0) {
        memmove(&argv[i], &argv[i + 1], (size_t)(*argc - i) * sizeof *argv);
        --*argc;
        return command->questions[k];
      }
  return NULL;
}

enum status command_run(const struct command *command, int argc, char **argv) {
  char *typed = typed_line(argc, argv);
  const struct command *question = command, *parent = NULL;
  if (command->questions != NULL) {
    question = take_question(command, &argc, argv);
    parent = command;
  }
  if (question == NULL && command->run != NULL) {
    question = command;
    parent = NULL;
  }
  enum status status = STATUS_OK;
  if (question != NULL)
    status = answer(question, parent, typed, argc, argv);
  else if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0))
    command_help(stdout, NULL, command);
  else if (argc > 1 && argv[1][0] == '-' && owner_of(command, argv[1]) == NULL)
    status = unknown_option(command, NULL, command->name, argv[1]);
  else
    status = help_name_question(command);
  mem_free(typed);
  return status;
}
