/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How much of a processor the network agent takes: `agent PROGRAM [SECONDS]` starts it with 200
 * peers, 200 sockets of this process on loopback, that it asks 10 times a second each; then once
 * more with peers that ask as often themselves. On loopback the sender also pays for the delivery.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "measure/core/probe.h"

enum { PEERS = 200, RATE = 10 };

static struct pollfd peers[PEERS];
static struct sockaddr_in agent;

static void fail(const char *what) {
  perror(what);
  exit(EXIT_FAILURE);
}

/* A socket on loopback with a port of the system's choice. */
static int open_socket(uint16_t *port) {
  struct sockaddr_in address = {.sin_family = AF_INET};
  socklen_t length = sizeof address;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) != 0 ||
      getsockname(fd, (struct sockaddr *)&address, &length) != 0)
    fail("socket");
  *port = ntohs(address.sin_port);
  return fd;
}

static void write_config(const char *path, const char *folder) {
  uint16_t port;
  FILE *file = fopen(path, "w");
  if (file == NULL)
    fail(path);
  close(open_socket(&port)); /* a free one for the agent */
  agent = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(port)};
  agent.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  fprintf(file, "node: agent\nlisten: 127.0.0.1\nport: %u\nstore: %s/store\n", port, folder);
  fprintf(file, "probes_per_second: %d\npeers:\n", RATE);
  for (int i = 0; i < PEERS; i++) {
    peers[i] = (struct pollfd){.fd = open_socket(&port), .events = POLLIN};
    fprintf(file, "  - {name: 'peer[%d]', address: 127.0.0.1, port: %u}\n", i, port);
  }
  if (fclose(file) != 0)
    fail(path);
}

static uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void send_probe(int fd, uint8_t kind, uint32_t sequence, const struct sockaddr_in *to) {
  unsigned char bytes[PROBE_BYTES];
  struct probe probe = {kind, sequence, now_ns()};
  probe_encode(bytes, &probe);
  (void)sendto(fd, bytes, sizeof bytes, 0, (const struct sockaddr *)to, sizeof *to);
}

/* Answers one packet; 1 for a question. */
static unsigned reflect(int fd) {
  unsigned char bytes[64];
  struct sockaddr_in from;
  socklen_t length = sizeof from;
  struct probe probe;
  ssize_t size = recvfrom(fd, bytes, sizeof bytes, 0, (struct sockaddr *)&from, &length);
  if (size < 0 || !probe_decode(&probe, bytes, (uint64_t)size) || probe.kind != PROBE_QUESTION)
    return 0;
  send_probe(fd, PROBE_ANSWER, probe.sequence, &from);
  return 1;
}

/* Answers for some time, and asks if `asking`; returns how many questions came. */
static unsigned run(uint64_t seconds, int asking) {
  uint64_t end = now_ns() + seconds * 1000000000, next = now_ns();
  uint32_t asked = 0;
  unsigned count = 0;
  while (now_ns() < end) {
    for (; asking && next <= now_ns(); next += 1000000000 / (PEERS * RATE), asked++)
      send_probe(peers[asked % PEERS].fd, PROBE_QUESTION, asked / PEERS, &agent);
    if (poll(peers, PEERS, 1) <= 0)
      continue;
    for (int i = 0; i < PEERS; i++)
      if (peers[i].revents != 0)
        count += reflect(peers[i].fd);
  }
  return count;
}

/* Processor time of a process so far. */
static double processor_s(pid_t process) {
  clockid_t clock;
  struct timespec time;
  if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &time) != 0)
    fail("the agent ended");
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static pid_t start(const char *program, const char *path) {
  pid_t child = fork();
  if (child != 0)
    return child;
  if (freopen("/dev/null", "w", stderr) != NULL)
    execl(program, program, "agent", path, (char *)NULL);
  _exit(EXIT_FAILURE);
}

static void row(const char *what, double measured, const char *unit, const char *target) {
  char text[40];
  snprintf(text, sizeof text, "%.2f %s", measured, unit);
  printf("%-58s %14s   %s\n", what, text, target);
}

static void bench(const char *program, const char *folder, uint64_t seconds, int asking) {
  char path[128], what[80];
  snprintf(path, sizeof path, "%s/agent.yaml", folder);
  write_config(path, folder);
  pid_t child = start(program, path);
  run(2, asking);
  double begin_s = processor_s(child);
  unsigned count = run(seconds, asking);
  double used_s = processor_s(child) - begin_s;
  int status;
  kill(child, SIGTERM);
  waitpid(child, &status, 0);
  for (int i = 0; i < PEERS; i++)
    close(peers[i].fd);
  snprintf(what, sizeof what, "agent, %d peers, %.1f questions/s each%s", PEERS,
           (double)count / (double)seconds / PEERS, asking ? ", as many from them" : "");
  row(what, 100 * used_s / (double)seconds, "%", asking ? "reported" : "< 5 % of a core");
  if (!asking)
    row("  its first two seconds, with the making of the store", begin_s, "s", "reported");
}

int main(int count, char **arguments) {
  char folder[] = "/tmp/tailproof-bench-XXXXXX";
  if (count < 2 || mkdtemp(folder) == NULL) {
    fprintf(stderr, "usage: agent PROGRAM [SECONDS]\n");
    return EXIT_FAILURE;
  }
  uint64_t seconds = count > 2 ? strtoull(arguments[2], NULL, 10) : 20;
  for (int asking = 0; asking <= 1; asking++)
    bench(arguments[1], folder, seconds, asking);
  char remove[128];
  snprintf(remove, sizeof remove, "rm -rf %s", folder);
  return system(remove) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
