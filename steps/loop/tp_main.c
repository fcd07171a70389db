/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tp_main.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tp_socket.h"

enum { FEWER = 1, USAGE = 64, WRONG_DATA = 65, NO_FILE = 66, FAILED = 70, MEET_SECONDS = 60 };

struct settings {
  const struct tp_program *program;
  char name[64]; /* "node[0]" */
  const char *peers, *out;
  int64_t run, steps, seconds, records; /* of steps and seconds -1: no limit */
};

static int complain(const struct settings *s, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static int complain(const struct settings *s, int code, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fprintf(stderr, "%s_%s: ", s->program->role->protocol,
          s->program->role->roles[s->program->role->role]);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  return code;
}

/* --- command line ----------------------------------------------------------------------------- */

static void help(const struct tp_program *program) {
  const char *role = program->role->roles[program->role->role];
  printf("%s_%s %s--peers FILE [--set NAME=VALUE]... [options]\n"
         "Runs a node of role %s of protocol %s, and records it for tailproof replay.\n\n",
         program->role->protocol, role, program->index == NULL ? "" : "--node I ", role,
         program->role->protocol);
  if (program->index != NULL)
    printf("  --node I        which node of the role this is, from 0\n");
  printf("  --peers FILE    a line for each node: %s %s:7000\n"
         "  --set N=V       a parameter, or how long the node rests (times: in ns):",
         program->index == NULL ? role : "node[0]", "127.0.0.1");
  for (size_t i = 0; i < program->parameter_count; i++)
    printf(" %s", program->parameters[i].name);
  printf("\n  --out DIR       where the store goes (default: nothing is recorded)\n"
         "  --run N         the number of the run, the same at all nodes (default 1)\n"
         "  --steps N       ends after so many steps, and messages that no step takes\n"
         "  --seconds N     ends after so long\n"
         "  --records N     the latest so many records are kept, a power of two (default 16384)\n");
}

static bool get_whole(const char *text, int64_t least, int64_t most, int64_t *value) {
  char *end;
  errno = 0;
  long long number = strtoll(text, &end, 10);
  if (errno != 0 || end == text || *end != '\0' || number < least || number > most)
    return false;
  *value = number;
  return true;
}

static bool set_parameter(const struct tp_program *program, const char *text) {
  const char *equals = strchr(text, '=');
  for (size_t i = 0; equals != NULL && i < program->parameter_count; i++) {
    const struct tp_parameter *parameter = &program->parameters[i];
    size_t length = (size_t)(equals - text);
    int64_t value;
    if (strncmp(parameter->name, text, length) != 0 || parameter->name[length] != '\0')
      continue;
    const bool time = parameter->integer == NULL;
    if (!get_whole(equals + 1, time ? 0 : -TP_INT_MAX, time ? TP_TIME_MAX : TP_INT_MAX, &value))
      return false;
    if (parameter->time != NULL)
      *parameter->time = value;
    else if (!time)
      *parameter->integer = (int32_t)value;
    return true;
  }
  return false;
}

/* One option with its value. */
static bool set_option(struct settings *s, const char *name, const char *value) {
  int64_t index;
  if (strcmp(name, "--node") == 0 && s->program->index != NULL) {
    if (!get_whole(value, 0, TP_PEERS - 1, &index))
      return false;
    *s->program->index = (int32_t)index;
    return true;
  }
  if (strcmp(name, "--peers") == 0)
    s->peers = value;
  else if (strcmp(name, "--out") == 0)
    s->out = value;
  else if (strcmp(name, "--set") == 0)
    return set_parameter(s->program, value);
  else if (strcmp(name, "--run") == 0)
    return get_whole(value, 0, INT64_MAX, &s->run);
  else if (strcmp(name, "--steps") == 0)
    return get_whole(value, 1, INT64_MAX, &s->steps);
  else if (strcmp(name, "--seconds") == 0)
    return get_whole(value, 1, 1000000000, &s->seconds);
  else if (strcmp(name, "--records") == 0)
    return get_whole(value, 1, 1 << 24, &s->records) && (s->records & (s->records - 1)) == 0;
  else
    return false;
  return true;
}

static int read_command_line(struct settings *s, int count, char **arguments) {
  const struct tp_program *program = s->program;
  for (int i = 1; i < count; i += 2) {
    if (strcmp(arguments[i], "--help") == 0) {
      help(program);
      exit(0);
    }
    if (i + 1 == count)
      return complain(s, USAGE, "%s: needs a value, or is no option; see --help", arguments[i]);
    if (!set_option(s, arguments[i], arguments[i + 1]))
      return complain(s, USAGE,
                      "%s %s: no such option, or a value that it does not take; see --help",
                      arguments[i], arguments[i + 1]);
  }
  if (program->index != NULL && *program->index < 0)
    return complain(s, USAGE, "say which node this is: --node I");
  if (s->peers == NULL)
    return complain(s, USAGE, "say where the nodes are: --peers FILE");
  const char *wrong = program->wrong(program->node);
  if (wrong != NULL)
    return complain(s, USAGE, "the parameters do not fit the protocol, which says: %s; see --set",
                    wrong);
  const char *role = program->role->roles[program->role->role];
  if (program->index == NULL)
    snprintf(s->name, sizeof s->name, "%s", role);
  else
    snprintf(s->name, sizeof s->name, "%s[%d]", role, (int)*program->index);
  return 0;
}

/* --- addresses -------------------------------------------------------------------------------- */

/* The number of the node "backup[2]"; -1: there is none. */
static int32_t find_node(const struct tp_program *program, const char *name) {
  const struct tp_role *role = program->role;
  for (int32_t i = 0; i < role->role_count; i++) {
    size_t length = strlen(role->roles[i]);
    int64_t index = 0;
    char *end;
    if (strncmp(name, role->roles[i], length) != 0)
      continue;
    if (name[length] == '[') {
      index = strtoll(name + length + 1, &end, 10);
      if (strcmp(end, "]") != 0)
        continue;
    } else if (name[length] != '\0' || role->count(program->node, i) != 1) {
      continue;
    }
    return index < 0 || index >= TP_PEERS ? -1
                                          : tp_loop_number(role, program->node, i, (int32_t)index);
  }
  return -1;
}

static int read_peers(struct settings *s, struct tp_socket *socket) {
  FILE *file = fopen(s->peers, "r");
  char line[512], name[256], address[256], more;
  int result = 0;
  if (file == NULL)
    return complain(s, NO_FILE, "%s: %s", s->peers, strerror(errno));
  for (int number = 1; result == 0 && fgets(line, sizeof line, file) != NULL; number++) {
    line[strcspn(line, "#\n")] = '\0';
    int words = sscanf(line, "%255s %255s %c", name, address, &more);
    int32_t node = words == 2 ? find_node(s->program, name) : -1;
    if (words <= 0)
      continue;
    if (words != 2)
      result = complain(s, WRONG_DATA, "%s:%d: a line is a node and its address: node[0] HOST:PORT",
                        s->peers, number);
    else if (node < 0)
      result = complain(s, WRONG_DATA, "%s:%d: the protocol with these parameters has no node %s",
                        s->peers, number, name);
    else if (!tp_socket_address(socket, node, address))
      result = complain(s, WRONG_DATA, "%s:%d: %s is no address; write HOST:PORT", s->peers, number,
                        address);
  }
  fclose(file);
  return result;
}

/* --- running ---------------------------------------------------------------------------------- */

/* Its steps, and the messages that no step takes. */
static uint64_t taken(const struct tp_loop *loop) {
  return loop->counts.steps + loop->counts.delivered;
}

static int report(const struct settings *s, const struct tp_loop *loop, enum tp_turn turn) {
  const struct tp_counts *c = &loop->counts;
  printf("%s: %" PRIu64 " steps", s->name, c->steps);
  if (c->delivered != 0)
    printf(" and %" PRIu64 " messages that none takes", c->delivered);
  printf("; packets refused %" PRIu64 ", repeated %" PRIu64 ", late %" PRIu64
         ", without place %" PRIu64 "\n",
         c->refused, c->repeated, c->late, c->full);
  if (turn == TP_STUCK)
    return complain(s, FEWER, "%s: the next step needs a number beyond 2^31 - 1; it stops here",
                    s->name);
  if (s->steps >= 0 && taken(loop) < (uint64_t)s->steps)
    return complain(s, FEWER, "%s: %" PRIu64 " of %" PRId64 " steps", s->name, taken(loop),
                    s->steps);
  return 0;
}

static int run(const struct settings *s, struct tp_loop *loop) {
  const int64_t slice_ns = 50000000; /* how often it looks whether its time is over */
  int64_t slices = s->seconds < 0 ? INT64_MAX : s->seconds * (1000000000 / slice_ns);
  enum tp_turn turn = TP_IDLE;
  tp_loop_begin(loop, 1);
  int32_t missing = tp_loop_meet(loop, (int64_t)MEET_SECONDS * 1000000000);
  if (missing >= 0)
    return complain(s, FAILED, "%s: nothing was heard of node number %d of %s for %d s", s->name,
                    (int)missing, s->peers, MEET_SECONDS);
  const uint64_t began = tailproof_now(NULL);
  while (missing == -1 && slices > 0 && (s->steps < 0 || taken(loop) < (uint64_t)s->steps)) {
    turn = tp_loop_turn(loop, slice_ns);
    if (turn == TP_STUCK || turn == TP_BROKEN)
      break;
    if (s->seconds >= 0 &&
        (turn == TP_IDLE || loop->role->timed || taken(loop) % 256 == 0)) /* time is read rarely */
      slices = (int64_t)(tailproof_now(NULL) - began) < s->seconds * 1000000000;
  }
  if (turn != TP_STUCK && s->steps >= 0 && taken(loop) >= (uint64_t)s->steps)
    tp_loop_flush(loop);
  return report(s, loop, turn);
}

static int run_recorded(struct settings *s, struct tp_socket *socket, int32_t self) {
  static struct tp_loop loop;
  struct tailproof_store *store = NULL;
  struct tailproof_options options = {.folder = s->out,
                                      .node = s->name,
                                      .log_records = (uint32_t)s->records,
                                      .clock = s->program->role->timed ? TAILPROOF_CLOCK_MONOTONIC
                                                                       : TAILPROOF_CLOCK_BEST};
  if (s->out != NULL && tailproof_open(&store, &options) != 0)
    return complain(s, FAILED, "%s", tailproof_error());
  const struct tp_port port = tp_socket_port(socket);
  const char *wrong =
      tp_loop_open(&loop, s->program->role, s->program->node, self, (uint64_t)s->run, &port, store);
  socket->writer = loop.writer;
  int result = wrong == NULL ? run(s, &loop) : complain(s, FAILED, "%s: %s", s->name, wrong);
  if (tailproof_close(store) != 0 && result == 0)
    result = complain(s, FAILED, "%s", tailproof_error());
  return result;
}

int tp_main(const struct tp_program *program, int count, char **arguments) {
  static struct tp_socket socket = {.descriptor = -1};
  struct settings s = {.program = program, .run = 1, .steps = -1, .seconds = -1, .records = 16384};
  int result = read_command_line(&s, count, arguments);
  if (result == 0)
    result = read_peers(&s, &socket);
  if (result != 0)
    return result;
  int32_t self = find_node(program, s.name);
  if (self < 0 || socket.lengths[self] == 0)
    return complain(&s, WRONG_DATA, "%s: has no address of %s, which this node is", s.peers,
                    s.name);
  tp_socket_catch();
  const char *wrong = tp_socket_open(&socket, self);
  result = wrong == NULL
               ? run_recorded(&s, &socket, self)
               : complain(&s, FAILED, "%s: its socket cannot be opened: %s", s.name, wrong);
  tp_socket_close(&socket);
  return result;
}
