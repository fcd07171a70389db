/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Makes the stores of a run, with the library, out of a script on standard input:
 *   NODE action NAME INSTANCE START END [ARGUMENT...]      also: component, request
 *   NODE send MESSAGE INSTANCE WHEN [ARGUMENT...]
 *   NODE arrive MESSAGE INSTANCE SENT ARRIVED [ARGUMENT...]
 *   NODE foreign MESSAGE INSTANCE ARRIVED [ARGUMENT...]   stamped by another clock
 *   NODE wait MESSAGE INSTANCE ARRIVED TAKEN [ARGUMENT...]
 *   NODE log RECORDS       before its first record
 *   NODE killed            its store is never closed
 *   NODE elsewhere         its store gets another clock
 * Times are ns; # begins a comment. Usage: script_stores FOLDER <SCRIPT */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "measure/core/header.h"
#include "measure/core/stamp.h"
#include "measure/tailproof_measure.h"

enum { NODES = 64, WORDS = 16 };

struct node {
  char name[64];
  struct tailproof_store *store;
  struct tailproof_writer *writer;
  uint32_t log_records;
  int killed, elsewhere;
};

static struct node nodes[NODES];
static size_t node_count;
static const char *folder;

static void fail(const char *what) {
  fprintf(stderr, "script_stores: %s: %s\n", what, tailproof_error());
  exit(70);
}

static struct node *find_node(const char *name) {
  for (size_t i = 0; i < node_count; i++)
    if (strcmp(nodes[i].name, name) == 0)
      return &nodes[i];
  if (node_count == NODES)
    fail("too many nodes");
  struct node *made = &nodes[node_count++];
  snprintf(made->name, sizeof made->name, "%s", name);
  return made;
}

static void open_store(struct node *node) {
  struct tailproof_options options = {.folder = folder,
                                      .node = node->name,
                                      .log_records = node->log_records,
                                      .clock = TAILPROOF_CLOCK_MONOTONIC};
  if (tailproof_open(&node->store, &options) != 0)
    fail(node->name);
  node->writer = tailproof_writer_open(node->store);
  if (node->writer == NULL)
    fail(node->name);
}

static int number(struct node *node, const char *kind, const char *name) {
  if (strcmp(kind, "action") == 0)
    return tailproof_action(node->store, name, NULL);
  if (strcmp(kind, "component") == 0)
    return tailproof_component(node->store, name);
  if (strcmp(kind, "request") == 0)
    return tailproof_request(node->store, name);
  return tailproof_message(node->store, name, "d", "Queuing");
}

/* words: NODE KIND NAME INSTANCE TIME... */
static void record(struct node *node, char **words, size_t count) {
  const char *kind = words[1];
  int foreign = strcmp(kind, "foreign") == 0;
  size_t times = foreign || strcmp(kind, "send") == 0 ? 1 : 2;
  if (node->store == NULL)
    open_store(node);
  if (count < 4 + times)
    fail("too few words");
  struct tailproof_event event = {.name = number(node, kind, words[2]),
                                  .instance = (uint32_t)strtoul(words[3], NULL, 10),
                                  .start = strtoull(words[4], NULL, 10),
                                  .end = strtoull(words[3 + times], NULL, 10)};
  for (size_t i = 4 + times; i < count && event.count < TAILPROOF_ARGUMENTS; i++)
    event.arguments[event.count++] = (int32_t)strtol(words[i], NULL, 10);
  unsigned char stamp[TAILPROOF_STAMP_BYTES];
  if (strcmp(kind, "send") == 0) {
    tailproof_send_at(node->writer, &event, event.end, stamp);
  } else if (foreign || strcmp(kind, "arrive") == 0) {
    /* The stamp of the sending: of a store whose log nobody looks at. */
    static struct tailproof_store *other;
    static struct tailproof_writer *sender;
    if (other == NULL) {
      char path[4096];
      snprintf(path, sizeof path, "%s/unused", folder);
      struct tailproof_options options = {.folder = path, .clock = TAILPROOF_CLOCK_MONOTONIC};
      if (tailproof_open(&other, &options) != 0)
        fail(path);
      tailproof_message(other, "unused", "d", NULL);
      sender = tailproof_writer_open(other);
    }
    struct tailproof_event sending = {0};
    tailproof_send_at(sender, &sending, event.start, stamp);
    if (foreign) {
      struct stamp fields;
      stamp_decode(&fields, stamp);
      fields.clock_identity ^= 1;
      stamp_encode(stamp, &fields);
    }
    if (tailproof_arrive(node->writer, &event, stamp) != foreign)
      fail("arrive");
  } else if (strcmp(kind, "wait") == 0) {
    tailproof_dequeue_at(node->writer, &event);
  } else if (tailproof_record(node->writer, &event) != 0) {
    fail(words[2]);
  }
}

static void read_line(char *line) {
  char *words[WORDS] = {NULL};
  size_t count = 0;
  line[strcspn(line, "#\n")] = '\0';
  for (char *word = strtok(line, " \t"); word != NULL && count < WORDS; word = strtok(NULL, " \t"))
    words[count++] = word;
  if (count == 0)
    return;
  struct node *node = find_node(words[0]);
  if (count == 3 && strcmp(words[1], "log") == 0)
    node->log_records = (uint32_t)strtoul(words[2], NULL, 10);
  else if (count == 2 && strcmp(words[1], "killed") == 0)
    node->killed = 1;
  else if (count == 2 && strcmp(words[1], "elsewhere") == 0)
    node->elsewhere = 1;
  else
    record(node, words, count);
}

static void move_elsewhere(const char *path) {
  struct format_header header;
  int file = open(path, O_RDWR);
  if (file < 0 || pread(file, &header, sizeof header, 0) != (ssize_t)sizeof header)
    fail(path);
  header.clock_identity ^= 1;
  header_seal(&header);
  if (pwrite(file, &header, sizeof header, 0) != (ssize_t)sizeof header || close(file) != 0)
    fail(path);
}

int main(int count, char **arguments) {
  if (count != 2) {
    fprintf(stderr, "usage: script_stores FOLDER <SCRIPT\n");
    return 64;
  }
  folder = arguments[1];
  char line[1024];
  while (fgets(line, sizeof line, stdin) != NULL)
    read_line(line);
  for (size_t i = 0; i < node_count; i++) {
    char path[4096];
    if (nodes[i].store == NULL)
      continue;
    snprintf(path, sizeof path, "%s", tailproof_path(nodes[i].store));
    if (!nodes[i].killed && tailproof_close(nodes[i].store) != 0)
      fail(path);
    if (nodes[i].elsewhere)
      move_elsewhere(path);
  }
  return 0; /* what was killed is left as it is */
}
