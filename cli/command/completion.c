/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Completion scripts for shells, made from the tables of commands and options. */
#include <stdio.h>
#include <string.h>

#include "cli/command/command.h"
#include "cli/command/option_values.h"

struct row {
  const char *name;
  int letter;
  const char *argument, *commands, *help;
};

static const struct row rows[] = {
#define OPTION(id, name, letter, argument, commands, help) {name, letter, argument, commands, help},
#include "cli/command/options.def"
#undef OPTION
};

static const struct {
  const char *name, *summary;
} commands[] = {
#define COMMAND(name, function, arguments, summary) {#name, summary},
#include "cli/command/commands.def"
#undef COMMAND
};

/* Of commands that answer several questions. */
static const struct {
  const char *command, *word, *options, *summary;
} questions[] = {
#define WORD(command, word, options, summary) {#command, #word, options, summary},
#include "cli/command/words.def"
#undef WORD
};

enum { QUESTION_COUNT = sizeof questions / sizeof *questions };
enum { ROW_COUNT = sizeof rows / sizeof *rows, COMMAND_COUNT = sizeof commands / sizeof *commands };

static const char *const shells = "bash zsh fish";

/* What completes the argument: words, or files or folders. */
static const char *words_of(const char *argument) {
  static const struct {
    const char *argument, *words;
  } known[] = {{"SOLVER", "cvc5 cvc4 z3"},
               {"FORMAT", "text json sarif junit"},
               {"WHICH", "independent unknown both"},
               {"GRID", "auto log linear"},
               {"BAND", "both ranks dkw"},
               {"BY", "node host index"},
               {"HOW", "auto freeze signal"},
               {"MODEL", "infinite gpd"}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strcmp(argument, known[i].argument) == 0)
      return known[i].words;
  return NULL;
}

static bool belongs(const struct row *row, const char *command) {
  return options_has_word(row->commands, command);
}

static void bash_options(const char *command) {
  printf("  %s) options=\"", command);
  bool any = false;
  for (size_t i = 0; i < ROW_COUNT; i++) {
    if (!belongs(&rows[i], command))
      continue;
    printf("%s--%s", any ? " " : "", rows[i].name);
    any = true;
  }
  printf("\" ;;\n");
}

/* Behind its first word a command takes only the options that are about this one. */
static void bash_questions(void) {
  printf("  case $command:${COMP_WORDS[2]} in\n");
  for (size_t i = 0; i < QUESTION_COUNT; i++) {
    printf("  %s:%s) options=\"", questions[i].command, questions[i].word);
    for (size_t k = 0; k < ROW_COUNT; k++)
      if (options_has_word(questions[i].options, rows[k].name))
        printf("--%s ", rows[k].name);
    printf("\" ;;\n");
  }
  printf("  esac\n");
}

static void bash_words(void) {
  for (size_t i = 0; i < QUESTION_COUNT; i++) {
    const char *command = questions[i].command;
    bool first = i == 0 || strcmp(questions[i - 1].command, command) != 0;
    bool last = i + 1 == QUESTION_COUNT || strcmp(questions[i + 1].command, command) != 0;
    if (first)
      printf("  %s:2:*) COMPREPLY=($(compgen -W \"", command);
    printf("%s%s", questions[i].word, last ? "\" -- \"$word\")) ;;\n" : " ");
  }
}

static void bash_arguments(void) {
  for (size_t i = 0; i < ROW_COUNT; i++) {
    const struct row *row = &rows[i];
    if (row->argument == NULL)
      continue;
    printf("  --%s", row->name);
    if (row->letter != 0)
      printf(" | -%c", row->letter);
    const char *words = words_of(row->argument);
    if (words != NULL)
      printf(") COMPREPLY=($(compgen -P \"$prefix\" -W \"%s\" -- \"$word\")); return ;;\n", words);
    else if (strcmp(row->argument, "DIR") == 0)
      printf(") COMPREPLY=($(compgen -P \"$prefix\" -d -- \"$word\")); return ;;\n");
    else if (strcmp(row->argument, "FILE") == 0)
      printf(") COMPREPLY=($(compgen -P \"$prefix\" -f -- \"$word\")); return ;;\n");
    else
      printf(") COMPREPLY=(); return ;;\n");
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

static void print_bash(void) {
  printf("# tailproof completion bash: source this file, or put it where bash-completion looks.\n"
         "_tailproof() {\n"
         "%s"
         "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
         "    COMPREPLY=($(compgen -W \"",
         bash_start);
  for (size_t i = 0; i < COMMAND_COUNT; i++)
    printf("%s ", commands[i].name);
  printf("--help --version\" -- \"$word\"))\n"
         "    return\n"
         "  fi\n"
         "  case $previous in\n");
  bash_arguments();
  printf("  esac\n  case $command in\n");
  for (size_t i = 0; i < COMMAND_COUNT; i++)
    bash_options(commands[i].name);
  printf("  esac\n");
  bash_questions();
  printf("  case $command:$COMP_CWORD:$word in\n"
         "  *:*:-*) COMPREPLY=($(compgen -W \"$options\" -- \"$word\")) ;;\n");
  bash_words();
  printf(
      "  whatif:*:*|agent:*:*) COMPREPLY=($(compgen -f -X '!*.y*ml' -- \"$word\") $(compgen -d -- "
      "\"$word\")) ;;\n"
      "  completion:*) COMPREPLY=($(compgen -W \"%s\" -- \"$word\")) ;;\n"
      "  explain:*) COMPREPLY=($(compgen -W \"$(tailproof explain 2>/dev/null | cut -d' ' "
      "-f1)\" -- "
      "\"$word\")) ;;\n"
      "  record:*|import:*|merge:*) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n"
      "  *) COMPREPLY=($(compgen -f -X '!*.tp' -- \"$word\") $(compgen -d -- \"$word\")) ;;\n"
      "  esac\n"
      "}\n"
      "complete -o filenames -F _tailproof tailproof\n",
      shells);
}

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

static void zsh_option(const struct row *row, const char *command) {
  printf("      '--%s%s[", row->name, row->argument ? "=" : "");
  print_quoted(option_help((enum option_id)(row - rows), command), true);
  putchar(']');
  if (row->argument != NULL) {
    const char *words = words_of(row->argument);
    printf(":%s:", row->argument);
    if (words != NULL)
      printf("(%s)", words);
    else if (strcmp(row->argument, "DIR") == 0)
      printf("_files -/");
    else if (strcmp(row->argument, "FILE") == 0)
      printf("_files");
  }
  printf("' \\\n");
}

static bool has_questions(const char *command) {
  bool has = false;
  for (size_t i = 0; i < QUESTION_COUNT; i++)
    has = has || strcmp(questions[i].command, command) == 0;
  return has;
}

static void zsh_questions(const char *command) {
  printf("      '1:question:((");
  for (size_t i = 0; i < QUESTION_COUNT; i++) {
    if (strcmp(questions[i].command, command) != 0)
      continue;
    printf("%s\\:\"", questions[i].word);
    print_quoted(questions[i].summary, true);
    printf("\" ");
  }
  printf("))' \\\n      '2:plan:_files -g \"*.y*ml\"'\n    ;;\n");
}

static void print_zsh(void) {
  printf("#compdef tailproof\n"
         "# tailproof completion zsh: save as _tailproof in a folder of $fpath.\n"
         "_tailproof() {\n"
         "  if (( CURRENT == 2 )); then\n"
         "    local -a commands=(\n");
  for (size_t i = 0; i < COMMAND_COUNT; i++) {
    printf("      '%s:", commands[i].name);
    print_quoted(commands[i].summary, true);
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
  for (size_t i = 0; i < COMMAND_COUNT; i++) {
    printf("  %s)\n    _arguments \\\n", commands[i].name);
    for (size_t k = 0; k < ROW_COUNT; k++)
      if (belongs(&rows[k], commands[i].name))
        zsh_option(&rows[k], commands[i].name);
    if (has_questions(commands[i].name))
      zsh_questions(commands[i].name);
    else if (strcmp(commands[i].name, "completion") == 0)
      printf("      '*:shell:(%s)'\n    ;;\n", shells);
    else if (strcmp(commands[i].name, "explain") == 0)
      printf("      '*:code:(${(f)\"$(tailproof explain 2>/dev/null | cut -d\" \" -f1)\"})'\n    "
             ";;\n");
    else if (options_has_word("record import merge", commands[i].name))
      printf("      '*:file:_files'\n    ;;\n");
    else if (strcmp(commands[i].name, "agent") == 0)
      printf("      '*:configuration:_files -g \"*.y*ml\"'\n    ;;\n");
    else
      printf("      '*:protocol:_files -g \"*.tp\"'\n    ;;\n");
  }
  printf("  esac\n}\n_tailproof \"$@\"\n");
}

/* For the commands where the option has this text. */
static void fish_option(const struct row *row, const char *help) {
  printf("complete -c tailproof -n '__fish_seen_subcommand_from");
  for (size_t i = 0; i < COMMAND_COUNT; i++)
    if (belongs(row, commands[i].name) &&
        option_help((enum option_id)(row - rows), commands[i].name) == help)
      printf(" %s", commands[i].name);
  printf("' -l %s", row->name);
  if (row->letter != 0)
    printf(" -s %c", row->letter);
  if (row->argument != NULL) {
    const char *words = words_of(row->argument);
    if (words != NULL)
      printf(" -x -a '%s'", words);
    else if (strcmp(row->argument, "DIR") == 0)
      printf(" -x -a '(__fish_complete_directories)'");
    else
      printf(strcmp(row->argument, "FILE") == 0 ? " -r -F" : " -x");
  }
  printf(" -d '");
  print_quoted(help, false);
  printf("'\n");
}

/* Once for each text that it has. */
static void fish_options(const struct row *row) {
  const char *done[COMMAND_COUNT];
  size_t count = 0;
  for (size_t i = 0; i < COMMAND_COUNT; i++) {
    if (!belongs(row, commands[i].name))
      continue;
    const char *help = option_help((enum option_id)(row - rows), commands[i].name);
    size_t k = 0;
    while (k < count && done[k] != help)
      k++;
    if (k == count)
      fish_option(row, done[count++] = help);
  }
}

static void fish_question(size_t i) {
  const char *command = questions[i].command;
  printf("complete -c tailproof -f -n '__fish_seen_subcommand_from %s; and not "
         "__fish_seen_subcommand_from",
         command);
  for (size_t k = 0; k < QUESTION_COUNT; k++)
    if (strcmp(questions[k].command, command) == 0)
      printf(" %s", questions[k].word);
  printf("' -a %s -d '", questions[i].word);
  print_quoted(questions[i].summary, false);
  printf("'\n");
}

static void print_fish(void) {
  printf("# tailproof completion fish: save as ~/.config/fish/completions/tailproof.fish\n");
  for (size_t i = 0; i < COMMAND_COUNT; i++) {
    printf("complete -c tailproof -f -n __fish_use_subcommand -a %s -d '", commands[i].name);
    print_quoted(commands[i].summary, false);
    printf("'\n");
  }
  printf("complete -c tailproof -f -n '__fish_seen_subcommand_from completion' -a '%s'\n", shells);
  for (size_t i = 0; i < QUESTION_COUNT; i++)
    fish_question(i);
  for (size_t i = 0; i < ROW_COUNT; i++)
    fish_options(&rows[i]);
}

enum status command_completion(const struct options *options) {
  static const struct {
    const char *name;
    void (*print)(void);
  } known[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};
  for (size_t i = 0; options->file_count == 1 && i < sizeof known / sizeof *known; i++) {
    if (strcmp(options->files[0], known[i].name) != 0)
      continue;
    known[i].print();
    return STATUS_OK;
  }
  fprintf(stderr, "tailproof completion: name a shell: bash, zsh or fish\n");
  return STATUS_USAGE;
}
