/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "examples/redis/servers.h"

#include "examples/common/complain.h"
#include "examples/common/moment.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

bool servers_present(void) {
  const char *path = getenv("PATH");
  char file[PATH_MAX];
  while (path != NULL && *path != '\0') {
    size_t length = strcspn(path, ":");
    snprintf(file, sizeof file, "%.*s/redis-server", (int)length, path);
    if (access(file, X_OK) == 0)
      return true;
    path += length + (path[length] == ':');
  }
  complain("there is no redis-server; install it (Debian: apt-get install redis-server)");
  return false;
}

static struct sockaddr_in loopback(uint16_t port) {
  return (struct sockaddr_in){
      .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

int server_listen(uint16_t *port) {
  struct sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0 || bind(descriptor, (const struct sockaddr *)&address, size) != 0 ||
      listen(descriptor, 4) != 0 ||
      getsockname(descriptor, (struct sockaddr *)&address, &size) != 0) {
    complain("a TCP socket on 127.0.0.1: %s", strerror(errno));
    if (descriptor >= 0)
      close(descriptor);
    return -1;
  }
  *port = ntohs(address.sin_port);
  return descriptor;
}

static int server_run(void *context) {
  const struct server *server = context;
  char port[8], primary[8], log[sizeof server->name + 4];
  sigset_t none;
  sigemptyset(&none);
  snprintf(port, sizeof port, "%u", (unsigned)server->port);
  snprintf(primary, sizeof primary, "%u", (unsigned)server->primary_port);
  snprintf(log, sizeof log, "%s.log", server->name); /* in --dir, where the server goes first */
  sigprocmask(SIG_SETMASK, &none, NULL);
  signal(SIGTERM, SIG_DFL);
  /* No snapshots, no log of writes, and no pings between the writes that are measured. */
  const char *arguments[] = {"redis-server",
                             "--port",
                             port,
                             "--bind",
                             "127.0.0.1",
                             "--dir",
                             server->folder,
                             "--logfile",
                             log,
                             "--save",
                             "",
                             "--appendonly",
                             "no",
                             "--repl-diskless-sync",
                             "yes",
                             "--repl-diskless-sync-delay",
                             "0",
                             "--repl-diskless-load",
                             "on-empty-db",
                             "--repl-ping-replica-period",
                             "3600",
                             "--repl-timeout",
                             "7200",
                             NULL,
                             NULL,
                             NULL,
                             NULL};
  size_t count = 0;
  while (arguments[count] != NULL)
    count++;
  if (server->primary_port != 0) {
    arguments[count] = "--replicaof";
    arguments[count + 1] = "127.0.0.1";
    arguments[count + 2] = primary;
  }
  execvp(arguments[0], (char *const *)(uintptr_t)arguments);
  complain("starting redis-server: %s", strerror(errno));
  return EXIT_MISSING;
}

bool server_start(struct server *server, struct process_set *set) {
  int probe = server_listen(&server->port);
  if (probe < 0)
    return false;
  close(probe);
  return process_start(set, server->name, PROCESS_SERVANT, server_run, server);
}

int server_connect(uint16_t port, const char *name, unsigned seconds) {
  struct sockaddr_in address = loopback(port);
  uint64_t deadline = moment_ns() + seconds * UINT64_C(1000000000);
  int on = 1;
  for (;;) {
    int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor >= 0 &&
        connect(descriptor, (const struct sockaddr *)&address, sizeof address) == 0 &&
        setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) == 0)
      return descriptor;
    int error = errno;
    if (descriptor >= 0)
      close(descriptor);
    if (moment_ns() >= deadline) {
      complain("the Redis server %s does not answer on port %u: %s", name, (unsigned)port,
               strerror(error));
      return -1;
    }
    poll(NULL, 0, 20);
  }
}
