/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/command/node_attach.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command/node_notes.h"
#include "cli/command/node_record.h"

static bool is_number(const char *text) {
  size_t length = strspn(text, "0123456789");
  return length > 0 && length < 10 && text[length] == '\0' && text[0] != '0';
}

/* node, nodejs, node18, node-v20.1: as packages and people call it. */
static bool is_node(const char *name) {
  if (strncmp(name, "node", 4) != 0)
    return false;
  name += 4;
  if (strncmp(name, "js", 2) == 0)
    name += 2;
  return strcmp(name + strspn(name, "-v.0123456789"), "") == 0;
}

/* Of what the process runs. */
static enum status check_program(const char *link, const char *pid) {
  char path[4096];
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) {
    fprintf(stderr, "tailproof record: process %s cannot be recorded: %s; %s\n", pid,
            errno == ENOENT ? "there is no such process" : strerror(errno),
            errno == ENOENT ? "name one that runs" : "run this as its user, or as root");
    return STATUS_UNAVAILABLE;
  }
  path[length] = '\0';
  static const char deleted[] = " (deleted)";
  if ((size_t)length > strlen(deleted) && strcmp(path + length - strlen(deleted), deleted) == 0)
    path[(size_t)length - strlen(deleted)] = '\0'; /* replaced since; what runs is still there */
  const char *slash = strrchr(path, '/');
  const char *name = slash == NULL ? path : slash + 1;
  if (is_node(name))
    return STATUS_OK;
  fprintf(
      stderr,
      "tailproof record: process %s cannot be recorded: it runs %s, which is not called node; name "
      "the process of Node.js itself, not of what started it\n",
      pid, name);
  return STATUS_UNAVAILABLE;
}

enum status node_attach_prepare(struct node_attach *attach, const char *pid, const char *folder,
                                uint64_t seconds, const char *ready_file) {
  *attach = (struct node_attach){0};
  if (!is_number(pid)) {
    fprintf(stderr, "tailproof record: --pid: \"%s\" is no process; give its number\n", pid);
    return STATUS_USAGE;
  }
  snprintf(attach->program, sizeof attach->program, "/proc/%s/exe", pid);
  enum status status = check_program(attach->program, pid);
  if (status != STATUS_OK)
    return status;
  attach->package = node_record_find("attach.js");
  if (attach->package == NULL)
    return STATUS_UNAVAILABLE;
  snprintf(attach->seconds, sizeof attach->seconds, "%" PRIu64, seconds);
  unsetenv("NODE_OPTIONS"); /* what records is not recorded */
  node_notes_prepare();
  const char *words[NODE_ATTACH_WORDS] = {attach->program, attach->package, pid,
                                          folder,          attach->seconds, ready_file};
  memcpy(attach->words, words, sizeof words);
  return STATUS_OK;
}

void node_attach_clear(struct node_attach *attach) {
  free(attach->package);
}
