/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/load/http.h"

#include "base/address.h"
#include "base/memory.h"
#include "measure/load/answer.h"
#include "measure/load/tls.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { BYTES = 65536, NONE = -1, WHY = 200 };

static const char scheme[] = "http://", secure_scheme[] = "https://";

struct connection {
  int fd; /* NONE: not open */
  const struct addrinfo *to;
  struct tls_session *tls; /* NULL: without */
  bool greeting;           /* the handshake is under way ... */
  uint64_t greeted_ns;     /* ... since then; 0: the connection is not open yet */
  size_t asked;
  bool busy;               /* with the request `asked` */
  bool used;               /* an earlier request was answered on it */
  bool heard;              /* some of the answer to this one came */
  struct proxy_buffer out; /* not sent yet */
  struct http_answer answer;
};

struct http_carrier {
  const struct http_options *options;
  struct address place;
  char authority[ADDRESS_TEXT]; /* as the URL has it, for Host */
  struct addrinfo *found;       /* the host's addresses; owned */
  const struct addrinfo *to;    /* the one that is spoken to */
  struct tls_options tls_options;
  struct tls_context *tls; /* NULL: without */
  struct connection *connections;
  struct http_counts counts;
  size_t answered;
};

bool http_is_secure(const char *text) {
  return strncmp(text, secure_scheme, sizeof secure_scheme - 1) == 0;
}

bool http_is_address(const char *text) {
  return strncmp(text, scheme, sizeof scheme - 1) == 0 || http_is_secure(text);
}

static const char *behind_scheme(const char *url) {
  return strstr(url, "://") + 3;
}

const char *http_path(const char *url) {
  const char *slash = strchr(behind_scheme(url), '/');
  return slash == NULL ? "/" : slash;
}

/* HOST, HOST:PORT or [HOST]:PORT of the URL. */
static bool read_authority(struct http_carrier *http) {
  const char *start = behind_scheme(http->options->url);
  size_t length = strcspn(start, "/?#");
  char text[ADDRESS_TEXT + 8];
  if (length == 0 || length >= ADDRESS_TEXT || memchr(start, '@', length) != NULL)
    return false;
  snprintf(http->authority, sizeof http->authority, "%.*s", (int)length, start);
  bool port = strrchr(http->authority, ':') != NULL && http->authority[length - 1] != ']';
  snprintf(text, sizeof text, "%s%s", http->authority,
           port                                 ? ""
           : http_is_secure(http->options->url) ? ":443"
                                                : ":80");
  return address_read(&http->place, text, 1);
}

static bool find_host(struct http_carrier *http, struct text *message) {
  struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
  char port[8];
  snprintf(port, sizeof port, "%u", http->place.port);
  int failed = getaddrinfo(http->place.host, port, &hints, &http->found);
  if (failed != 0) {
    text_format(message, "%s: %s", http->place.host, gai_strerror(failed));
    return false;
  }
  http->to = http->found;
  return true;
}

static bool are_headers(const struct http_options *options, struct text *message) {
  for (size_t i = 0; i < options->header_count; i++) {
    const char *header = options->headers[i], *colon = strchr(header, ':');
    if (colon != NULL && colon != header && strpbrk(header, "\r\n") == NULL &&
        strcspn(header, " \t") > (size_t)(colon - header))
      continue;
    text_format(message, "--header \"%.60s\" is no header; write it as \"Name: value\"", header);
    return false;
  }
  return true;
}

struct http_carrier *http_carrier_new(enum status *status, const struct http_options *options,
                                      struct text *message) {
  struct http_carrier *http = mem_alloc(1, sizeof *http);
  http->options = options;
  *status = STATUS_USAGE;
  if (!read_authority(http))
    text_format(message, "\"%.100s\" is no address; write %sHOST:PORT/PATH", options->url,
                http_is_secure(options->url) ? secure_scheme : scheme);
  else if (are_headers(options, message))
    *status = find_host(http, message) ? STATUS_OK : STATUS_UNAVAILABLE;
  if (*status == STATUS_OK && http_is_secure(options->url)) {
    http->tls_options = (struct tls_options){.host = http->place.host,
                                             .ca = options->ca,
                                             .insecure = options->insecure,
                                             .protocol = "http/1.1"};
    http->tls = tls_context_new(status, &http->tls_options, message);
  }
  if (*status != STATUS_OK) {
    if (http->found != NULL)
      freeaddrinfo(http->found);
    mem_free(http);
    return NULL;
  }
  http->connections = mem_alloc(options->connections, sizeof *http->connections);
  for (size_t i = 0; i < options->connections; i++)
    http->connections[i].fd = NONE;
  return http;
}

static void hang_up(struct connection *c) {
  tls_session_free(c->tls);
  if (c->fd != NONE)
    close(c->fd);
  c->fd = NONE;
  c->tls = NULL;
  c->greeting = c->used = false;
}

void http_carrier_free(struct http_carrier *http) {
  if (http == NULL)
    return;
  for (size_t i = 0; i < http->options->connections; i++) {
    hang_up(&http->connections[i]);
    proxy_buffer_free(&http->connections[i].out);
    answer_free(&http->connections[i].answer);
  }
  tls_context_free(http->tls);
  freeaddrinfo(http->found);
  vector_clear(&http->counts.handshakes_ns);
  mem_free(http->connections);
  mem_free(http);
}

const struct http_counts *http_counts(const struct http_carrier *http) {
  return &http->counts;
}

/* --- a request ---------------------------------------------------------------------------------
 */

static bool has_header(const struct http_options *options, const char *name) {
  size_t length = strlen(name);
  for (size_t i = 0; i < options->header_count; i++)
    if (strncasecmp(options->headers[i], name, length) == 0 && options->headers[i][length] == ':')
      return true;
  return false;
}

/* A path with its '#' replaced by the number of the request. */
static void put_path(struct text *text, const char *path, size_t number) {
  size_t before = strcspn(path, "#");
  text_append_bytes(text, path, before);
  if (path[before] != '\0')
    text_format(text, "%zu%s", number, path + before + 1);
}

static void put_request(struct http_carrier *http, struct connection *c, const char *path) {
  const struct http_options *options = http->options;
  struct text text;
  text_init(&text);
  text_format(&text, "%s ", options->method);
  put_path(&text, path, c->asked);
  text_append(&text, " HTTP/1.1\r\n");
  if (!has_header(options, "Host"))
    text_format(&text, "Host: %s\r\n", http->authority);
  for (size_t i = 0; i < options->header_count; i++)
    text_format(&text, "%s\r\n", options->headers[i]);
  if (options->body != NULL)
    text_format(&text, "Content-Length: %zu\r\n", options->body_size);
  text_append(&text, "\r\n");
  proxy_buffer_clear(&c->out, BYTES);
  proxy_buffer_add(&c->out, text_get(&text), text.length);
  if (options->body != NULL)
    proxy_buffer_add(&c->out, options->body, options->body_size);
  text_clear(&text);
}

/* --- a connection ------------------------------------------------------------------------------
 */

static void end_request(struct http_carrier *http, struct dispatch *d, size_t slot,
                        enum arrival_end end) {
  struct connection *c = &http->connections[slot];
  bool whole = end == ARRIVAL_GOOD || end == ARRIVAL_REFUSED;
  http->answered += whole;
  if (!whole || c->answer.close)
    hang_up(c);
  c->used = whole;
  c->busy = false;
  dispatch_done(d, slot, end, whole ? c->answer.status : 0);
}

static bool open_connection(struct http_carrier *http, struct dispatch *d, size_t slot) {
  struct connection *c = &http->connections[slot];
  int one = 1;
  c->to = http->to;
  c->fd = socket(c->to->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (c->fd < 0)
    return false;
  http->counts.opened++;
  setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  bool begun = connect(c->fd, c->to->ai_addr, c->to->ai_addrlen) == 0 || errno == EINPROGRESS;
  if (begun && http->tls != NULL) {
    c->tls = tls_session_new(http->tls, c->fd);
    c->greeting = true;
    c->greeted_ns = 0;
  }
  return begun && dispatch_watch(d, slot, c->fd, EPOLLIN | EPOLLOUT, false);
}

static void prepare_request(struct http_carrier *http, struct dispatch *d, size_t slot) {
  struct connection *c = &http->connections[slot];
  c->heard = false;
  answer_begin(&c->answer, strcmp(http->options->method, "HEAD") == 0);
  put_request(http, c, http->options->routes->all[dispatch_arrival(d, c->asked)->route].path);
}

static bool may_be_repeated(const char *method) {
  static const char *const all[] = {"GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE"};
  bool may = false;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    may = may || strcmp(method, all[i]) == 0;
  return may;
}

static bool is_nobody(int error) {
  return error == ECONNREFUSED || error == EHOSTUNREACH || error == ENETUNREACH;
}

/* A request that met the end of an idle connection is sent again, and so is one for which nobody
 * listens, as long as the host has further addresses and none has answered. */
static bool is_sent_again(struct http_carrier *http, const struct connection *c, int error) {
  if (http->answered == 0 && is_nobody(error)) {
    if (c->to != http->to)
      return true;
    if (http->to->ai_next == NULL)
      return false;
    http->to = http->to->ai_next;
    return true;
  }
  bool again = c->used && !c->heard && may_be_repeated(http->options->method);
  http->counts.retried += again;
  return again;
}

/* The connection of a request is gone. Without any answer so far there may be no server at all:
 * then `why` says so, if it is not NULL, or the error does. */
static void lose(struct http_carrier *http, struct dispatch *d, size_t slot, int error,
                 const char *why) {
  struct connection *c = &http->connections[slot];
  while (is_sent_again(http, c, error)) {
    hang_up(c);
    prepare_request(http, d, slot);
    if (open_connection(http, d, slot))
      return;
    error = errno;
  }
  if (http->answered == 0 && why != NULL)
    dispatch_refuse(d, "%s: %s", http->authority, why);
  else if (http->answered == 0 && (is_nobody(error) || error == EMFILE))
    dispatch_refuse(d, "%s: %s; %s", http->authority, strerror(error),
                    error == EMFILE ? "raise ulimit -n, or lower --connections"
                                    : "start the server first, or name its port");
  end_request(http, d, slot, ARRIVAL_BROKEN);
}

static ssize_t send_bytes(struct connection *c) {
  const char *bytes = proxy_buffer_at(&c->out);
  size_t size = proxy_buffer_size(&c->out);
  return c->tls != NULL ? tls_send(c->tls, bytes, size)
                        : send(c->fd, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* Sends what can be. Asks for EPOLLOUT as long as something is left; what fails is seen when the
 * connection is read. */
static void send_out(struct dispatch *d, struct connection *c, size_t slot, bool watched) {
  while (proxy_buffer_size(&c->out) > 0) {
    ssize_t sent = send_bytes(c);
    if (sent < 0 && (errno == EAGAIN || errno == EINTR || errno == ENOTCONN))
      dispatch_watch(d, slot, c->fd, EPOLLIN | EPOLLOUT, true);
    if (sent < 0)
      return;
    proxy_buffer_drop(&c->out, (size_t)sent);
  }
  if (watched)
    dispatch_watch(d, slot, c->fd, EPOLLIN, true);
}

static void begin(void *context, struct dispatch *d, size_t slot, size_t arrival) {
  struct http_carrier *http = context;
  struct connection *c = &http->connections[slot];
  c->asked = arrival;
  c->busy = true;
  prepare_request(http, d, slot);
  bool fresh = c->fd == NONE;
  if (fresh && !open_connection(http, d, slot))
    lose(http, d, slot, errno, NULL);
  else if (!fresh)
    send_out(d, c, slot, false); /* of a connection that is gone the next event says so */
}

static uint64_t clock_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void greet(struct http_carrier *http, struct dispatch *d, size_t slot, uint32_t events) {
  struct connection *c = &http->connections[slot];
  char why[WHY];
  int error = 0;
  socklen_t size = sizeof error;
  if (c->greeted_ns == 0 && (events & (EPOLLERR | EPOLLHUP)) != 0) {
    getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &error, &size);
    lose(http, d, slot, error, NULL);
    return;
  }
  if (c->greeted_ns == 0)
    c->greeted_ns = clock_ns();
  switch (tls_handshake(c->tls, why, sizeof why)) {
  case TLS_DONE:
    vector_push(&http->counts.handshakes_ns, clock_ns() - c->greeted_ns);
    c->greeting = false;
    send_out(d, c, slot, true);
    break;
  case TLS_READS:
    dispatch_watch(d, slot, c->fd, EPOLLIN, true);
    break;
  case TLS_WRITES:
    dispatch_watch(d, slot, c->fd, EPOLLIN | EPOLLOUT, true);
    break;
  case TLS_FAILED:
    lose(http, d, slot, 0, why);
    break;
  }
}

/* Of a connection that ends in an error no answer is whole: that it is complete only its end says. */
static void read_answer(struct http_carrier *http, struct dispatch *d, size_t slot) {
  static char bytes[BYTES];
  char why[WHY];
  struct connection *c = &http->connections[slot];
  ssize_t got = c->tls != NULL ? tls_receive(c->tls, bytes, sizeof bytes)
                               : recv(c->fd, bytes, sizeof bytes, MSG_DONTWAIT);
  int error = got < 0 ? errno : 0;
  if (got < 0 && (error == EAGAIN || error == EINTR))
    return;
  if (!c->busy) { /* an idle connection was closed, or speaks unasked */
    hang_up(c);
    return;
  }
  if (got > 0) {
    c->heard = true;
    answer_take(&c->answer, bytes, (size_t)got);
  } else if (got == 0) {
    answer_end(&c->answer);
  }
  if (c->answer.state == ANSWER_DONE)
    end_request(http, d, slot, c->answer.status < 400 ? ARRIVAL_GOOD : ARRIVAL_REFUSED);
  else if (c->answer.state == ANSWER_BROKEN || got < 0)
    lose(http, d, slot, error,
         c->tls != NULL && tls_was_ended(c->tls, why, sizeof why) ? why : NULL);
}

static void event(void *context, struct dispatch *d, size_t slot, uint32_t events) {
  struct http_carrier *http = context;
  struct connection *c = &http->connections[slot];
  if (c->fd == NONE)
    return;
  if (c->greeting) {
    greet(http, d, slot, events);
    if (c->greeting || c->fd == NONE || (events & EPOLLIN) == 0)
      return;
  } else if ((events & EPOLLOUT) != 0 && c->busy && (events & (EPOLLERR | EPOLLHUP)) == 0) {
    send_out(d, c, slot, true); /* what fails is read below */
  }
  if ((events & (EPOLLIN | EPOLLERR | EPOLLHUP)) != 0)
    do
      read_answer(http, d, slot);
    while (c->fd != NONE && c->tls != NULL && !c->greeting && tls_has_more(c->tls));
}

static void abandon(void *context, struct dispatch *d, size_t slot) {
  struct http_carrier *http = context;
  (void)d;
  hang_up(&http->connections[slot]);
  http->connections[slot].busy = false;
}

struct carrier http_carrier(struct http_carrier *http) {
  return (struct carrier){http, begin, event, abandon};
}
