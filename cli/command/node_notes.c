/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/command/node_notes.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NOTES_MOST = 1000 };

static const char variable[] = "TAILPROOF_NODE_NOTES";
static char path[64];

void node_notes_prepare(void) {
  snprintf(path, sizeof path, "/tmp/tailproof-XXXXXX");
  int file = mkstemp(path);
  if (file >= 0 && fchmod(file, 0622) == 0)
    setenv(variable, path, 1);
  else
    unsetenv(variable);
  if (file >= 0)
    close(file);
  else
    path[0] = '\0';
}

static void make_printable(char *text) {
  for (; *text != '\0'; text++)
    if ((unsigned char)*text < ' ' || *text == 127)
      *text = '?';
}

/* "PROCESS THREAD NUMBER NAME", a tab, and the mistake. */
static bool read_note(struct node_note *note, const char *line) {
  *note = (struct node_note){0};
  int count = sscanf(line, "%" SCNu32 " %" SCNu32 " %" SCNu32 " %200[^\t\n]\t%200[^\n]",
                     &note->process, &note->thread, &note->why, note->name, note->mistake);
  make_printable(note->name);
  make_printable(note->mistake);
  return count >= 4 && note->why != 0;
}

void node_notes_collect(node_notes *notes) {
  FILE *file = path[0] == '\0' ? NULL : fopen(path, "re");
  char line[1024];
  struct node_note note;
  while (file != NULL && notes->count < NOTES_MOST && fgets(line, sizeof line, file) != NULL)
    if (read_note(&note, line))
      vector_push(notes, note);
  if (file != NULL)
    fclose(file);
  if (path[0] != '\0')
    unlink(path);
  path[0] = '\0';
}
