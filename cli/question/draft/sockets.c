/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/draft/sockets.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/number.h"
#include "cli/question/draft/folder.h"
#include "cli/question/outside/outside.h"
#include "cli/question/pair/pair.h"
#include "measure/outside/event_text.h"
#include "measure/record/clock.h"

/* --- recording --- */

/* While it is recorded: whom to trace besides, as they are met. */
struct meeting {
  struct talk_table *table;
  uint64_t looked_ns, until_ns;
  bool news;              /* a port was met that was not looked for */
  VECTOR(uint16_t) ports; /* pairs, own and other's, to be looked for */
  uint8_t known[65536 / 8];
  VECTOR(uint32_t) followed, next;
};

static bool is_known(struct meeting *meeting, uint16_t port) {
  bool known = (meeting->known[port / 8] >> port % 8 & 1) != 0;
  meeting->known[port / 8] |= (uint8_t)(1 << port % 8);
  return known;
}

static bool meet(void *context, const struct outside_event *event) {
  enum { MOST = 2048 };
  struct meeting *meeting = context;
  uint16_t local = (uint16_t)event->field[0], remote = (uint16_t)event->field[1];
  if (is_known(meeting, remote) || meeting->ports.count >= MOST)
    return true;
  vector_push(&meeting->ports, local);
  vector_push(&meeting->ports, remote);
  return true;
}

static void follow(void *context, uint32_t process) {
  struct meeting *meeting = context;
  for (size_t i = 0; i < meeting->followed.count; i++)
    if (meeting->followed.data[i] == process)
      return;
  if (process == (uint32_t)getpid())
    return;
  vector_push(&meeting->followed, process);
  vector_push(&meeting->next, process);
}

static void look_around(struct meeting *meeting) {
  talk_table_look(meeting->table);
  for (size_t i = 0; i + 1 < meeting->ports.count; i += 2)
    talk_table_peers(meeting->table, meeting->ports.data[i], meeting->ports.data[i + 1], follow,
                     meeting);
  meeting->ports.count = 0;
}

/* Looking at /proc costs: it is done when somebody was met, and not often. */
static size_t more(void *context, uint32_t *processes, size_t most) {
  static const uint64_t pause_ns = 200 * UINT64_C(1000000);
  struct meeting *meeting = context;
  uint64_t now = clock_monotonic();
  size_t count = 0;
  if (meeting->ports.count != 0 && now - meeting->looked_ns > pause_ns) {
    look_around(meeting);
    meeting->looked_ns = clock_monotonic();
  }
  while (count < most && meeting->next.count != 0) {
    processes[count] = meeting->next.data[--meeting->next.count];
    struct talk_process *one = talk_table_process(meeting->table, processes[count++]);
    if (one != NULL)
      one->since_ns = clock_monotonic();
  }
  return count;
}

static enum status record(struct sockets_answer *answer, const struct sockets_request *request,
                          struct meeting *meeting, const char *probes, const char *events) {
  const struct outside_sink sink = {meet, meeting, NULL};
  VECTOR(char *) numbers = {0};
  for (size_t i = 0; i < answer->talk.table.processes.count; i++) {
    const struct talk_process *one = &answer->talk.table.processes.data[i];
    struct text text = {0};
    if (!one->asked)
      continue;
    text_format(&text, "%" PRIu32, one->id);
    vector_push(&numbers, text_take(&text));
    vector_push(&meeting->followed, one->id);
  }
  vector_push(&numbers, NULL);
  const struct outside_request outside = {.probes = probes,
                                          .pids = (const char *const *)numbers.data,
                                          .keep = events,
                                          .seconds = request->seconds,
                                          .ready_fd = -1,
                                          .quiet = true,
                                          .means = CAPTURE_BPF,
                                          .sink = &sink,
                                          .more = more,
                                          .more_context = meeting,
                                          .asker = request->asker};
  struct outside_answer recorded;
  enum status status = outside_ask(&recorded, &outside);
  outside_clear_answer(&recorded);
  for (size_t i = 0; i < numbers.count; i++)
    mem_free(numbers.data[i]);
  vector_clear(&numbers);
  return status;
}

static enum status ask_processes(struct sockets_answer *answer,
                                 const struct sockets_request *request) {
  talk_table_look(&answer->talk.table);
  for (size_t i = 0; i < request->operand_count; i++) {
    uint64_t id;
    if (!number_whole(&id, request->operands[i], INT32_MAX) || id == 0)
      return asker_fail(request->asker, STATUS_USAGE,
                        "%s: give the numbers of processes, or the folder of an earlier draft",
                        request->operands[i]);
    if (!talk_table_ask(&answer->talk.table, (uint32_t)id))
      return asker_fail(request->asker, STATUS_NO_INPUT,
                        "there is no process %s; `ps -e` lists those there are",
                        request->operands[i]);
  }
  return STATUS_OK;
}

static char *path_in(const char *folder, const char *name) {
  struct text path = {0};
  text_format(&path, "%s/%s", folder, name);
  return text_take(&path);
}

static enum status record_all(struct sockets_answer *answer,
                              const struct sockets_request *request) {
  struct meeting *meeting = mem_alloc(1, sizeof *meeting);
  *meeting = (struct meeting){.table = &answer->talk.table};
  char *probes = path_in(request->out, "look.yaml"), *events = path_in(request->out, "events");
  struct text text = {0};
  text_append(&text, TALK_PROBES);
  enum status status = draft_write(request->asker, request->out, "look", "yaml", &text);
  if (status == STATUS_OK)
    status = record(answer, request, meeting, probes, events);
  unlink(probes);
  text_clear(&text);
  if (status == STATUS_OK) {
    talk_table_look(&answer->talk.table);
    talk_table_write(&text, &answer->talk.table);
    status = draft_write(request->asker, request->out, "sockets", NULL, &text);
  }
  text_clear(&text);
  vector_clear(&meeting->ports);
  vector_clear(&meeting->followed);
  vector_clear(&meeting->next);
  mem_free(meeting);
  mem_free(probes);
  mem_free(events);
  return status;
}

/* --- what was recorded --- */

static enum status read_sockets(struct sockets_answer *answer,
                                const struct sockets_request *request, const char *folder) {
  char *path = path_in(folder, "sockets"), *bytes;
  size_t length;
  struct text message = {0};
  enum status status = file_read(path, (size_t)1 << 24, &bytes, &length, &message);
  if (status == STATUS_OK && !talk_table_parse(&answer->talk.table, bytes, &message))
    status = STATUS_DATA;
  if (status == STATUS_DATA)
    asker_fail(request->asker, status, "%s: %s", path, text_get(&message));
  else if (status != STATUS_OK)
    asker_fail(request->asker, status,
               "%s: is no process, and no folder of an earlier draft (it has no file `sockets`)",
               folder);
  mem_free(bytes);
  mem_free(path);
  text_clear(&message);
  return status;
}

static enum status read_events(struct sockets_answer *answer, const struct sockets_request *request,
                               const char *folder) {
  char *path = path_in(folder, "events");
  struct text message = {0};
  struct outside_run *run = mem_alloc(1, sizeof *run);
  const struct outside_sink sink = {talk_take, &answer->talk, talk_take_process};
  enum status status = event_text_read(run, talk_probes, TALK_PROBE_COUNT, path, &sink, &message);
  if (status != STATUS_OK)
    asker_fail(request->asker, status, "%s", text_get(&message));
  answer->talk.begin_ns = run->start_ns;
  answer->talk.end_ns = run->end_ns;
  for (size_t i = 0; i < TALK_PROBE_COUNT; i++)
    answer->talk.lost += run->count[i].lost;
  mem_free(run);
  mem_free(path);
  text_clear(&message);
  return status;
}

/* --- drafting --- */

/* NAME.ENDING in the folder. */
static enum status write_file(const struct sockets_answer *answer,
                              const struct sockets_request *request, const char *ending,
                              struct text *text) {
  enum status status = draft_write(request->asker, request->out, answer->name, ending, text);
  text_clear(text);
  return status;
}

static char *path_of(const struct sockets_answer *answer, const struct sockets_request *request,
                     const char *ending) {
  struct text path = {0};
  text_format(&path, "%s/%s.%s", request->out, answer->name, ending);
  return text_take(&path);
}

/* The drafted files on what was recorded. */
static enum status try_it(struct sockets_answer *answer, const struct sockets_request *request) {
  char *events = path_of(answer, request, "events"), *probes = path_of(answer, request, "yaml"),
       *out = path_in(request->out, "recorded");
  const char *const files[] = {events, NULL};
  const struct pair_question question = {
      .asker = request->asker, .probes = probes, .events = files, .out = out};
  struct pair_answer paired;
  enum status status = pair_ask(&paired, &question);
  answer->requests = paired.requests;
  answer->paired = paired.paired;
  pair_answer_clear(&paired);
  mem_free(events);
  mem_free(probes);
  mem_free(out);
  return status;
}

static enum status write_draft(struct sockets_answer *answer, const struct sockets_request *request,
                               const char *origin) {
  struct text text = {0};
  talk_names_make(&answer->names, &answer->shape, &answer->parts);
  const struct talk_draft draft = {&answer->shape, &answer->parts, &answer->names, origin};
  answer->name = mem_copy_text(answer->names.call[0], strlen(answer->names.call[0]));
  draft_probes(&text, &draft);
  enum status status = write_file(answer, request, "yaml", &text);
  draft_protocol_of(&text, &draft);
  status = status_worst(status, write_file(answer, request, "tp", &text));
  draft_events(&text, &draft, &answer->talk);
  return status_worst(status, write_file(answer, request, "events", &text));
}

static enum status write_relay(struct sockets_answer *answer, const struct sockets_request *request,
                               const char *origin) {
  struct text text = {0};
  answer->name = mem_copy_text(answer->relay.name, strlen(answer->relay.name));
  relay_probes(&text, &answer->relay, &answer->parts, origin);
  enum status status = write_file(answer, request, "yaml", &text);
  relay_protocol(&text, &answer->relay, origin);
  status = status_worst(status, write_file(answer, request, "tp", &text));
  relay_events(&text, &answer->relay, &answer->parts, &answer->talk);
  return status_worst(status, write_file(answer, request, "events", &text));
}

/* Where what is asked and told does not tell: whether messages are passed on. */
static bool find_relay(struct sockets_answer *answer) {
  relay_learn(&answer->relay, &answer->talk, &answer->parts);
  if (answer->relay.stopped == NULL)
    shape_clear(&answer->shape);
  else if (answer->shape.count == 0)
    answer->shape.stopped = answer->relay.stopped;
  return answer->relay.stopped == NULL;
}

static enum status draft_all(struct sockets_answer *answer, const struct sockets_request *request) {
  bool relays = answer->shape.stopped != NULL && find_relay(answer);
  struct text origin = {0};
  if (answer->shape.stopped != NULL)
    return STATUS_UNKNOWN;
  text_format(&origin, "learnt of %" PRIu64 " requests in %.1f s",
              relays ? answer->relay.passed : answer->shape.requests,
              (double)(answer->talk.end_ns - answer->talk.begin_ns) / 1e9);
  enum status status = relays ? write_relay(answer, request, text_get(&origin))
                              : write_draft(answer, request, text_get(&origin));
  text_clear(&origin);
  return status == STATUS_OK ? try_it(answer, request) : status;
}

/* --- without a recording --- */

struct peers {
  const struct sockets_answer *answer;
  const struct talk_socket *own;
  struct text *text;
};

static void append_program(struct text *text, const struct sockets_answer *answer,
                           uint32_t process) {
  const struct talk_process *found = talk_table_process(&answer->talk.table, process);
  const char *command = found == NULL ? "?" : found->command;
  text_append_bytes(text, command, talk_program_length(command));
}

/* "nginx (21) is connected to python3 up.py (30) at its port 9001", of one end of a connection. */
static void tell_peer(void *context, uint32_t process) {
  const struct peers *peers = context;
  const struct talk_socket *own = peers->own;
  bool listens = talk_table_listens(&peers->answer->talk.table, own->local, own->process);
  if (process == own->process)
    return;
  append_program(peers->text, peers->answer, own->process);
  text_format(peers->text, " (%" PRIu32 ") is connected to ", own->process);
  append_program(peers->text, peers->answer, process);
  text_format(peers->text, " (%" PRIu32 ") at %s port %u\n", process, listens ? "its own" : "the",
              listens ? own->local : own->remote);
}

static void tell_connections(struct sockets_answer *answer) {
  const struct talk_table *table = &answer->talk.table;
  struct text text = {0};
  for (size_t i = 0; i < table->sockets.count; i++) {
    struct peers peers = {answer, &table->sockets.data[i], &text};
    const struct talk_process *process = talk_table_process(table, peers.own->process);
    if (peers.own->kind == TALK_CONNECTED && process != NULL && process->asked)
      talk_table_peers(table, peers.own->local, peers.own->remote, tell_peer, &peers);
  }
  answer->connections_told = text_take(&text);
}

/* What was named speaks besides over sockets that are not followed. */
static void tell_others(struct sockets_answer *answer) {
  static const enum talk_kind kinds[] = {TALK_UDP, TALK_UNIX};
  struct text text = {0};
  for (size_t k = 0; k < 2; k++)
    for (size_t i = 0; i < answer->talk.table.sockets.count; i++) {
      const struct talk_socket *one = &answer->talk.table.sockets.data[i];
      const struct talk_process *process = talk_table_process(&answer->talk.table, one->process);
      if (one->kind != kinds[k] || process == NULL || !process->asked)
        continue;
      if (one->kind == TALK_UDP)
        text_format(&text, "process %" PRIu32 " has UDP port %u\n", one->process, one->local);
      else if (one->path != NULL && *one->path != '\0')
        text_format(&text, "process %" PRIu32 " has connections of %s\n", one->process, one->path);
    }
  answer->sockets_told = text_take(&text);
}

enum status sockets_ask(struct sockets_answer *answer, const struct sockets_request *request) {
  *answer = (struct sockets_answer){0};
  struct stat about;
  bool before = request->operand_count == 1 && stat(request->operands[0], &about) == 0 &&
                S_ISDIR(about.st_mode);
  answer->recorded_before = before;
  const char *folder = before ? request->operands[0] : request->out;
  enum status status = before ? STATUS_OK : ask_processes(answer, request);
  if (status == STATUS_OK)
    status = draft_make_folder(request->asker, request->out);
  if (status == STATUS_OK)
    status = before ? read_sockets(answer, request, folder) : record_all(answer, request);
  if (status == STATUS_UNAVAILABLE) {
    answer->shape.stopped = "nothing could be recorded, and the connections that there are do not "
                            "tell who asks whom while it answers";
    tell_connections(answer);
    tell_others(answer);
  }
  if (status == STATUS_OK)
    status = read_events(answer, request, folder);
  if (status != STATUS_OK)
    return answer->status = status;
  talk_join(&answer->talk);
  talk_parts_make(&answer->parts, &answer->talk);
  shape_learn(&answer->shape, &answer->talk, &answer->parts);
  tell_others(answer);
  return answer->status = draft_all(answer, request);
}

void sockets_answer_clear(struct sockets_answer *answer) {
  talk_clear(&answer->talk);
  talk_parts_clear(&answer->parts);
  shape_clear(&answer->shape);
  mem_free(answer->name);
  mem_free(answer->sockets_told);
  mem_free(answer->connections_told);
}
