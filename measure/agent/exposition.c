/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/agent/exposition.h"

#include <microhttpd.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/loaded.h"
#include "measure/agent/address.h"

/* The library's own limit leaves room for those that are cut off and not yet gone. */
enum { CONNECTIONS_MAX = 2 * EXPOSITION_CONNECTIONS, IDLE_SECONDS = 10 };

#define FUNCTIONS(X)                                                                               \
  X(MHD_add_response_header)                                                                       \
  X(MHD_create_response_from_buffer)                                                               \
  X(MHD_create_response_from_callback)                                                             \
  X(MHD_destroy_response)                                                                          \
  X(MHD_get_connection_info)                                                                       \
  X(MHD_get_connection_values)                                                                     \
  X(MHD_get_daemon_info)                                                                           \
  X(MHD_get_timeout)                                                                               \
  X(MHD_queue_response)                                                                            \
  X(MHD_run)                                                                                       \
  X(MHD_start_daemon)                                                                              \
  X(MHD_stop_daemon)

static struct {
  FUNCTIONS(LOADED_POINTER)
} http; /* the library's functions, as they are in its header */

_Static_assert(sizeof MICROHTTPD_LIBRARY > 1, "the Makefile found no SONAME");

static const char *const names[] = {FUNCTIONS(LOADED_NAME)};
static struct loaded_library library = {MICROHTTPD_LIBRARY, &http, names,
                                        sizeof names / sizeof *names, false};

/* A connection, in a list. */
struct scraper {
  struct scraper *next;
  struct agent_address from; /* its port 0: all of one host are one */
  int socket;
  uint64_t begun_ns; /* its request, or the time since the one before */
  uint64_t order;    /* of the requests' beginnings, since some are of one time */
  bool cut;          /* is on its way out */
};

struct exposition {
  struct MHD_Daemon *daemon;
  const struct page_source *source;
  int descriptor;
  struct scraper *clients;
  uint64_t now_ns, orders;
};

static void cut(struct scraper *client) {
  client->cut = true;
  shutdown(client->socket, SHUT_RDWR); /* which the library sees, and ends the connection */
}

/* Makes room for one more: of the address, or of all where it is NULL. */
static void cut_oldest(struct exposition *exposition, const struct agent_address *from,
                       uint32_t most) {
  struct scraper *oldest = NULL;
  uint32_t count = 0;
  for (struct scraper *c = exposition->clients; c != NULL; c = c->next) {
    if (c->cut || (from != NULL && agent_address_compare(&c->from, from) != 0))
      continue;
    count++;
    if (oldest == NULL || c->order < oldest->order)
      oldest = c;
  }
  if (count >= most)
    cut(oldest);
}

static void take_address(struct agent_address *address, const struct sockaddr *from) {
  memset(address, 0, sizeof *address);
  if (from->sa_family == AF_INET) {
    memcpy(&address->storage, from, address->length = sizeof(struct sockaddr_in));
    ((struct sockaddr_in *)&address->storage)->sin_port = 0;
  } else if (from->sa_family == AF_INET6) {
    memcpy(&address->storage, from, address->length = sizeof(struct sockaddr_in6));
    ((struct sockaddr_in6 *)&address->storage)->sin6_port = 0;
  }
}

/* Since libmicrohttpd 1.0 each answer is where the one before was, so each is read before the next. */
static bool identify(struct scraper *client, struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *known =
      http.MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  if (known == NULL || known->client_addr == NULL)
    return false;
  take_address(&client->from, known->client_addr);
  known = http.MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  if (known == NULL)
    return false;
  client->socket = known->connect_fd;
  return true;
}

static void begin_request(struct exposition *exposition, struct scraper *client) {
  client->begun_ns = exposition->now_ns;
  client->order = exposition->orders++;
}

/* A connection has come, or is gone. Without memory for it there is no limit for it. */
static void note_connection(void *context, struct MHD_Connection *connection, void **kept,
                            enum MHD_ConnectionNotificationCode what) {
  struct exposition *exposition = context;
  if (what == MHD_CONNECTION_NOTIFY_STARTED) {
    struct scraper *client = calloc(1, sizeof *client);
    if (client == NULL || !identify(client, connection)) {
      free(client);
      return;
    }
    cut_oldest(exposition, &client->from, EXPOSITION_PER_ADDRESS);
    cut_oldest(exposition, NULL, EXPOSITION_CONNECTIONS);
    begin_request(exposition, client);
    client->next = exposition->clients;
    exposition->clients = client;
    *kept = client;
    return;
  }
  for (struct scraper **at = &exposition->clients; *at != NULL; at = &(*at)->next)
    if (*at == *kept) {
      *at = (*at)->next;
      free(*kept);
      *kept = NULL;
      return;
    }
}

/* What comes next on the connection is another request. */
static void note_completed(void *context, struct MHD_Connection *connection, void **state,
                           enum MHD_RequestTerminationCode how) {
  (void)state;
  (void)how;
  const union MHD_ConnectionInfo *kept =
      http.MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  if (kept != NULL && kept->socket_context != NULL)
    begin_request(context, kept->socket_context);
}

/* A page under way. */
struct page {
  const struct page_source *source;
  uint64_t generation; /* of the fleet that it is about */
  uint64_t wanted;     /* metrics, as bits */
  bool one_peer;
  char peer[AGENT_NAME_MAX + 1];
  uint32_t metric, part;
  size_t at, length; /* of the text not yet handed out */
  char text[PAGE_PART];
};

/* The next part that is not empty; false at the end. */
static bool next_part(struct page *page) {
  page->at = page->length = 0;
  while (page->length == 0 && page->metric < page_metrics()) {
    bool wanted = (page->wanted >> page->metric & 1) != 0;
    if (!wanted || page->part >= page_metric_parts(page->source, page->metric)) {
      page->metric++;
      page->part = 0;
      continue;
    }
    page->length = page_part(page->text, page->source, page->metric, page->part, page->part == 0,
                             page->one_peer ? page->peer : NULL);
    page->part++;
  }
  return page->length != 0;
}

/* A page about peers that are no longer the same is broken off; the collector asks again. */
static ssize_t read_page(void *context, uint64_t position, char *bytes, size_t most) {
  (void)position;
  struct page *page = context;
  if (page->generation != page->source->fleet->generation)
    return MHD_CONTENT_READER_END_WITH_ERROR;
  if (page->at == page->length && !next_part(page))
    return MHD_CONTENT_READER_END_OF_STREAM;
  size_t size = page->length - page->at < most ? page->length - page->at : most;
  memcpy(bytes, page->text + page->at, size);
  page->at += size;
  return (ssize_t)size;
}

static enum MHD_Result answer_text(struct MHD_Connection *connection, unsigned status,
                                   const char *text) {
  struct MHD_Response *response = http.MHD_create_response_from_buffer(
      strlen(text), (void *)(uintptr_t)text, MHD_RESPMEM_MUST_COPY);
  if (response == NULL)
    return MHD_NO;
  http.MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, "text/plain; charset=utf-8");
  if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
    http.MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
  enum MHD_Result result = http.MHD_queue_response(connection, status, response);
  http.MHD_destroy_response(response);
  return result;
}

struct query {
  struct page *page;
  const char *mistake; /* NULL: none */
};

static enum MHD_Result take_argument(void *context, enum MHD_ValueKind kind, const char *key,
                                     const char *value) {
  (void)kind;
  struct query *query = context;
  struct page *page = query->page;
  if (strcmp(key, "name[]") == 0) {
    int metric = value != NULL ? page_metric_find(value) : -1;
    if (metric < 0)
      query->mistake = "there is no metric of that name[]; see /metrics\n";
    else
      page->wanted |= (uint64_t)1 << metric;
    return query->mistake == NULL ? MHD_YES : MHD_NO;
  }
  if (strcmp(key, "peer") != 0) {
    query->mistake = "arguments are name[]=METRIC and peer=NAME\n";
    return MHD_NO;
  }
  page->one_peer = true;
  snprintf(page->peer, sizeof page->peer, "%s", value != NULL ? value : "");
  for (uint32_t i = 0; i < page->source->fleet->count; i++)
    if (strcmp(page->source->fleet->peers[i]->name, page->peer) == 0)
      return MHD_YES;
  query->mistake = "there is no peer of that name; see /metrics\n";
  return MHD_NO;
}

static enum MHD_Result answer_page(struct MHD_Connection *connection,
                                   const struct page_source *source) {
  struct page *page = calloc(1, sizeof *page);
  if (page == NULL)
    return MHD_NO;
  page->source = source;
  page->generation = source->fleet->generation;
  struct query query = {.page = page};
  http.MHD_get_connection_values(connection, MHD_GET_ARGUMENT_KIND, take_argument, &query);
  if (page->wanted == 0)
    page->wanted = UINT64_MAX;
  if (query.mistake != NULL) {
    free(page);
    return answer_text(connection, MHD_HTTP_NOT_FOUND, query.mistake);
  }
  struct MHD_Response *response =
      http.MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, PAGE_PART, read_page, page, free);
  if (response == NULL) {
    free(page);
    return MHD_NO;
  }
  http.MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE,
                               "text/plain; version=0.0.4; charset=utf-8");
  enum MHD_Result result = http.MHD_queue_response(connection, MHD_HTTP_OK, response);
  http.MHD_destroy_response(response);
  return result;
}

static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *upload,
                              size_t *upload_size, void **state) {
  (void)version;
  (void)upload;
  static int seen;
  if (*state == NULL) { /* the head only; the body, if any, is not wanted */
    *state = &seen;
    return MHD_YES;
  }
  if (*upload_size != 0) {
    *upload_size = 0;
    return MHD_YES;
  }
  if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
    return answer_text(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "GET /metrics\n");
  const struct exposition *exposition = context;
  if (strcmp(url, "/metrics") == 0)
    return answer_page(connection, exposition->source);
  if (strcmp(url, "/") == 0)
    return answer_text(connection, MHD_HTTP_OK, "tailproof agent; its metrics are at /metrics\n");
  return answer_text(connection, MHD_HTTP_NOT_FOUND, "metrics are at /metrics\n");
}

static void stay_silent(void *context, const char *format, va_list values) {
  (void)context;
  (void)format;
  (void)values;
}

static bool start(struct exposition *exposition, int listener, struct text *message) {
  if (!loaded_open(&library, message))
    return false;
  exposition->daemon = http.MHD_start_daemon(
      MHD_USE_EPOLL | MHD_USE_ERROR_LOG, 0, NULL, NULL, handle, exposition,
      MHD_OPTION_EXTERNAL_LOGGER, stay_silent, NULL, MHD_OPTION_LISTEN_SOCKET, (MHD_socket)listener,
      MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS_MAX, MHD_OPTION_CONNECTION_TIMEOUT,
      (unsigned)IDLE_SECONDS, MHD_OPTION_NOTIFY_CONNECTION, note_connection, exposition,
      MHD_OPTION_NOTIFY_COMPLETED, note_completed, exposition, MHD_OPTION_END);
  if (exposition->daemon == NULL) {
    text_format(message, "the HTTP server did not start");
    return false;
  }
  const union MHD_DaemonInfo *info =
      http.MHD_get_daemon_info(exposition->daemon, MHD_DAEMON_INFO_EPOLL_FD);
  exposition->descriptor = info != NULL ? info->epoll_fd : -1;
  return true;
}

struct exposition *exposition_open(int listener, const struct page_source *source,
                                   struct text *message) {
  struct exposition *exposition = calloc(1, sizeof *exposition);
  if (exposition != NULL) {
    exposition->source = source;
    if (start(exposition, listener, message))
      return exposition;
  }
  close(listener);
  free(exposition);
  return NULL;
}

void exposition_close(struct exposition *exposition) {
  if (exposition == NULL)
    return;
  http.MHD_stop_daemon(exposition->daemon); /* closes the listener */
  free(exposition);
}

int exposition_descriptor(const struct exposition *exposition) {
  return exposition->descriptor;
}

bool exposition_run(struct exposition *exposition, uint64_t now_ns) {
  MHD_UNSIGNED_LONG_LONG wait_ms;
  exposition->now_ns = now_ns;
  for (struct scraper *c = exposition->clients; c != NULL; c = c->next)
    if (!c->cut && now_ns - c->begun_ns > EXPOSITION_REQUEST_NS)
      cut(c);
  http.MHD_run(exposition->daemon);
  return http.MHD_get_timeout(exposition->daemon, &wait_ms) == MHD_YES && wait_ms == 0;
}
