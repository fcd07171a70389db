/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "examples/load/visit.h"

#include "examples/common/complain.h"
#include "examples/common/moment.h"
#include "examples/load/answer.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum { VISIT_EVENTS = 64, VISIT_BYTES = 65536, VISIT_NONE = -1 };

struct visit_line {
  int fd;                /* VISIT_NONE: not connected */
  struct arrival *asked; /* NULL: free */
  struct answer answer;
};

struct visit {
  const struct visit_options *options;
  struct arrival *arrivals;
  size_t count, due, sent, answered; /* due: those whose moment has come */
  struct visit_line *lines;
  size_t *free_lines, free_count;
  int poll, timer;
  uint64_t start_ns, late_ns;
  bool broken;
};

static int connect_to(uint16_t port) {
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port)};
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int one = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0)
    return VISIT_NONE;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  if (connect(fd, (const struct sockaddr *)&to, sizeof to) == 0)
    return fd;
  int error = errno;
  close(fd);
  errno = error;
  return VISIT_NONE;
}

static bool line_open(struct visit *visit, struct visit_line *line) {
  line->fd = connect_to(visit->options->port);
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = line};
  if (line->fd != VISIT_NONE && epoll_ctl(visit->poll, EPOLL_CTL_ADD, line->fd, &event) == 0)
    return true;
  complain("127.0.0.1:%u: %s; start the server first, or name its port with --port",
           visit->options->port, strerror(errno));
  visit->broken = true;
  return false;
}

/* A path with its '#' replaced. */
static int request_print(char *text, size_t size, const struct visit *visit,
                         const struct arrival *asked) {
  const char *path = visit->options->routes->all[asked->route].path;
  int before = (int)strcspn(path, "#");
  const char *after = path[before] == '\0' ? "" : path + before + 1;
  char number[24] = "";
  if (path[before] != '\0')
    snprintf(number, sizeof number, "%zu", (size_t)(asked - visit->arrivals));
  return snprintf(text, size, "GET %.*s%s%s HTTP/1.1\r\nHost: localhost\r\n\r\n", before, path,
                  number, after);
}

static void line_ask(struct visit *visit, struct visit_line *line) {
  char text[ARRIVAL_PATH_MAX + 100];
  if (line->fd == VISIT_NONE && !line_open(visit, line))
    return;
  line->asked = &visit->arrivals[visit->sent++];
  answer_begin(&line->answer);
  int length = request_print(text, sizeof text, visit, line->asked);
  ssize_t sent = send(line->fd, text, (size_t)length, MSG_NOSIGNAL);
  (void)sent; /* of a connection that is gone the read says so */
}

static void ask_what_is_due(struct visit *visit) {
  while (visit->sent < visit->due && visit->free_count > 0 && !visit->broken)
    line_ask(visit, &visit->lines[visit->free_lines[--visit->free_count]]);
}

static void line_close(struct visit_line *line) {
  close(line->fd);
  line->fd = VISIT_NONE;
}

static void line_answered(struct visit *visit, struct visit_line *line) {
  bool whole = line->answer.state == ANSWER_DONE;
  if (line->asked != NULL) {
    uint64_t now_ns = moment_ns() - visit->start_ns, due_ns = line->asked->due_ns;
    line->asked->latency_ns = now_ns > due_ns ? now_ns - due_ns : 1;
    line->asked->status = whole ? line->answer.status : 0;
    line->asked = NULL;
    visit->answered++;
    visit->free_lines[visit->free_count++] = (size_t)(line - visit->lines);
  }
  if (!whole || line->answer.close)
    line_close(line);
}

static void line_read(struct visit *visit, struct visit_line *line) {
  static char bytes[VISIT_BYTES];
  ssize_t got = recv(line->fd, bytes, sizeof bytes, MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR))
    return;
  if (line->asked == NULL) { /* an idle connection was closed */
    line_close(line);
    return;
  }
  if (got > 0)
    answer_take(&line->answer, bytes, (size_t)got);
  else
    answer_end(&line->answer);
  if (line->answer.state == ANSWER_DONE || line->answer.state == ANSWER_BROKEN)
    line_answered(visit, line);
}

static void timer_set(struct visit *visit) {
  if (visit->due == visit->count)
    return;
  uint64_t at_ns = visit->start_ns + visit->arrivals[visit->due].due_ns;
  struct itimerspec when = {.it_value = {.tv_sec = (time_t)(at_ns / 1000000000u),
                                         .tv_nsec = (long)(at_ns % 1000000000u)}};
  timerfd_settime(visit->timer, TFD_TIMER_ABSTIME, &when, NULL);
}

static void clock_look(struct visit *visit) {
  uint64_t now_ns = moment_ns() - visit->start_ns;
  if (visit->due == visit->count || visit->arrivals[visit->due].due_ns > now_ns)
    return;
  uint64_t late_ns = now_ns - visit->arrivals[visit->due].due_ns;
  visit->late_ns = late_ns > visit->late_ns ? late_ns : visit->late_ns;
  while (visit->due < visit->count && visit->arrivals[visit->due].due_ns <= now_ns)
    visit->due++;
  timer_set(visit);
}

static bool visit_init(struct visit *visit) {
  size_t lines = visit->options->connections;
  visit->lines = calloc(lines, sizeof *visit->lines);
  visit->free_lines = calloc(lines, sizeof *visit->free_lines);
  visit->poll = epoll_create1(EPOLL_CLOEXEC);
  visit->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL};
  if (visit->lines == NULL || visit->free_lines == NULL || visit->poll < 0 || visit->timer < 0 ||
      epoll_ctl(visit->poll, EPOLL_CTL_ADD, visit->timer, &event) != 0) {
    complain("%zu connections: %s", lines, strerror(errno));
    return false;
  }
  for (size_t i = 0; i < lines; i++) {
    visit->lines[i].fd = VISIT_NONE;
    visit->free_lines[i] = lines - 1 - i; /* the first is taken first */
  }
  visit->free_count = lines;
  return true;
}

static void visit_clear(struct visit *visit) {
  for (size_t i = 0; visit->lines != NULL && i < visit->options->connections; i++) {
    if (visit->lines[i].fd != VISIT_NONE)
      close(visit->lines[i].fd);
    answer_free(&visit->lines[i].answer);
  }
  free(visit->lines);
  free(visit->free_lines);
  close(visit->poll);
  close(visit->timer);
}

/* Whether all are answered, or the last one was sent too long ago. */
static bool is_over(const struct visit *visit) {
  uint64_t last_ns = visit->arrivals[visit->count - 1].due_ns;
  return visit->broken || visit->answered == visit->count ||
         moment_ns() - visit->start_ns > last_ns + visit->options->patience_ns;
}

static void visit_loop(struct visit *visit) {
  timer_set(visit);
  while (!is_over(visit)) {
    struct epoll_event events[VISIT_EVENTS];
    int count = epoll_wait(visit->poll, events, VISIT_EVENTS, 100);
    uint64_t expirations;
    for (int i = 0; i < count; i++)
      if (events[i].data.ptr != NULL)
        line_read(visit, events[i].data.ptr);
      else if (read(visit->timer, &expirations, sizeof expirations) < 0)
        continue;
    clock_look(visit);
    ask_what_is_due(visit);
  }
}

int visit_all(struct arrival *arrivals, size_t count, const struct visit_options *options,
              uint64_t *late_ns) {
  struct visit visit = {
      .options = options, .arrivals = arrivals, .count = count, .start_ns = moment_ns()};
  bool begun = visit_init(&visit);
  if (begun)
    visit_loop(&visit);
  visit_clear(&visit);
  *late_ns = visit.late_ns;
  return begun && !visit.broken ? 0 : EXIT_FAILED;
}
