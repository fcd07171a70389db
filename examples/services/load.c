/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "examples/services/load.h"

#include "examples/common/complain.h"
#include "examples/common/moment.h"
#include "examples/services/channel.h"
#include "examples/services/service.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define PATIENCE_NS 30000000000u
#define START_NS 15000000000u
#define SECOND_NS 1000000000u
enum { EVENTS = 64, LOOK_MS = 50, FAILURES_MOST = 10000 };

struct load;

/* One user's connection to one of the services that users ask. */
struct line {
  struct load *load;
  size_t user, to;
  struct channel channel;
};

struct load {
  const struct mesh *mesh;
  const struct load_options *options;
  struct random random;
  int poll, signals;
  size_t entries, entry_of[MESH_CHOICES_MAX]; /* which line of a user each choice takes */
  uint16_t entry[MESH_CHOICES_MAX];           /* the service at its end */
  struct line *lines;                         /* of user u: from u * entries */
  uint64_t *asked;                            /* of each user: the id of what is under way */
  uint64_t issued, answered, failed, failed_in_a_row;
  uint64_t now_ns, heard_ns, warm_ns;   /* heard_ns: of the last answer */
  uint64_t first_ns, last_ns, measured; /* after the warm-up: answers after the first one */
  uint64_t second_ns, second, in_second;
  bool broken;
};

static void ask(struct load *load, size_t user) {
  if (load->options->requests > 0 && load->issued == load->options->requests)
    return;
  const struct mesh_choice *choice = mesh_draw(&load->mesh->users, &load->random);
  if (choice == NULL) /* probabilities are rounded down */
    choice = &load->mesh->users.choices[0];
  size_t entry = load->entry_of[choice - load->mesh->users.choices];
  struct frame frame = {.magic = FRAME_MAGIC,
                        .kind = FRAME_REQUEST,
                        .endpoint = choice->endpoint,
                        .id = ++load->asked[user]};
  load->issued++;
  channel_send(&load->lines[user * load->entries + entry].channel, &frame);
}

static void answer_count(struct load *load, bool failed) {
  load->answered++;
  load->in_second++;
  load->heard_ns = load->now_ns;
  load->failed += failed;
  load->failed_in_a_row = failed ? load->failed_in_a_row + 1 : 0;
  if (load->now_ns < load->warm_ns)
    return;
  if (load->first_ns == 0)
    load->first_ns = load->now_ns;
  else
    load->measured++;
  load->last_ns = load->now_ns;
}

static void answer_take(void *context, const struct frame *frame) {
  struct line *line = context;
  struct load *load = line->load;
  if ((frame->kind != FRAME_REPLY && frame->kind != FRAME_FAILED) ||
      frame->id != load->asked[line->user])
    return;
  answer_count(load, frame->kind == FRAME_FAILED);
  ask(load, line->user);
}

/* Connected to a service, which may be about to start; -1 after a complaint. */
static int connect_patiently(const struct mesh *mesh, size_t service, uint16_t base) {
  struct timespec short_while = {.tv_nsec = 20000000};
  uint64_t until_ns = moment_ns() + START_NS;
  uint16_t port = (uint16_t)(base + service);
  int fd;
  while ((fd = channel_connect(port)) < 0 && moment_ns() < until_ns)
    nanosleep(&short_while, NULL);
  if (fd < 0)
    complain("%s does not listen at 127.0.0.1:%u: %s; start it first: services serve --service %s",
             mesh->services[service].name, port, strerror(errno), mesh->services[service].name);
  return fd;
}

static bool line_open(struct load *load, struct line *line) {
  int fd = connect_patiently(load->mesh, line->to, load->options->base);
  if (fd < 0)
    return false;
  struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLET, .data.ptr = line};
  channel_init(&line->channel);
  channel_attach(&line->channel, fd);
  if (epoll_ctl(load->poll, EPOLL_CTL_ADD, fd, &event) == 0)
    return true;
  complain("a connection: %s", strerror(errno));
  return false;
}

/* Which services users ask: each once. */
static void entries_find(struct load *load) {
  for (size_t i = 0; i < load->mesh->users.count; i++) {
    size_t e = 0;
    while (e < load->entries && load->entry[e] != load->mesh->users.choices[i].service)
      e++;
    load->entry_of[i] = e;
    load->entry[e] = load->mesh->users.choices[i].service;
    load->entries += e == load->entries;
  }
}

static bool lines_open(struct load *load) {
  size_t users = (size_t)load->options->users;
  entries_find(load);
  load->lines = calloc(users * load->entries, sizeof *load->lines);
  load->asked = calloc(users, sizeof *load->asked);
  if (load->lines == NULL || load->asked == NULL) {
    complain("no memory for %zu users", users);
    return false;
  }
  for (size_t i = 0; i < users * load->entries; i++) {
    load->lines[i] = (struct line){
        .load = load, .user = i / load->entries, .to = load->entry[i % load->entries]};
    if (!line_open(load, &load->lines[i]))
      return false;
  }
  return true;
}

static void seconds_print(struct load *load) {
  while (load->now_ns >= load->second_ns) {
    if (load->options->each_second)
      printf("second %" PRIu64 ": %" PRIu64 " requests\n", load->second + 1, load->in_second);
    fflush(stdout);
    load->second++;
    load->second_ns += SECOND_NS;
    load->in_second = 0;
  }
}

/* Whether it is over, for good or bad. */
static bool is_over(struct load *load) {
  const struct load_options *options = load->options;
  if (load->failed_in_a_row > FAILURES_MOST)
    complain("%d requests failed in a row: a service that is needed does not run", FAILURES_MOST);
  else if (load->now_ns - load->heard_ns > PATIENCE_NS)
    complain("no answer for 30 s");
  else
    return load->broken || (options->requests > 0 && load->answered == options->requests) ||
           (options->seconds > 0 && load->first_ns != 0 &&
            load->now_ns - load->first_ns >= options->seconds * SECOND_NS);
  load->broken = true;
  return true;
}

static void line_serve(struct load *load, struct line *line, bool writable) {
  if (writable)
    channel_flush(&line->channel);
  if (channel_read(&line->channel, answer_take, line))
    return;
  complain("%s closed the connection", load->mesh->services[line->to].name);
  load->broken = true;
}

/* Returns the number of the signal that ended it, 0 for none. */
static int asking(struct load *load) {
  while (!is_over(load)) {
    struct epoll_event events[EVENTS];
    int count = epoll_wait(load->poll, events, EVENTS, LOOK_MS);
    load->now_ns = moment_ns();
    seconds_print(load);
    for (int i = 0; i < count && !load->broken; i++) {
      if (events[i].data.ptr != NULL) {
        line_serve(load, events[i].data.ptr, (events[i].events & EPOLLOUT) != 0);
        continue;
      }
      struct signalfd_siginfo signal;
      if (read(load->signals, &signal, sizeof signal) == (ssize_t)sizeof signal)
        return (int)signal.ssi_signo;
    }
  }
  return 0;
}

static bool signals_watch(struct load *load) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGHUP);
  sigprocmask(SIG_BLOCK, &signals, NULL);
  load->poll = epoll_create1(EPOLL_CLOEXEC);
  load->signals = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
  struct epoll_event event = {.events = EPOLLIN};
  if (load->poll >= 0 && load->signals >= 0 &&
      epoll_ctl(load->poll, EPOLL_CTL_ADD, load->signals, &event) == 0)
    return true;
  complain("signals: %s", strerror(errno));
  return false;
}

static void begin(struct load *load) {
  load->now_ns = moment_ns();
  load->heard_ns = load->now_ns;
  load->warm_ns = load->now_ns + load->options->warmup_ms * 1000000u;
  load->second_ns = load->now_ns + SECOND_NS;
  for (size_t user = 0; user < load->options->users; user++)
    ask(load, user);
}

static int summary(const struct load *load, int signal) {
  double seconds = (double)(load->last_ns - load->first_ns) * 1e-9;
  printf("load: %" PRIu64 " requests, %" PRIu64 " failed; after the warm-up %" PRIu64
         " in %.6f s: %.3f requests/s\n",
         load->answered, load->failed, load->measured, seconds,
         seconds > 0 ? (double)load->measured / seconds : 0);
  if (fflush(stdout) != 0) {
    complain("writing: %s", strerror(errno));
    return EXIT_FAILED;
  }
  if (signal == SIGINT || signal == SIGHUP)
    return EXIT_INTERRUPTED;
  return load->broken ? EXIT_FAILED : EXIT_SUCCESS;
}

int load_run(const struct mesh *mesh, const struct load_options *options) {
  static struct load load;
  load.mesh = mesh;
  load.options = options;
  load.random = random_seeded(options->seed, 1000);
  realtime_take(options->realtime);
  if (!signals_watch(&load) || !lines_open(&load))
    return EXIT_FAILED;
  begin(&load);
  int result = summary(&load, asking(&load));
  for (size_t i = 0; i < options->users * load.entries; i++)
    channel_free(&load.lines[i].channel);
  free(load.lines);
  free(load.asked);
  return result;
}

int load_faster(const struct mesh *mesh, size_t service, uint16_t base, unsigned percent) {
  struct frame frame = {.magic = FRAME_MAGIC, .kind = FRAME_FASTER, .id = percent}, answer;
  size_t got = 0;
  ssize_t more = 1;
  int fd = connect_patiently(mesh, service, base);
  if (fd < 0)
    return EXIT_FAILED;
  bool good = send(fd, &frame, sizeof frame, MSG_NOSIGNAL) == (ssize_t)sizeof frame;
  while (good && got < sizeof answer && (more > 0 || (more < 0 && errno == EINTR))) {
    more = read(fd, (char *)&answer + got, sizeof answer - got);
    got += more > 0 ? (size_t)more : 0;
  }
  if (!good || got < sizeof answer)
    complain("%s at 127.0.0.1:%zu: %s", mesh->services[service].name, base + service,
             good && more == 0 ? "it closed the connection" : strerror(errno));
  close(fd);
  return good && got == sizeof answer ? EXIT_SUCCESS : EXIT_FAILED;
}
