/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/load/http.h"

#include "base/address.h"
#include "base/memory.h"
#include "measure/load/answer.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BYTES = 65536, NONE = -1 };

static const char scheme[] = "http://";

struct connection {
  int fd; /* NONE: not open */
  size_t asked;
  bool busy;               /* with the request `asked` */
  struct proxy_buffer out; /* not sent yet */
  struct http_answer answer;
};

struct http_carrier {
  const struct http_options *options;
  struct address place;
  char authority[ADDRESS_TEXT]; /* as the URL has it, for Host */
  struct sockaddr_storage to;
  socklen_t to_size;
  struct connection *connections;
  size_t opened, answered;
};

bool http_is_address(const char *text) {
  return strncmp(text, scheme, sizeof scheme - 1) == 0;
}

const char *http_path(const char *url) {
  const char *slash = strchr(url + sizeof scheme - 1, '/');
  return slash == NULL ? "/" : slash;
}

/* HOST, HOST:PORT or [HOST]:PORT of the URL. */
static bool read_authority(struct http_carrier *http) {
  const char *start = http->options->url + sizeof scheme - 1;
  size_t length = strcspn(start, "/?#");
  char text[ADDRESS_TEXT + 8];
  if (length == 0 || length >= ADDRESS_TEXT || memchr(start, '@', length) != NULL)
    return false;
  snprintf(http->authority, sizeof http->authority, "%.*s", (int)length, start);
  bool port = strrchr(http->authority, ':') != NULL && http->authority[length - 1] != ']';
  snprintf(text, sizeof text, "%s%s", http->authority, port ? "" : ":80");
  return address_read(&http->place, text, 1);
}

static bool find_host(struct http_carrier *http, struct text *message) {
  struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *found = NULL;
  char port[8];
  snprintf(port, sizeof port, "%u", http->place.port);
  int failed = getaddrinfo(http->place.host, port, &hints, &found);
  if (failed != 0) {
    text_format(message, "%s: %s", http->place.host, gai_strerror(failed));
    return false;
  }
  memcpy(&http->to, found->ai_addr, found->ai_addrlen);
  http->to_size = found->ai_addrlen;
  freeaddrinfo(found);
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
    text_format(message, "\"%.100s\" is no address; write http://HOST:PORT/PATH", options->url);
  else if (are_headers(options, message))
    *status = find_host(http, message) ? STATUS_OK : STATUS_UNAVAILABLE;
  if (*status != STATUS_OK) {
    mem_free(http);
    return NULL;
  }
  http->connections = mem_alloc(options->connections, sizeof *http->connections);
  for (size_t i = 0; i < options->connections; i++)
    http->connections[i].fd = NONE;
  return http;
}

static void hang_up(struct connection *c) {
  if (c->fd != NONE)
    close(c->fd);
  c->fd = NONE;
}

void http_carrier_free(struct http_carrier *http) {
  if (http == NULL)
    return;
  for (size_t i = 0; i < http->options->connections; i++) {
    hang_up(&http->connections[i]);
    proxy_buffer_free(&http->connections[i].out);
    answer_free(&http->connections[i].answer);
  }
  mem_free(http->connections);
  mem_free(http);
}

size_t http_opened(const struct http_carrier *http) {
  return http->opened;
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
  c->busy = false;
  dispatch_done(d, slot, end, whole ? c->answer.status : 0);
}

/* The connection is gone. Without any answer so far there may be no server at all. */
static void lose(struct http_carrier *http, struct dispatch *d, size_t slot, int error) {
  if (http->answered == 0 &&
      (error == ECONNREFUSED || error == EHOSTUNREACH || error == ENETUNREACH || error == EMFILE))
    dispatch_refuse(d, "%s: %s; %s", http->authority, strerror(error),
                    error == EMFILE ? "raise ulimit -n, or lower --connections"
                                    : "start the server first, or name its port");
  end_request(http, d, slot, ARRIVAL_BROKEN);
}

static bool open_connection(struct http_carrier *http, struct dispatch *d, size_t slot) {
  struct connection *c = &http->connections[slot];
  int one = 1;
  c->fd = socket(http->to.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (c->fd < 0)
    return false;
  http->opened++;
  setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  bool begun = connect(c->fd, (const struct sockaddr *)&http->to, http->to_size) == 0 ||
               errno == EINPROGRESS;
  return begun && dispatch_watch(d, slot, c->fd, EPOLLIN | EPOLLOUT, false);
}

/* Sends what can be; 0, or an error. Asks for EPOLLOUT as long as something is left. */
static int send_out(struct dispatch *d, struct connection *c, size_t slot, bool watched) {
  while (proxy_buffer_size(&c->out) > 0) {
    ssize_t sent = send(c->fd, proxy_buffer_at(&c->out), proxy_buffer_size(&c->out),
                        MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && (errno == EAGAIN || errno == EINTR || errno == ENOTCONN)) {
      dispatch_watch(d, slot, c->fd, EPOLLIN | EPOLLOUT, true);
      return 0;
    }
    if (sent < 0)
      return errno;
    proxy_buffer_drop(&c->out, (size_t)sent);
  }
  if (watched)
    dispatch_watch(d, slot, c->fd, EPOLLIN, true);
  return 0;
}

static void begin(void *context, struct dispatch *d, size_t slot, size_t arrival) {
  struct http_carrier *http = context;
  struct connection *c = &http->connections[slot];
  c->asked = arrival;
  c->busy = true;
  answer_begin(&c->answer, strcmp(http->options->method, "HEAD") == 0);
  put_request(http, c, http->options->routes->all[dispatch_arrival(d, arrival)->route].path);
  bool fresh = c->fd == NONE;
  if (fresh && !open_connection(http, d, slot))
    lose(http, d, slot, errno);
  else if (!fresh)
    send_out(d, c, slot, false); /* of a connection that is gone the next event says so */
}

static void read_answer(struct http_carrier *http, struct dispatch *d, size_t slot) {
  static char bytes[BYTES];
  struct connection *c = &http->connections[slot];
  ssize_t got = recv(c->fd, bytes, sizeof bytes, MSG_DONTWAIT);
  int error = got < 0 ? errno : 0;
  if (got < 0 && (error == EAGAIN || error == EINTR))
    return;
  if (!c->busy) { /* an idle connection was closed, or speaks unasked */
    hang_up(c);
    return;
  }
  if (got > 0)
    answer_take(&c->answer, bytes, (size_t)got);
  else
    answer_end(&c->answer);
  if (c->answer.state == ANSWER_DONE)
    end_request(http, d, slot, c->answer.status < 400 ? ARRIVAL_GOOD : ARRIVAL_REFUSED);
  else if (c->answer.state == ANSWER_BROKEN)
    lose(http, d, slot, error);
}

static void event(void *context, struct dispatch *d, size_t slot, uint32_t events) {
  struct http_carrier *http = context;
  struct connection *c = &http->connections[slot];
  if (c->fd == NONE)
    return;
  if ((events & EPOLLOUT) != 0 && c->busy && (events & (EPOLLERR | EPOLLHUP)) == 0)
    send_out(d, c, slot, true); /* what fails is read below */
  if ((events & (EPOLLIN | EPOLLERR | EPOLLHUP)) != 0)
    read_answer(http, d, slot);
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
