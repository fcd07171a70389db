/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A lock handed around a ring of processes over UDP, the system that specs/lock.tp describes, with
 * every component of its latency recorded:
 *
 *   Grant   the holder's step: from holding the token to the Transfer message being built
 *   d       the message's delay: from there to the receiver having it in its hands
 *   Accept  the receiver's step: from there to holding the token
 *   round   the first node's, from holding the token to holding it again
 *
 * One clock reading ends a part and begins the next, and the reading that ends Grant travels in the
 * message, so that each instant of a round belongs to exactly one part: the sum of the rounds is
 * the sum of the parts to the nanosecond, which the program checks before it writes anything.
 *
 * The parent makes the sockets and the shared memory, forks the nodes and reaps them. A lost
 * message ends the run: a token that may still arrive must not be sent twice.
 */
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure/record/clock.h"
#include "measure/core/histogram.h"
#include "measure/read/tph_write.h"

enum { NODES_MAX = 64, EXIT_USAGE = 64, EXIT_FAILED = 70, EXIT_INTERRUPTED = 130 };

enum part { GRANT, ACCEPT, DELAY, ROUND, PARTS };

static const char *const part_names[PARTS] = {"Grant", "Accept", "d", "round"};

struct options {
  uint64_t nodes, laps, work_us, timeout_s;
  const char *out;
};

/* What one node measured, in memory shared with the parent. */
struct node_log {
  struct histogram histograms[PARTS];
  uint64_t sums_ns[PARTS];
  uint64_t ignored; /* datagrams that were not the token this node waited for */
};

/* The message Transfer(epoch). All nodes run on one host: no byte order to agree on. */
struct transfer {
  uint64_t run; /* tells this run's messages from a stranger's */
  uint64_t epoch;
  uint64_t granted_ns; /* when the sender's Grant ended */
};

struct ring {
  const struct options *options;
  uint64_t run;
  int sockets[NODES_MAX];
  struct sockaddr_in addresses[NODES_MAX];
  pid_t processes[NODES_MAX]; /* 0 once reaped */
  struct node_log *logs;
};

__attribute__((format(printf, 1, 2))) static void complain(const char *format, ...) {
  char line[512]; /* one write, so that the nodes' complaints do not mix */
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  fprintf(stderr, "token_ring: %s\n", line);
}

/* ---- a node --------------------------------------------------------------------------------- */

struct node {
  const struct ring *ring;
  size_t index;
  struct node_log *log;
  uint64_t epoch;   /* of the token when this node last held it */
  uint64_t held_ns; /* when that began */
  uint64_t random;  /* not 0 */
};

/* Uniform in 0..limit, nearly: Marsaglia's xorshift (Journal of Statistical Software 8(14)). */
static uint64_t random_next(uint64_t *state, uint64_t limit) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state % (limit + 1);
}

/* Keeps the processor busy for half to one and a half times --work-us, from `start_ns` on. */
static void work(struct node *node, uint64_t start_ns) {
  uint64_t mean_ns = node->ring->options->work_us * 1000;
  uint64_t length_ns = mean_ns / 2 + random_next(&node->random, mean_ns);
  while (clock_now_ns() - start_ns < length_ns)
    ;
}

static void record(struct node_log *log, enum part part, uint64_t start_ns, uint64_t end_ns) {
  uint64_t value_ns = end_ns - start_ns;
  if (histogram_record(&log->histograms[part], value_ns) == 0)
    abort(); /* 2^64 values: cannot be */
  log->sums_ns[part] += value_ns;
}

/* The action Grant. Recording waits until the token is under way. */
static bool grant(struct node *node) {
  const struct ring *ring = node->ring;
  size_t next = (node->index + 1) % (size_t)ring->options->nodes;
  work(node, node->held_ns);
  struct transfer transfer = {ring->run, node->epoch + 1, clock_now_ns()};
  ssize_t sent;
  do
    sent = sendto(ring->sockets[node->index], &transfer, sizeof transfer, 0,
                  (const struct sockaddr *)&ring->addresses[next], sizeof ring->addresses[next]);
  while (sent < 0 && errno == EINTR);
  if (sent != (ssize_t)sizeof transfer) {
    complain("node %zu: sending the token: %s", node->index, strerror(errno));
    return false;
  }
  record(node->log, GRANT, node->held_ns, transfer.granted_ns);
  return true;
}

/* Waits for Transfer(epoch); the moment it was there. */
static bool transfer_receive(struct transfer *transfer, uint64_t *arrived_ns,
                             const struct node *node, uint64_t epoch) {
  int socket = node->ring->sockets[node->index];
  for (;;) {
    ssize_t size = recv(socket, transfer, sizeof *transfer, MSG_TRUNC);
    *arrived_ns = clock_now_ns();
    if (size < 0 && errno == EINTR)
      continue;
    if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      complain("node %zu: no token for %" PRIu64 " s (waiting for hop %" PRIu64
               "): a message was lost, or a lap takes longer; nothing is written; run again, or "
               "raise --timeout",
               node->index, node->ring->options->timeout_s, epoch);
      return false;
    }
    if (size < 0) {
      complain("node %zu: receiving the token: %s", node->index, strerror(errno));
      return false;
    }
    if (size == (ssize_t)sizeof *transfer && transfer->run == node->ring->run &&
        transfer->epoch == epoch)
      return true;
    node->log->ignored++;
  }
}

/* The action Accept, for the token's hop number `epoch`. */
static bool accept_token(struct node *node, uint64_t epoch) {
  struct transfer transfer;
  uint64_t arrived_ns;
  if (!transfer_receive(&transfer, &arrived_ns, node, epoch))
    return false;
  work(node, arrived_ns);
  uint64_t held_ns = clock_now_ns();
  record(node->log, DELAY, transfer.granted_ns, arrived_ns);
  record(node->log, ACCEPT, arrived_ns, held_ns);
  if (node->index == 0)
    record(node->log, ROUND, node->held_ns, held_ns);
  node->epoch = epoch;
  node->held_ns = held_ns;
  return true;
}

static bool node_run(const struct ring *ring, size_t index) {
  struct node node = {
      .ring = ring, .index = index, .log = &ring->logs[index], .random = 88172645463325252 + index};
  uint64_t nodes = ring->options->nodes;
  for (size_t part = 0; part < PARTS; part++)
    histogram_init(&node.log->histograms[part]);
  node.held_ns = clock_now_ns(); /* the first node's first Grant starts now */
  for (uint64_t lap = 0; lap < ring->options->laps; lap++) {
    if (index == 0 && !grant(&node))
      return false;
    if (!accept_token(&node, index == 0 ? (lap + 1) * nodes : lap * nodes + index))
      return false;
    if (index != 0 && !grant(&node))
      return false;
  }
  return true;
}

/* ---- the parent ----------------------------------------------------------------------------- */

static bool socket_open(struct ring *ring, size_t index) {
  struct sockaddr_in *address = &ring->addresses[index];
  socklen_t size = sizeof *address;
  struct timeval timeout = {.tv_sec = (time_t)ring->options->timeout_s};
  *address = (struct sockaddr_in){.sin_family = AF_INET};
  address->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int descriptor = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  ring->sockets[index] = descriptor;
  if (descriptor >= 0 && bind(descriptor, (const struct sockaddr *)address, size) == 0 &&
      getsockname(descriptor, (struct sockaddr *)address, &size) == 0 &&
      setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout) == 0)
    return true;
  complain("a UDP socket on 127.0.0.1: %s", strerror(errno));
  return false;
}

/* The parent waits for these; the nodes leave them blocked, so that the parent alone decides. */
static void signals_block(sigset_t *watched) {
  sigemptyset(watched);
  sigaddset(watched, SIGCHLD);
  sigaddset(watched, SIGINT);
  sigaddset(watched, SIGTERM);
  sigaddset(watched, SIGHUP);
  sigprocmask(SIG_BLOCK, watched, NULL);
}

static bool node_start(struct ring *ring, size_t index) {
  pid_t parent = getpid();
  pid_t process = fork();
  if (process < 0) {
    complain("starting node %zu: %s", index, strerror(errno));
    return false;
  }
  ring->processes[index] = process;
  if (process > 0)
    return true;
  prctl(PR_SET_PDEATHSIG, SIGKILL); /* no node outlives a parent that was killed */
  _exit(getppid() == parent && node_run(ring, index) ? EXIT_SUCCESS : EXIT_FAILED);
}

static void nodes_kill(struct ring *ring) {
  for (size_t i = 0; i < NODES_MAX; i++)
    if (ring->processes[i] > 0) {
      kill(ring->processes[i], SIGKILL);
      while (waitpid(ring->processes[i], NULL, 0) < 0 && errno == EINTR)
        ;
      ring->processes[i] = 0;
    }
}

/* Reaps the nodes that have ended; how many are left, or -1 if one has failed. */
static int nodes_reap(struct ring *ring) {
  int left = 0;
  for (size_t i = 0; i < ring->options->nodes; i++) {
    int status;
    if (ring->processes[i] == 0)
      continue;
    if (waitpid(ring->processes[i], &status, WNOHANG) == 0) {
      left++;
      continue;
    }
    ring->processes[i] = 0;
    if (WIFSIGNALED(status))
      complain("node %zu was killed by signal %d; nothing is written", i, WTERMSIG(status));
    if (!WIFEXITED(status) || WEXITSTATUS(status) != EXIT_SUCCESS)
      return -1;
  }
  return left;
}

/* Runs all nodes to their end and leaves none behind. */
static int ring_run(struct ring *ring, const sigset_t *watched) {
  int result = EXIT_SUCCESS;
  for (size_t i = 0; i < ring->options->nodes && result == EXIT_SUCCESS; i++)
    if (!node_start(ring, i))
      result = EXIT_FAILED;
  while (result == EXIT_SUCCESS) {
    int left = nodes_reap(ring);
    int signal = 0;
    if (left == 0)
      break;
    if (left < 0)
      result = EXIT_FAILED;
    else if (sigwait(watched, &signal) == 0 && signal != SIGCHLD)
      result = EXIT_INTERRUPTED;
  }
  nodes_kill(ring);
  return result;
}

/* Adds all nodes' logs to the first one's and checks that the parts cover the rounds. */
static bool logs_merge(const struct ring *ring) {
  uint64_t nodes = ring->options->nodes, hops = nodes * ring->options->laps;
  struct node_log *all = &ring->logs[0];
  for (size_t i = 1; i < nodes; i++) {
    for (size_t part = 0; part < PARTS; part++) {
      if (histogram_merge(&all->histograms[part], &ring->logs[i].histograms[part]) == 0)
        return false;
      all->sums_ns[part] += ring->logs[i].sums_ns[part];
    }
    all->ignored += ring->logs[i].ignored;
  }
  if (all->sums_ns[ROUND] == all->sums_ns[GRANT] + all->sums_ns[DELAY] + all->sums_ns[ACCEPT] &&
      histogram_total(&all->histograms[GRANT]) == hops &&
      histogram_total(&all->histograms[DELAY]) == hops &&
      histogram_total(&all->histograms[ACCEPT]) == hops &&
      histogram_total(&all->histograms[ROUND]) == ring->options->laps)
    return true;
  complain("the rounds are not the sum of their parts; this is a bug, nothing is written");
  return false;
}

/* ---- files ---------------------------------------------------------------------------------- */

/* "DIRECTORY/NAME", owned by the caller (free). */
static char *path_join(const char *directory, const char *name, const char *suffix) {
  size_t size = strlen(directory) + strlen(name) + strlen(suffix) + 2;
  char *path = malloc(size);
  if (path == NULL) {
    complain("out of memory");
    exit(EXIT_FAILED);
  }
  snprintf(path, size, "%s/%s%s", directory, name, suffix);
  return path;
}

static int nodes_write(const char *path, uint64_t nodes) {
  FILE *file = fopen(path, "w");
  if (file == NULL)
    return errno;
  int error = fprintf(file, "%" PRIu64 "\n", nodes) < 0 ? EIO : 0;
  return fclose(file) != 0 ? errno : error;
}

static void recording_remove(const char *directory) {
  for (size_t part = 0; part < PARTS; part++) {
    char *path = path_join(directory, part_names[part], ".tph");
    unlink(path);
    free(path);
  }
  char *path = path_join(directory, "nodes", "");
  unlink(path);
  free(path);
  rmdir(directory);
}

static bool recording_write(const char *directory, const struct ring *ring) {
  int error = 0;
  for (size_t part = 0; part < PARTS && error == 0; part++) {
    char *path = path_join(directory, part_names[part], ".tph");
    error = tph_write(path, &ring->logs[0].histograms[part], part_names[part]);
    free(path);
  }
  if (error == 0) {
    char *path = path_join(directory, "nodes", "");
    error = nodes_write(path, ring->options->nodes);
    free(path);
  }
  if (error == 0 && rename(directory, ring->options->out) != 0)
    error = errno;
  if (error != 0)
    complain("writing %s: %s", ring->options->out, strerror(error));
  return error == 0;
}

static void report(const struct ring *ring) {
  const struct node_log *all = &ring->logs[0];
  printf("%" PRIu64 " nodes, %" PRIu64 " laps; mean ns:", ring->options->nodes,
         ring->options->laps);
  for (size_t part = 0; part < PARTS; part++)
    printf(" %s %" PRIu64, part_names[part],
           all->sums_ns[part] / histogram_total(&all->histograms[part]));
  printf("; a round is the sum of its Grant, d and Accept to the nanosecond\n");
  if (all->ignored != 0)
    printf("%" PRIu64 " datagrams that were not the token were ignored\n", all->ignored);
  printf("wrote %s/{Grant,Accept,d,round}.tph\n", ring->options->out);
}

/* ---- command line --------------------------------------------------------------------------- */

static const char usage[] =
    "usage: token_ring --out DIR [--nodes N] [--laps N] [--work-us N] [--timeout N]\n"
    "Passes a token around a ring of processes over UDP on this host and records how long each\n"
    "part of a lap takes, for specs/lock.tp.\n"
    "  --out DIR      where the histograms go; must not exist, or be empty\n"
    "  --nodes N      processes in the ring, 1 to 64 (default 4)\n"
    "  --laps N       how often the token goes around, 1 to 100000000 (default 20000)\n"
    "  --work-us N    mean microseconds of work in a step, 0 to 1000000 (default 20)\n"
    "  --timeout N    seconds to wait for the token before giving up, 1 to 3600 (default 10)\n";

static uint64_t number_parse(const char *option, const char *text, uint64_t least, uint64_t most) {
  char *end;
  errno = 0;
  unsigned long long number = strtoull(text, &end, 10);
  if (*text >= '0' && *text <= '9' && *end == '\0' && errno == 0 && number >= least &&
      number <= most)
    return number;
  complain("--%s %s: a whole number from %" PRIu64 " to %" PRIu64 " is expected", option, text,
           least, most);
  exit(EXIT_USAGE);
}

static void options_parse(struct options *options, int count, char **arguments) {
  static const struct option known[] = {{"nodes", required_argument, NULL, 'n'},
                                        {"laps", required_argument, NULL, 'l'},
                                        {"work-us", required_argument, NULL, 'w'},
                                        {"out", required_argument, NULL, 'o'},
                                        {"timeout", required_argument, NULL, 't'},
                                        {"help", no_argument, NULL, 'h'},
                                        {NULL, 0, NULL, 0}};
  int letter;
  opterr = 0;
  while ((letter = getopt_long(count, arguments, ":", known, NULL)) != -1) {
    if (letter == 'n')
      options->nodes = number_parse("nodes", optarg, 1, NODES_MAX);
    else if (letter == 'l')
      options->laps = number_parse("laps", optarg, 1, 100000000);
    else if (letter == 'w')
      options->work_us = number_parse("work-us", optarg, 0, 1000000);
    else if (letter == 't')
      options->timeout_s = number_parse("timeout", optarg, 1, 3600);
    else if (letter == 'o')
      options->out = optarg;
    else if (letter == 'h') {
      fputs(usage, stdout);
      exit(EXIT_SUCCESS);
    } else {
      complain(letter == ':' ? "%s needs a value; see --help" : "unknown option %s; see --help",
               arguments[optind - 1]);
      exit(EXIT_USAGE);
    }
  }
  if (optind < count) {
    complain("unexpected argument %s; see --help", arguments[optind]);
    exit(EXIT_USAGE);
  }
  if (options->out == NULL || *options->out == '\0') {
    complain("--out DIR is missing; see --help");
    exit(EXIT_USAGE);
  }
  if (3 * options->nodes * options->work_us >= options->timeout_s * 1000000) {
    complain("a lap of %" PRIu64 " nodes with --work-us %" PRIu64
             " can take longer than --timeout %" PRIu64,
             options->nodes, options->work_us, options->timeout_s);
    exit(EXIT_USAGE);
  }
}

/* Whether `out` does not exist or is an empty directory; errno says why not. */
static bool directory_is_free(const char *out) {
  DIR *directory = opendir(out);
  if (directory == NULL)
    return errno == ENOENT;
  int entries = 0;
  while (readdir(directory) != NULL)
    entries++;
  closedir(directory);
  errno = ENOTEMPTY;
  return entries <= 2;
}

/* A fresh directory beside `out`, in which the recording is made; owned by the caller (free). NULL
 * after a complaint. */
static char *directory_make(const char *out) {
  size_t length = strlen(out);
  while (length > 1 && out[length - 1] == '/')
    length--;
  char *directory = malloc(length + sizeof ".XXXXXX");
  if (directory == NULL || !directory_is_free(out)) {
    complain("--out %s: %s", out, strerror(errno));
    free(directory);
    return NULL;
  }
  memcpy(directory, out, length);
  memcpy(directory + length, ".XXXXXX", sizeof ".XXXXXX");
  if (mkdtemp(directory) == NULL || chmod(directory, 0755) != 0) {
    complain("--out %s: %s", out, strerror(errno));
    free(directory);
    return NULL;
  }
  return directory;
}

int main(int count, char **arguments) {
  struct options options = {.nodes = 4, .laps = 20000, .work_us = 20, .timeout_s = 10};
  options_parse(&options, count, arguments);
  struct ring ring = {.options = &options, .run = clock_now_ns() ^ (uint64_t)getpid()};
  sigset_t watched;
  signals_block(&watched);
  char *directory = directory_make(options.out);
  if (directory == NULL)
    return EXIT_FAILED;

  int result = EXIT_SUCCESS;
  size_t size = (size_t)options.nodes * sizeof(struct node_log);
  ring.logs = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (ring.logs == MAP_FAILED) {
    complain("%zu bytes of shared memory: %s", size, strerror(errno));
    result = EXIT_FAILED;
  }
  for (size_t i = 0; i < options.nodes && result == EXIT_SUCCESS; i++)
    result = socket_open(&ring, i) ? EXIT_SUCCESS : EXIT_FAILED;
  if (result == EXIT_SUCCESS)
    result = ring_run(&ring, &watched);
  if (result == EXIT_SUCCESS)
    result = logs_merge(&ring) && recording_write(directory, &ring) ? EXIT_SUCCESS : EXIT_FAILED;
  if (result == EXIT_SUCCESS)
    report(&ring);
  else
    recording_remove(directory);
  free(directory);
  return result;
}
