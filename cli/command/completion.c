/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Completion scripts for shells, made from the tables of commands and options. */
#include <stdio.h>
#include <string.h>

#include "cli/command/help.h"

static const char *const shells = "bash zsh fish";

/* What the command's arguments are files of, by what its usage calls them. */
enum arguments { ARE_FILES, ARE_PROTOCOLS, ARE_CONFIGURATIONS };

static enum arguments arguments_of(const struct command *command) {
  if (strncmp(command->arguments, "FILE", 4) == 0)
    return ARE_PROTOCOLS;
  return strstr(command->arguments, ".yaml") != NULL && command->questions == NULL
             ? ARE_CONFIGURATIONS
             : ARE_FILES;
}

/* The next row that is no old name; NULL: none is left. */
static const struct option_row *next_row(const struct option_row *row) {
  while (row->name != NULL && row->instead != NULL)
    row++;
  return row->name == NULL ? NULL : row;
}

#define FOR_ROWS(row, command)                                                                     \
  for (const struct option_row *row = next_row((command)->rows); row != NULL;                      \
       row = next_row(row + 1))

/* --- bash ---------------------------------------------------------------------------------------
 */

static bool has_option(const struct command *command, const char *name) {
  bool has = false;
  FOR_ROWS(row, command)
  has = has || strcmp(row->name, name) == 0;
  return has;
}

static void bash_names(const struct command *command) {
  FOR_ROWS(row, command)
  printf("--%s ", row->name);
}

/* Of a question those that no question before it has. */
static void bash_new_names(const struct command *const *questions, size_t question) {
  FOR_ROWS(row, questions[question]) {
    bool seen = false;
    for (size_t i = 0; i < question; i++)
      seen = seen || has_option(questions[i], row->name);
    if (!seen)
      printf("--%s ", row->name);
  }
}

/* Of a command that answers several questions all, until one is named. */
static void bash_options(const struct command *command) {
  printf("  %s) options=\"", command->name);
  for (size_t i = 0; command->questions != NULL && command->questions[i] != NULL; i++)
    bash_new_names(command->questions, i);
  FOR_ROWS(row, command) {
    bool seen = false;
    for (size_t i = 0; command->questions != NULL && command->questions[i] != NULL; i++)
      seen = seen || has_option(command->questions[i], row->name);
    if (!seen)
      printf("--%s ", row->name);
  }
  printf("--%s\" ;;\n", option_help_row.name);
}

static void bash_questions(void) {
  printf("  case $command:${COMP_WORDS[2]} in\n");
  for (const struct command *const *at = commands; *at != NULL; at++)
    for (size_t i = 0; (*at)->questions != NULL && (*at)->questions[i] != NULL; i++) {
      printf("  %s:%s) options=\"", (*at)->name, (*at)->questions[i]->name);
      bash_names((*at)->questions[i]);
      printf("--%s\" ;;\n", option_help_row.name);
    }
  printf("  esac\n");
}

static void bash_words(void) {
  for (const struct command *const *at = commands; *at != NULL; at++) {
    if ((*at)->questions == NULL)
      continue;
    printf("  %s:2:*) COMPREPLY=($(compgen -W \"", (*at)->name);
    for (size_t i = 0; (*at)->questions[i] != NULL; i++)
      printf("%s%s", i == 0 ? "" : " ", (*at)->questions[i]->name);
    printf("\" -- \"$word\")) ;;\n");
  }
}

/* What follows an option, by the command: words, files, folders, or nothing that is known. */
static void bash_values(const char *command, const struct command *owner) {
  FOR_ROWS(row, owner) {
    if (row->argument == NULL)
      continue;
    printf("  %s:--%s", command, row->name);
    if (row->letter != 0)
      printf(" | %s:-%c", command, row->letter);
    if (row->words != NULL)
      printf(") COMPREPLY=($(compgen -P \"$prefix\" -W \"%s\" -- \"$word\")); return ;;\n",
             row->words);
    else if (strcmp(row->argument, "DIR") == 0)
      printf(") COMPREPLY=($(compgen -P \"$prefix\" -d -- \"$word\")); return ;;\n");
    else if (strcmp(row->argument, "FILE") == 0)
      printf(") COMPREPLY=($(compgen -P \"$prefix\" -f -- \"$word\")); return ;;\n");
    else
      printf(") COMPREPLY=(); return ;;\n");
  }
}

static void bash_arguments(void) {
  for (const struct command *const *at = commands; *at != NULL; at++) {
    bash_values((*at)->name, *at);
    for (size_t i = 0; (*at)->questions != NULL && (*at)->questions[i] != NULL; i++)
      bash_values((*at)->name, (*at)->questions[i]);
  }
}

/* What is completed, and the option it may be a value of: bash takes "--format=s" for three words,
 * or for one where "=" parts no words. Behind "--" is a program with its arguments. */
static const char bash_start[] =
    "  local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}\n"
    "  local command=${COMP_WORDS[1]} options= prefix= i\n"
    "  COMPREPLY=()\n"
    "  for ((i = 2; i < COMP_CWORD; i++)); do\n"
    "    [ \"${COMP_WORDS[i]}\" = -- ] || continue\n"
    "    if [ \"$i\" -eq $((COMP_CWORD - 1)) ]; then COMPREPLY=($(compgen -c -- \"$word\"))\n"
    "    else COMPREPLY=($(compgen -f -- \"$word\")); fi\n"
    "    return\n"
    "  done\n"
    "  if [ \"$word\" = '=' ]; then word=\n"
    "  elif [ \"$previous\" = '=' ]; then previous=${COMP_WORDS[COMP_CWORD - 2]}; fi\n"
    "  case $word in --*=*) previous=${word%%=*} prefix=${word%%=*}= word=${word#*=} ;; esac\n";

/* Files of the kind that the command, or its question, takes. */
static void bash_kind(const char *command, const char *question, enum arguments are) {
  if (are != ARE_FILES)
    printf("  %s:%s:*) COMPREPLY=($(compgen -f -X '!*.%s' -- \"$word\") $(compgen -d -- "
           "\"$word\")) ;;\n",
           command, question, are == ARE_PROTOCOLS ? "tp" : "y*ml");
}

static void bash_files(void) {
  printf("  *) case $command:${COMP_WORDS[2]}:$word in\n");
  for (const struct command *const *at = commands; *at != NULL; at++) {
    bash_kind((*at)->name, "*", arguments_of(*at));
    for (size_t i = 0; (*at)->questions != NULL && (*at)->questions[i] != NULL; i++)
      bash_kind((*at)->name, (*at)->questions[i]->name, arguments_of((*at)->questions[i]));
  }
  printf("  *) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n  esac ;;\n");
}

static void print_bash(void) {
  printf("# tailproof completion bash: source this file, or put it where bash-completion looks.\n"
         "_tailproof() {\n"
         "%s"
         "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
         "    COMPREPLY=($(compgen -W \"",
         bash_start);
  for (const struct command *const *at = commands; *at != NULL; at++)
    printf("%s ", (*at)->name);
  printf("--help --version\" -- \"$word\"))\n"
         "    return\n"
         "  fi\n"
         "  case $command:$previous in\n");
  bash_arguments();
  printf("  esac\n  case $command in\n");
  for (const struct command *const *at = commands; *at != NULL; at++)
    bash_options(*at);
  printf("  esac\n");
  bash_questions();
  printf("  case $command:$COMP_CWORD:$word in\n"
         "  *:*:-*) COMPREPLY=($(compgen -W \"$options\" -- \"$word\")) ;;\n");
  bash_words();
  printf("  completion:*) COMPREPLY=($(compgen -W \"%s\" -- \"$word\")) ;;\n"
         "  explain:*) COMPREPLY=($(compgen -W \"$(tailproof explain 2>/dev/null | cut -d' ' "
         "-f1)\" -- \"$word\")) ;;\n",
         shells);
  bash_files();
  printf("  esac\n"
         "}\n"
         "complete -o filenames -F _tailproof tailproof\n");
}

/* --- zsh ----------------------------------------------------------------------------------------
 */

/* Text between single quotes; with `escape` also colons and brackets, which mean something to zsh.
 */
static void print_quoted(const char *text, bool escape) {
  for (; *text != '\0'; text++) {
    if (*text == '\'')
      printf("'\\''");
    else if (escape && strchr(":[]\\", *text) != NULL)
      printf("\\%c", *text);
    else
      putchar(*text);
  }
}

static void zsh_option(const struct option_row *row) {
  printf("      '--%s%s[", row->name, row->argument ? "=" : "");
  print_quoted(row->help, true);
  putchar(']');
  if (row->argument != NULL) {
    printf(":%s:", row->argument);
    if (row->words != NULL)
      printf("(%s)", row->words);
    else if (strcmp(row->argument, "DIR") == 0)
      printf("_files -/");
    else if (strcmp(row->argument, "FILE") == 0)
      printf("_files");
  }
  printf("' \\\n");
}

static void zsh_options(const struct command *command) {
  FOR_ROWS(row, command)
  zsh_option(row);
}

static void zsh_questions(const struct command *command) {
  printf("      '1:question:((");
  for (size_t i = 0; command->questions[i] != NULL; i++) {
    printf("%s\\:\"", command->questions[i]->name);
    print_quoted(command->questions[i]->summary, true);
    printf("\" ");
  }
  printf("))' \\\n      '*:file:_files'\n    ;;\n");
}

static void zsh_files(const struct command *command) {
  if (command->questions != NULL)
    zsh_questions(command);
  else if (strcmp(command->name, "completion") == 0)
    printf("      '*:shell:(%s)'\n    ;;\n", shells);
  else if (strcmp(command->name, "explain") == 0)
    printf("      '*:code:(${(f)\"$(tailproof explain 2>/dev/null | cut -d\" \" -f1)\"})'\n    "
           ";;\n");
  else if (arguments_of(command) == ARE_FILES)
    printf("      '*:file:_files'\n    ;;\n");
  else if (arguments_of(command) == ARE_CONFIGURATIONS)
    printf("      '*:configuration:_files -g \"*.y*ml\"'\n    ;;\n");
  else
    printf("      '*:protocol:_files -g \"*.tp\"'\n    ;;\n");
}

static void print_zsh(void) {
  printf("#compdef tailproof\n"
         "# tailproof completion zsh: save as _tailproof in a folder of $fpath.\n"
         "_tailproof() {\n"
         "  if (( CURRENT == 2 )); then\n"
         "    local -a commands=(\n");
  for (const struct command *const *at = commands; *at != NULL; at++) {
    printf("      '%s:", (*at)->name);
    print_quoted((*at)->summary, true);
    printf("'\n");
  }
  printf("    )\n"
         "    _describe command commands\n"
         "    return\n"
         "  fi\n"
         "  local command=$words[2]\n"
         "  shift words\n"
         "  (( CURRENT-- ))\n"
         "  case $command in\n");
  for (const struct command *const *at = commands; *at != NULL; at++) {
    printf("  %s)\n    _arguments \\\n", (*at)->name);
    for (size_t i = 0; (*at)->questions != NULL && (*at)->questions[i] != NULL; i++)
      zsh_options((*at)->questions[i]);
    zsh_options(*at);
    zsh_option(&option_help_row);
    zsh_files(*at);
  }
  printf("  esac\n}\n_tailproof \"$@\"\n");
}

/* --- fish ---------------------------------------------------------------------------------------
 */

static void fish_option(const char *command, const struct option_row *row) {
  printf("complete -c tailproof -n '__fish_seen_subcommand_from %s' -l %s", command, row->name);
  if (row->letter != 0)
    printf(" -s %c", row->letter);
  if (row->argument != NULL) {
    if (row->words != NULL)
      printf(" -x -a '%s'", row->words);
    else if (strcmp(row->argument, "DIR") == 0)
      printf(" -x -a '(__fish_complete_directories)'");
    else
      printf(strcmp(row->argument, "FILE") == 0 ? " -r -F" : " -x");
  }
  printf(" -d '");
  print_quoted(row->help, false);
  printf("'\n");
}

static void fish_question(const struct command *command, const struct command *question) {
  printf("complete -c tailproof -f -n '__fish_seen_subcommand_from %s; and not "
         "__fish_seen_subcommand_from",
         command->name);
  for (size_t k = 0; command->questions[k] != NULL; k++)
    printf(" %s", command->questions[k]->name);
  printf("' -a %s -d '", question->name);
  print_quoted(question->summary, false);
  printf("'\n");
}

static void fish_command(const struct command *command) {
  for (size_t i = 0; command->questions != NULL && command->questions[i] != NULL; i++) {
    const struct command *question = command->questions[i];
    fish_question(command, question);
    FOR_ROWS(row, question)
    fish_option(question->name, row);
  }
  FOR_ROWS(row, command)
  fish_option(command->name, row);
  fish_option(command->name, &option_help_row);
}

static void print_fish(void) {
  printf("# tailproof completion fish: save as ~/.config/fish/completions/tailproof.fish\n");
  for (const struct command *const *at = commands; *at != NULL; at++) {
    printf("complete -c tailproof -f -n __fish_use_subcommand -a %s -d '", (*at)->name);
    print_quoted((*at)->summary, false);
    printf("'\n");
  }
  printf("complete -c tailproof -f -n '__fish_seen_subcommand_from completion' -a '%s'\n", shells);
  for (const struct command *const *at = commands; *at != NULL; at++)
    fish_command(*at);
}

/* ------------------------------------------------------------------------------------------------
 */

static enum status run(const void *options) {
  static const struct {
    const char *name;
    void (*print)(void);
  } known[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};
  const struct command_line *line = options;
  for (size_t i = 0; line->file_count == 1 && i < sizeof known / sizeof *known; i++) {
    if (strcmp(line->files[0], known[i].name) != 0)
      continue;
    known[i].print();
    return STATUS_OK;
  }
  fprintf(stderr, "tailproof completion: name a shell: bash, zsh or fish\n");
  return STATUS_USAGE;
}

static const struct option_row no_rows[] = {{0}};

const struct command completion_command = {"completion",
                                           "SHELL",
                                           "print a completion script for bash, zsh or fish",
                                           no_rows,
                                           sizeof(struct command_line),
                                           NULL,
                                           run,
                                           NULL};
