/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/command/command.h"
#include "measure/throughput/poker/poker.h"

#include <string.h>

static bool read_mode(enum pauser_mode *mode, const char *word) {
  static const struct {
    const char *word;
    enum pauser_mode mode;
  } words[] = {{"auto", PAUSER_AUTO}, {"freeze", PAUSER_FREEZE}, {"signal", PAUSER_SIGNAL}};
  *mode = PAUSER_AUTO;
  for (size_t i = 0; word != NULL && i < sizeof words / sizeof *words; i++)
    if (strcmp(words[i].word, word) == 0) {
      *mode = words[i].mode;
      return true;
    }
  return word == NULL;
}

static enum status complain(const char *what) {
  fprintf(stderr, "tailproof poker: %s\n", what);
  return STATUS_USAGE;
}

enum status command_poker(const struct options *options) {
  enum pauser_mode mode;
  if (options->name == NULL || options->listen == NULL)
    return complain("name a service and where to listen, such as --name cart --listen "
                    "127.0.0.1:7000");
  if (options->file_count == 0)
    return complain("name a program: tailproof poker ... -- CMD ARGS");
  if (!read_mode(&mode, options->pause)) {
    fprintf(stderr,
            "tailproof poker: unknown word \"%s\" behind --pause; give auto, freeze or "
            "signal\n",
            options->pause);
    return STATUS_USAGE;
  }
  const struct poker_options poker = {
      .name = options->name,
      .listen = options->listen,
      .key = options->key,
      .neighbours = options->neighbours.data,
      .neighbour_count = options->neighbours.count,
      .mode = mode,
      .proxy = options->proxy,
      .count_pipe = options->count_pipe,
      .ready = options->ready,
      .command = (char *const *)(uintptr_t)options->files,
  };
  return (enum status)poker_run(&poker);
}
