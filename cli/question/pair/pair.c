/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/pair/pair.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/memory.h"
#include "measure/outside/event_text.h"
#include "measure/yaml/load.h"

struct pairs {
  const struct pair_question *question;
  struct tree_node *file;
  struct outside_probe *probes;
  uint32_t probe_count;
  struct outside_mapping *mapping;
  struct pairing *pairing;
  struct outside_run *run;
  char *processes;
  char command[4096];
};

/* The rest of the line that begins with the number. */
static const char *command_of(void *context, uint32_t pid) {
  struct pairs *pairs = context;
  for (const char *line = pairs->processes; *line != '\0';
       line += strcspn(line, "\n"), line += *line == '\n') {
    char *rest;
    if (strtoul(line, &rest, 10) != pid || *rest != ' ')
      continue;
    snprintf(pairs->command, sizeof pairs->command, "%.*s", (int)strcspn(rest + 1, "\n"), rest + 1);
    return pairs->command;
  }
  return NULL;
}

static enum status read_text(char **text, const struct asker *asker, const char *path) {
  struct text message;
  size_t length;
  text_init(&message);
  enum status status = file_read(path, (size_t)1 << 20, text, &length, &message);
  if (status != STATUS_OK)
    asker_fail(asker, status, "%s", text_get(&message));
  text_clear(&message);
  return status;
}

/* The names of the probes and of what they read. */
static bool read_probes(struct pairs *pairs, char *message, size_t size) {
  const struct tree_node *section = tree_find(pairs->file, "probes");
  if (section == NULL || section->kind != TREE_MAPPING || section->count == 0 ||
      section->count > OUTSIDE_PROBES)
    return tree_complain(message, size, pairs->file, "probes: a section of 1 to 256 is needed");
  pairs->probe_count = (uint32_t)section->count;
  pairs->probes = mem_alloc(section->count, sizeof *pairs->probes);
  for (size_t i = 0; i < section->count; i++) {
    const struct tree_node *at = section->items[i], *read = tree_find(at, "read");
    struct outside_probe *probe = &pairs->probes[i];
    *probe = (struct outside_probe){.field_count = read == NULL ? 0 : (uint32_t)read->count};
    if (strlen(at->key) > OUTSIDE_NAME || probe->field_count > OUTSIDE_FIELDS)
      return tree_complain(message, size, at,
                           "%s: a name of at most 63 bytes and 8 things to read are possible",
                           at->key);
    strcpy(probe->name, at->key);
    for (uint32_t f = 0; f < probe->field_count; f++)
      snprintf(probe->field[f].name, sizeof probe->field[f].name, "%s", read->items[f]->key);
  }
  return true;
}

static enum status load(struct pairs *pairs) {
  const struct pair_question *question = pairs->question;
  char message[1024] = "";
  char *bytes = NULL;
  enum status status = read_text(&bytes, question->asker, question->probes);
  if (status == STATUS_OK)
    status = read_text(&pairs->processes, question->asker, question->processes);
  if (status != STATUS_OK) {
    mem_free(bytes);
    return status;
  }
  pairs->file = tree_parse(bytes, strlen(bytes), message, sizeof message);
  mem_free(bytes);
  if (pairs->file != NULL && read_probes(pairs, message, sizeof message))
    pairs->mapping =
        mapping_read(pairs->file, pairs->probes, pairs->probe_count, message, sizeof message);
  if (pairs->mapping == NULL)
    return asker_fail(question->asker, STATUS_DATA, "%s: %s", question->probes, message);
  return STATUS_OK;
}

static enum status read_events(struct pairs *pairs) {
  struct text message;
  text_init(&message);
  pairs->pairing = pairing_new(pairs->mapping, pairs->probes, pairs->probe_count,
                               (struct pair_processes){command_of, pairs});
  pairs->run = mem_alloc(1, sizeof *pairs->run);
  struct outside_sink sink = {pairing_take, pairs->pairing};
  enum status status = event_text_read(pairs->run, pairs->probes, pairs->probe_count,
                                       pairs->question->events, &sink, &message);
  if (status != STATUS_OK)
    asker_fail(pairs->question->asker, status, "%s", text_get(&message));
  else
    pairing_end(pairs->pairing);
  text_clear(&message);
  return status;
}

static enum status answer_with(struct pair_answer *answer, const struct pairs *pairs) {
  const struct pair_question *question = pairs->question;
  struct text message;
  text_init(&message);
  pairing_tell(&answer->told, pairs->pairing, pairs->mapping, pairs->probes, pairs->probe_count,
               pairs->run);
  answer->requests = pairing_count(pairs->pairing);
  answer->paired = pairing_lacking(pairs->pairing, 0, PAIR_WHOLE);
  enum status status = STATUS_UNKNOWN;
  if (answer->paired != 0)
    status = pairing_write(pairs->pairing, pairs->mapping, question->out, &message);
  if (message.length != 0)
    asker_fail(question->asker, status, "%s", text_get(&message));
  text_clear(&message);
  return status;
}

enum status pair_ask(struct pair_answer *answer, const struct pair_question *question) {
  *answer = (struct pair_answer){0};
  text_init(&answer->told);
  struct pairs *pairs = mem_alloc(1, sizeof *pairs);
  *pairs = (struct pairs){.question = question};
  struct stat about;
  enum status status = STATUS_OK;
  if (stat(question->out, &about) == 0)
    status = asker_fail(question->asker, STATUS_USAGE,
                        "%s: is there already; name a new folder with --out", question->out);
  if (status == STATUS_OK)
    status = load(pairs);
  if (status == STATUS_OK)
    status = read_events(pairs);
  if (status == STATUS_OK)
    status = answer_with(answer, pairs);
  if (pairs->pairing != NULL)
    pairing_free(pairs->pairing);
  mapping_free(pairs->mapping);
  mem_free(pairs->probes);
  mem_free(pairs->run);
  mem_free(pairs->processes);
  tree_free(pairs->file);
  mem_free(pairs);
  return answer->status = status;
}

void pair_answer_clear(struct pair_answer *answer) {
  text_clear(&answer->told);
}
