/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Completion scripts for shells, made from the tables of commands and options. */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"

struct row {
  const char *name;
  int letter;
  const char *argument, *commands, *help;
};

static const struct row rows[] = {
#define OPTION(id, name, letter, argument, commands, help) {name, letter, argument, commands, help},
#include "cli/options.def"
#undef OPTION
};

static const struct {
  const char *name, *summary;
} commands[] = {
#define COMMAND(name, function, arguments, summary) {#name, summary},
#include "cli/commands.def"
#undef COMMAND
};

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
      printf(") COMPREPLY=($(compgen -W \"%s\" -- \"$word\")); return ;;\n", words);
    else if (strcmp(row->argument, "DIR") == 0)
      printf(") COMPREPLY=($(compgen -d -- \"$word\")); return ;;\n");
    else if (strcmp(row->argument, "FILE") == 0)
      printf(") COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n");
    else
      printf(") COMPREPLY=(); return ;;\n");
  }
}

static void print_bash(void) {
  printf("# tailproof completion bash: source this file, or put it where bash-completion looks.\n"
         "_tailproof() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} options=\n"
         "  COMPREPLY=()\n"
         "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
         "    COMPREPLY=($(compgen -W \"");
  for (size_t i = 0; i < COMMAND_COUNT; i++)
    printf("%s ", commands[i].name);
  printf("--help --version\" -- \"$word\"))\n"
         "    return\n"
         "  fi\n"
         "  case ${COMP_WORDS[COMP_CWORD - 1]} in\n");
  bash_arguments();
  printf("  esac\n  case $command in\n");
  for (size_t i = 0; i < COMMAND_COUNT; i++)
    bash_options(commands[i].name);
  printf("  esac\n"
         "  case $command:$word in\n"
         "  *:-*) COMPREPLY=($(compgen -W \"$options\" -- \"$word\")) ;;\n"
         "  completion:*) COMPREPLY=($(compgen -W \"%s\" -- \"$word\")) ;;\n"
         "  explain:*) COMPREPLY=($(compgen -W \"$(tailproof explain 2>/dev/null | cut -d' ' "
         "-f1)\" -- "
         "\"$word\")) ;;\n"
         "  record:*|import:*|merge:*) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n"
         "  agent:*) COMPREPLY=($(compgen -f -X '!*.y*ml' -- \"$word\") $(compgen -d -- "
         "\"$word\")) ;;\n"
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

static void zsh_option(const struct row *row) {
  printf("      '--%s%s[", row->name, row->argument ? "=" : "");
  print_quoted(row->help, true);
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
        zsh_option(&rows[k]);
    if (strcmp(commands[i].name, "completion") == 0)
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

static void fish_option(const struct row *row) {
  printf("complete -c tailproof -n '__fish_seen_subcommand_from %s' -l %s", row->commands,
         row->name);
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
  print_quoted(row->help, false);
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
  for (size_t i = 0; i < ROW_COUNT; i++)
    fish_option(&rows[i]);
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
