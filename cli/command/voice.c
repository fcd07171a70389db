/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/command/voice.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted;
static volatile int stop;

static void on_interrupt(int signal_number) {
  (void)signal_number;
  if (interrupted)
    _exit(STATUS_INTERRUPTED);
  interrupted = 1;
  stop = 1;
}

static void say(void *context, enum saying saying, const char *line) {
  const struct voice *voice = context;
  switch (saying) {
  case SAYING_MISTAKE:
    fprintf(stderr, "tailproof %s: %s\n", voice->command, line);
    return;
  case SAYING_FAILURE:
    fprintf(stderr, "tailproof: %s\n", line);
    return;
  }
}

static void show_file(void *context, const char *path, const struct source *source,
                      const struct diagnostics *diagnostics, const char *failure) {
  struct voice *voice = context;
  struct output text = {.format = OUTPUT_TEXT};
  output_file(voice->output != NULL ? voice->output : &text, path, source, diagnostics, failure);
}

void voice_watch_ends(void) {
  struct sigaction action = {.sa_handler = on_interrupt};
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGHUP, &action, NULL);
  signal(SIGPIPE, SIG_IGN);
}

void voice_init(struct voice *voice, const struct command_line *line, struct output *output) {
  *voice = (struct voice){.command = line->command, .output = output};
  voice->asker = (struct asker){.context = voice, .say = say, .read = show_file, .stop = &stop};
  struct sigaction action = {.sa_handler = on_interrupt};
  sigaction(SIGINT, &action, NULL);
}
