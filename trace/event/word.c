/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/event/word.h"

#include <string.h>

#include "base/text.h"

/* The first that fits counts. */
static const struct type_word {
  const char *prefix, *word;
} words[] = {
    {"NATIVE", "addon"},
    {"FSEVENT", "file watch"},
    {"STATWATCHER", "file watch"},
    {"FILEHANDLE", "file"},
    {"DIRHANDLE", "folder"},
    {"FS", "file"},
    {"HTTPCLIENT", "http client"},
    {"HTTP2STREAM", "http2 stream"},
    {"HTTP2", "http2 connection"},
    {"HTTP", "request"},
    {"TCPCONNECT", "connect"},
    {"PIPECONNECT", "connect"},
    {"TCPSERVER", "accept"},
    {"PIPESERVER", "accept"},
    {"TCP", "connection"},
    {"PIPE", "pipe"},
    {"TLS", "tls connection"},
    {"UDP", "udp socket"},
    {"WRITE", "write"},
    {"SHUTDOWN", "shutdown"},
    {"GETADDRINFO", "name look-up"},
    {"GETNAMEINFO", "name look-up"},
    {"QUERYWRAP", "dns query"},
    {"Timeout", "timer"},
    {"Timer", "timer"},
    {"PROMISE", "promise"},
    {"TickObject", "tick"},
    {"Microtask", "microtask"},
    {"Immediate", "immediate"},
    {"SIGNAL", "signal"},
    {"MESSAGEPORT", "message"},
    {"WORKER", "worker"},
    {"PROCESS", "child process"},
    {"ZLIB", "zlib"},
    {"PBKDF2", "pbkdf2"},
    {"SCRYPT", "scrypt"},
    {"RANDOM", "random bytes"},
    {"HASH", "hash"},
    {"SIGN", "signature"},
    {"VERIFY", "signature"},
};

/* Servers by the port that IANA has for them, or the name of their socket. */
static const struct server {
  const char *port, *socket, *name;
} servers[] = {
    {"5432", ".s.PGSQL.", "PostgreSQL"}, {"3306", "mysqld.sock", "MySQL"},
    {"6379", "redis", "Redis"},          {"27017", "mongodb-", "MongoDB"},
    {"5672", "rabbitmq", "RabbitMQ"},    {"9092", "kafka", "Kafka"},
    {"11211", "memcached", "memcached"}, {"9200", "elasticsearch", "Elasticsearch"},
};

const char *event_word(const char *type) {
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strncmp(type, words[i].prefix, strlen(words[i].prefix)) == 0)
      return words[i].word;
  return NULL;
}

static const char *server_of(const char *peer) {
  const char *port = strrchr(peer, ':');
  for (size_t i = 0; i < sizeof servers / sizeof *servers; i++)
    if (peer[0] == '/' ? strstr(peer, servers[i].socket) != NULL
                       : port != NULL && strcmp(port + 1, servers[i].port) == 0)
      return servers[i].name;
  return NULL;
}

void event_word_append(struct text *text, const char *type) {
  const char *word = event_word(type), *rest = strchr(type, ' ');
  if (type[0] == '\0' || word == NULL) {
    text_append(text, type[0] == '\0' ? "callback" : type);
  } else if (rest == NULL) {
    text_append(text, word);
  } else if (strncmp(type, "NATIVE", 6) == 0) {
    text_format(text, "%s%s", word, rest);
  } else if (strncmp(type, "Time", 4) == 0 || strncmp(type, "MESSAGEPORT", 11) == 0) {
    text_format(text, "%s of%s", word, rest);
  } else {
    const char *server = server_of(rest + 1);
    if (server == NULL)
      text_format(text, "%s to", word);
    text_format(text, "%s%s", server == NULL ? "" : server, rest);
  }
}
