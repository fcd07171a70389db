/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/options.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "base/text.h"

enum option_id {
#define OPTION(id, name, letter, argument, commands, help) OPTION_##id,
#include "cli/options.def"
#undef OPTION
  OPTION_COUNT
};

struct option_row {
  const char *name;
  int letter;
  const char *argument, *commands, *help;
};

static const struct option_row rows[] = {
#define OPTION(id, name, letter, argument, commands, help) {name, letter, argument, commands, help},
#include "cli/options.def"
#undef OPTION
};

struct command_row {
  const char *name, *arguments, *summary;
};

static const struct command_row commands[] = {
#define COMMAND(name, function, arguments, summary) {#name, arguments, summary},
#include "cli/commands.def"
#undef COMMAND
};

bool options_has_word(const char *words, const char *word) {
  size_t length = strlen(word);
  for (const char *at = words; (at = strstr(at, word)) != NULL; at += length)
    if ((at == words || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
      return true;
  return false;
}

static enum status complain(const char *command, const char *what, const char *value,
                            const char *remedy) {
  fprintf(stderr, "tailproof %s: %s%s%s%s; %s\n", command, what, value ? " \"" : "",
          value ? value : "", value ? "\"" : "", remedy);
  return STATUS_USAGE;
}

static bool read_count(const char *text, unsigned long most, unsigned long *value) {
  char *end;
  if (text[0] < '0' || text[0] > '9')
    return false;
  *value = strtoul(text, &end, 10);
  return *end == '\0' && *value >= 1 && *value <= most;
}

static enum status read_setting(settings *list, const char *command, const char *text) {
  const char *equals = strchr(text, '=');
  if (equals == NULL || equals == text || equals[1] == '\0')
    return complain(command, "unclear setting", text, "write NAME=VALUE");
  char *name = mem_copy_text(text, (size_t)(equals - text));
  bool twice = settings_find(list, name) != NULL;
  vector_push(list, (struct setting){name, equals + 1});
  return twice ? complain(command, "the same name twice in", text, "give each once") : STATUS_OK;
}

static enum status read_confidence(struct options *o, const char *command, const char *text) {
  struct rational one;
  rational_init(&one);
  rational_set_integer(&one, 1);
  bool good = rational_parse(&o->confidence, text) && rational_sign(&o->confidence) >= 0 &&
              rational_compare(&o->confidence, &one) < 0;
  rational_clear(&one);
  return good ? STATUS_OK
              : complain(command, "unusable confidence", text, "give a number from 0 to below 1");
}

static enum status read_timeout(struct options *o, const char *command, const char *text) {
  struct rational seconds, thousand;
  rational_init(&seconds);
  rational_init(&thousand);
  rational_set_integer(&thousand, 1000);
  int64_t ms = 0;
  bool good = rational_parse(&seconds, text);
  if (good) {
    rational_mul(&seconds, &seconds, &thousand);
    good = rational_ceil(&ms, &seconds) && ms >= 1 && ms <= 86400000;
  }
  o->timeout_ms = (unsigned)ms;
  rational_clear(&seconds);
  rational_clear(&thousand);
  return good ? STATUS_OK
              : complain(command, "unusable time-out", text, "give seconds, up to 86400");
}

static enum status read_format(struct options *o, const char *command, const char *text) {
  static const char *const names[] = {[OUTPUT_TEXT] = "text",
                                      [OUTPUT_JSON] = "json",
                                      [OUTPUT_SARIF] = "sarif",
                                      [OUTPUT_JUNIT] = "junit"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (strcmp(names[i], text) != 0)
      continue;
    o->format = (enum output_format)i;
    o->json = o->format == OUTPUT_JSON;
    return STATUS_OK;
  }
  return complain(command, "unknown format", text, "give text, json, sarif or junit");
}

static enum status apply(struct options *o, const char *command, enum option_id id,
                         const char *value) {
  unsigned long count = 0;
  switch (id) {
  case OPTION_JOBS:
    if (!read_count(value, 1024, &count))
      return complain(command, "unusable number of jobs", value, "give 1 to 1024");
    o->jobs = count;
    return STATUS_OK;
  case OPTION_TIMEOUT:
    return read_timeout(o, command, value);
  case OPTION_EXPLAIN:
    o->explain = true;
    return STATUS_OK;
  case OPTION_INFER:
    o->infer = true;
    return STATUS_OK;
  case OPTION_FORGET:
    o->forget_timing = true;
    return STATUS_OK;
  case OPTION_SEED:
    if (strcmp(value, "0") != 0 && !read_count(value, INT32_MAX, &count))
      return complain(command, "unusable seed", value, "give a whole number");
    o->seed = (unsigned)count;
    return STATUS_OK;
  case OPTION_EVERY:
    if (!read_count(value, INT32_MAX, &count))
      return complain(command, "unusable step", value, "give a whole number, 1 or more");
    o->every = (unsigned)count;
    return STATUS_OK;
  case OPTION_CONFIDENCE:
    return read_confidence(o, command, value);
  case OPTION_SET:
    return read_setting(&o->set, command, value);
  case OPTION_UNIT:
    return read_setting(&o->units, command, value);
  case OPTION_JSON:
    return read_format(o, command, "json");
  case OPTION_FORMAT:
    return read_format(o, command, value);
  case OPTION_FRESH:
    o->fresh = true;
    return STATUS_OK;
  case OPTION_WRITE:
    o->write = true;
    return STATUS_OK;
  case OPTION_HELP:
    o->help = true;
    return STATUS_OK;
  case OPTION_BOUND:
    o->bound = value;
    return STATUS_OK;
  case OPTION_DATA:
    o->data = value;
    return STATUS_OK;
  case OPTION_OBSERVED:
    o->observed = value;
    return STATUS_OK;
  case OPTION_PERCENTILES:
    o->percentiles = value;
    return STATUS_OK;
  case OPTION_OUT:
    o->out = value;
    return STATUS_OK;
  case OPTION_CHECK:
    o->check = value;
    return STATUS_OK;
  case OPTION_WITH:
    o->with = value;
    return STATUS_OK;
  case OPTION_PROTOCOL:
    o->protocol = value;
    return STATUS_OK;
  case OPTION_MARGIN:
    o->margin = value;
    return STATUS_OK;
  case OPTION_COUNT:
    break;
  }
  return STATUS_INTERNAL;
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

enum status options_read(struct options *o, const char *command, int argc, char **argv) {
  memset(o, 0, sizeof *o);
  rational_init(&o->confidence);
  rational_set_fraction(&o->confidence, 99, 100);
  o->jobs = parallel_processors();
  o->timeout_ms = 10000;
  o->every = 1;
  o->percentiles = "50,90,99,99.9";
  o->with = "cvc5";
  struct option longs[OPTION_COUNT + 1];
  char shorts[2 * OPTION_COUNT + 2];
  fill(command, longs, shorts);
  opterr = 0;
  optind = 1;
  enum status status = STATUS_OK;
  while (status == STATUS_OK) {
    int at = optind, got = getopt_long(argc, argv, shorts, longs, NULL);
    if (got == -1)
      break;
    if (got == ':')
      status = complain(command, "a value is missing behind", argv[optind - 1], "see --help");
    else if (got == '?')
      status = unknown_option(command, argv[at < argc ? at : argc - 1]);
    else
      status = apply(o, command, row_of(got), optarg);
  }
  o->files = (const char *const *)(argv + optind);
  o->file_count = (size_t)(argc - optind);
  if (status == STATUS_OK && o->forget_timing && !o->infer)
    status = complain(command, "--forget-timing is about --infer", NULL, "give both");
  return status;
}

void options_clear(struct options *o) {
  for (size_t i = 0; i < o->set.count; i++)
    mem_free((void *)(uintptr_t)o->set.data[i].name);
  for (size_t i = 0; i < o->units.count; i++)
    mem_free((void *)(uintptr_t)o->units.data[i].name);
  vector_clear(&o->set);
  vector_clear(&o->units);
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
          "exit: 0 all proved or done, 1 refuted or not dominated, 2 unknown, 64 usage,\n"
          "      65 mistakes in a file, 66 unreadable file, 69 tool missing, 70 internal error\n");
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
    fprintf(out, "  %-24s %s\n", flag, rows[i].help);
  }
}
