/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A library that is loaded before a Node.js program (LD_PRELOAD): it notes when what the event loop
 * reads became ready, and when it writes to connections. Data of a TCP connection has the kernel's
 * stamp of its arrival; a completion of the thread pool is noted when the pool wakes the loop.
 * Files are PID.tpr in the folder TAILPROOF_STORE for the main thread, and PID-TID.tpr for each
 * other that reads connections; docs/node.md describes them. Where an earlier process of that
 * number left its files there they are PID+1.tpr, and so on.
 *
 * Nothing happens in programs other than Node.js, and in children that are forked and go on.
 * Descriptors are classified where they are made: libuv closes them by system calls that no library
 * sees, so a class may be stale, and whatever fails as a socket is read as it was asked for.
 */
#define _GNU_SOURCE /* RTLD_NEXT, accept4 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/net_tstamp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define VISIBLE __attribute__((visibility("default")))

enum {
  DESCRIPTORS = 65536,
  HEADER_BYTES = 4096,
  WINDOW_BYTES = 1 << 20,
  WINDOWS = 64, /* then the oldest is overwritten */
  RECORD_BYTES = 16,
  WINDOW_RECORDS = WINDOW_BYTES / RECORD_BYTES,
  AGE_UNIT_NS = 16,
  RUNS_MOST = 10000
};

enum class { CLASS_OTHER, CLASS_TCP, CLASS_EVENT };
enum kind { KIND_SOCKET = 1, KIND_POOL = 2, KIND_SENT = 3 };

struct header {
  char magic[8];
  uint32_t process, capacity;
  _Atomic uint64_t count; /* records ever written; record i is at i mod capacity */
};

/* `when` the loop read it, and so many units before it was ready; the greatest number: not known.
 */
struct stamp_record {
  uint64_t when;
  uint32_t age;
  uint16_t kind, descriptor;
};

static ssize_t (*real_read)(int, void *, size_t);
static ssize_t (*real_write)(int, const void *, size_t);
static ssize_t (*real_writev)(int, const struct iovec *, int);
static ssize_t (*real_recvmsg)(int, struct msghdr *, int);
static int (*real_socket)(int, int, int);
static int (*real_accept4)(int, struct sockaddr *restrict, socklen_t *restrict, int);
static int (*real_eventfd)(unsigned, int);

static atomic_bool active;
static _Atomic unsigned char classes[DESCRIPTORS];
static _Atomic uint64_t woken[DESCRIPTORS]; /* of CLASS_EVENT: the first write since the read */

/* Of one thread, which alone uses it. */
struct log {
  int file;
  struct header *header; /* NULL: nothing is noted */
  struct stamp_record *window;
  uint64_t ahead, since; /* by how much CLOCK_REALTIME was ahead, when that was looked at */
};

static struct log no_log = {.file = -1};
/* NULL: it has read no connection yet. What is loaded at the start needs no call for it. */
static _Thread_local struct log *own __attribute__((tls_model("initial-exec")));
static pthread_key_t own_key;
static char folder[3500];
static int run; /* of this process id, in the folder */

/* --- the file --- */

static uint64_t now_of(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (uint64_t)time.tv_sec * 1000000000U + (uint64_t)time.tv_nsec;
}

/* The window of the next record; without room for it nothing more is noted. */
static bool next_window(struct log *log, uint64_t count) {
  off_t offset = HEADER_BYTES + (off_t)(count / WINDOW_RECORDS % WINDOWS) * WINDOW_BYTES;
  if (log->window != NULL)
    munmap(log->window, WINDOW_BYTES);
  log->window = NULL;
  if (posix_fallocate(log->file, offset, WINDOW_BYTES) != 0)
    return false;
  void *found = mmap(NULL, WINDOW_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, log->file, offset);
  log->window = found == MAP_FAILED ? NULL : found;
  return log->window != NULL;
}

/* Into the file of this thread, which has one. */
static void note(enum kind kind, int descriptor, uint64_t when, uint64_t ready) {
  struct log *log = own;
  uint64_t count = atomic_load_explicit(&log->header->count, memory_order_relaxed);
  if (count % WINDOW_RECORDS == 0 && !next_window(log, count)) {
    own = &no_log;
    return;
  }
  uint64_t age = ready == 0 || ready > when ? 0 : (when - ready) / AGE_UNIT_NS;
  log->window[count % WINDOW_RECORDS] =
      (struct stamp_record){.when = when,
                            .age = ready == 0 || age > UINT32_MAX ? UINT32_MAX : (uint32_t)age,
                            .kind = (uint16_t)kind,
                            .descriptor = (uint16_t)descriptor};
  atomic_store_explicit(&log->header->count, count + 1, memory_order_release);
}

static void name_file(char *path, size_t size, int process, const char *what) {
  if (run == 0)
    snprintf(path, size, "%s/%d%s", folder, process, what);
  else
    snprintf(path, size, "%s/%d+%d%s", folder, process, run, what);
}

static int create(int process, const char *what) {
  char path[4096];
  name_file(path, sizeof path, process, what);
  return open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

/* Of the main thread, for the first run of which nothing is there yet. */
static int create_run(int process) {
  char log[4096];
  for (run = 0; run < RUNS_MOST; run++) {
    name_file(log, sizeof log, process, ".0.tpn");
    if (access(log, F_OK) == 0)
      continue;
    int file = create(process, ".tpr");
    if (file >= 0 || errno != EEXIST)
      return file;
  }
  return -1;
}

static bool open_log(struct log *log) {
  int process = (int)getpid(), thread = (int)syscall(SYS_gettid);
  char what[32];
  snprintf(what, sizeof what, "-%d.tpr", thread);
  log->file = thread == process ? create_run(process) : create(process, what);
  if (log->file < 0)
    return false;
  int above = fcntl(log->file, F_DUPFD_CLOEXEC, 500); /* programs count on low numbers */
  if (above >= 0) {
    close(log->file);
    log->file = above;
  }
  if (posix_fallocate(log->file, 0, HEADER_BYTES) != 0)
    return false;
  struct header *found = mmap(NULL, HEADER_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, log->file, 0);
  if (found == MAP_FAILED)
    return false;
  memcpy(found->magic, "TPREADY1", sizeof found->magic);
  found->process = (uint32_t)process;
  found->capacity = WINDOWS * WINDOW_RECORDS;
  log->header = found;
  return true;
}

static void close_log(void *closed) {
  struct log *log = closed;
  own = &no_log;
  if (log->window != NULL)
    munmap(log->window, WINDOW_BYTES);
  if (log->header != NULL)
    munmap(log->header, HEADER_BYTES);
  if (log->file >= 0)
    close(log->file);
  free(log);
}

static void make_own(void) {
  struct log *log = calloc(1, sizeof *log);
  own = &no_log;
  if (log == NULL)
    return;
  log->file = -1;
  if (open_log(log) && pthread_setspecific(own_key, log) == 0)
    own = log;
  else
    close_log(log);
}

/* --- which reads are noted --- */

/* Of connections; other threads than those of loops have none. */
static bool has_log(void) {
  if (own == NULL)
    make_own();
  return own != &no_log;
}

static enum class class_of(int descriptor) {
  return descriptor < 0 || descriptor >= DESCRIPTORS
             ? CLASS_OTHER
             : (enum class)atomic_load_explicit(&classes[descriptor], memory_order_relaxed);
}

static void classify(int descriptor, enum class class) {
  if (descriptor < 0 || descriptor >= DESCRIPTORS)
    return;
  atomic_store(&woken[descriptor], 0);
  atomic_store(&classes[descriptor], (unsigned char)class);
}

/* By how much CLOCK_REALTIME is ahead; after a while it is looked at again, as it may be set. What
 * interrupts the thread between two readings would move the stamp of an arrival, so the readings
 * that are closest to each other count. */
static uint64_t ahead(uint64_t now) {
  enum { KNOWN_NS = 1000000, CLOSE_NS = 500, TRIES = 10 };
  uint64_t narrowest = UINT64_MAX;
  if (own->since != 0 && now - own->since < KNOWN_NS)
    return own->ahead;
  for (int i = 0; i < TRIES && narrowest > CLOSE_NS; i++) {
    uint64_t before = now_of(CLOCK_MONOTONIC), real = now_of(CLOCK_REALTIME);
    uint64_t width = now_of(CLOCK_MONOTONIC) - before;
    if (width >= narrowest)
      continue;
    narrowest = width;
    own->ahead = real - before - width / 2;
  }
  own->since = now;
  return own->ahead;
}

/* The kernel's stamp of what came last into the buffer, on CLOCK_MONOTONIC; 0: none. */
static uint64_t stamp_of(struct msghdr *message, uint64_t now) {
  for (struct cmsghdr *part = CMSG_FIRSTHDR(message); part != NULL;
       part = CMSG_NXTHDR(message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_TIMESTAMPING)
      continue;
    struct timespec time;
    memcpy(&time, CMSG_DATA(part), sizeof time); /* the first of three: by software */
    uint64_t stamp = (uint64_t)time.tv_sec * 1000000000U + (uint64_t)time.tv_nsec;
    uint64_t ready = stamp - ahead(now);
    return time.tv_sec == 0 || ready > now ? 0 : ready;
  }
  return 0;
}

static ssize_t read_socket(int descriptor, void *buffer, size_t count) {
  union {
    char bytes[CMSG_SPACE(3 * sizeof(struct timespec)) + CMSG_SPACE(64)];
    struct cmsghdr align;
  } control;
  struct iovec space = {buffer, count};
  struct msghdr message = {.msg_iov = &space,
                           .msg_iovlen = 1,
                           .msg_control = &control,
                           .msg_controllen = sizeof control};
  ssize_t got = real_recvmsg(descriptor, &message, 0);
  if (got < 0 && errno == ENOTSOCK) {
    classify(descriptor, CLASS_OTHER);
    return real_read(descriptor, buffer, count);
  }
  if (got > 0) {
    int cause = errno;
    uint64_t now = now_of(CLOCK_MONOTONIC);
    note(KIND_SOCKET, descriptor, now, stamp_of(&message, now));
    errno = cause;
  }
  return got;
}

/* --- what stands before the C library --- */

static void resolve(void) {
  *(void **)&real_read = dlsym(RTLD_NEXT, "read");
  *(void **)&real_write = dlsym(RTLD_NEXT, "write");
  *(void **)&real_writev = dlsym(RTLD_NEXT, "writev");
  *(void **)&real_recvmsg = dlsym(RTLD_NEXT, "recvmsg");
  *(void **)&real_socket = dlsym(RTLD_NEXT, "socket");
  *(void **)&real_accept4 = dlsym(RTLD_NEXT, "accept4");
  *(void **)&real_eventfd = dlsym(RTLD_NEXT, "eventfd");
}

VISIBLE ssize_t read(int descriptor, void *buffer, size_t count) {
  if (real_read == NULL)
    resolve();
  enum class class = class_of(descriptor);
  if (class == CLASS_OTHER || !atomic_load_explicit(&active, memory_order_relaxed))
    return real_read(descriptor, buffer, count);
  if (class == CLASS_TCP)
    return has_log() ? read_socket(descriptor, buffer, count)
                     : real_read(descriptor, buffer, count);
  if (own == NULL || own == &no_log)
    return real_read(descriptor, buffer, count);
  uint64_t since = atomic_exchange(&woken[descriptor], 0);
  ssize_t got = real_read(descriptor, buffer, count);
  if (got > 0)
    note(KIND_POOL, descriptor, now_of(CLOCK_MONOTONIC), since);
  return got;
}

/* Before it is written: then nobody can have it yet. */
static void note_write(int descriptor) {
  enum class class = class_of(descriptor);
  if (class == CLASS_OTHER || !atomic_load_explicit(&active, memory_order_relaxed))
    return;
  if (class == CLASS_EVENT) {
    uint64_t none = 0;
    atomic_compare_exchange_strong(&woken[descriptor], &none, now_of(CLOCK_MONOTONIC));
  } else if (has_log()) {
    note(KIND_SENT, descriptor, now_of(CLOCK_MONOTONIC), 0);
  }
}

VISIBLE ssize_t write(int descriptor, const void *buffer, size_t count) {
  if (real_write == NULL)
    resolve();
  note_write(descriptor);
  return real_write(descriptor, buffer, count);
}

VISIBLE ssize_t writev(int descriptor, const struct iovec *parts, int count) {
  if (real_writev == NULL)
    resolve();
  note_write(descriptor);
  return real_writev(descriptor, parts, count);
}

VISIBLE int eventfd(unsigned count, int flags) {
  if (real_eventfd == NULL)
    resolve();
  int descriptor = real_eventfd(count, flags);
  classify(descriptor, CLASS_EVENT);
  return descriptor;
}

static bool ask_for_stamps(int descriptor) {
  int flags = SOF_TIMESTAMPING_RX_SOFTWARE | SOF_TIMESTAMPING_SOFTWARE, cause = errno;
  bool done = setsockopt(descriptor, SOL_SOCKET, SO_TIMESTAMPING, &flags, sizeof flags) == 0;
  errno = cause;
  return done;
}

/* Sockets that listen hand the wish for stamps on to those that they accept. */
VISIBLE int socket(int domain, int type, int protocol) {
  if (real_socket == NULL)
    resolve();
  int descriptor = real_socket(domain, type, protocol);
  bool tcp = (domain == AF_INET || domain == AF_INET6) &&
             (type & ~(SOCK_CLOEXEC | SOCK_NONBLOCK)) == SOCK_STREAM;
  if (descriptor >= 0 && atomic_load(&active))
    classify(descriptor, tcp && ask_for_stamps(descriptor) ? CLASS_TCP : CLASS_OTHER);
  return descriptor;
}

VISIBLE int accept4(int descriptor, struct sockaddr *restrict address, socklen_t *restrict length,
                    int flags) {
  if (real_accept4 == NULL)
    resolve();
  int accepted = real_accept4(descriptor, address, length, flags);
  if (accepted >= 0 && atomic_load(&active))
    classify(accepted, class_of(descriptor) == CLASS_TCP ? CLASS_TCP : CLASS_OTHER);
  return accepted;
}

/* Connections that another process of a cluster accepted come in messages. */
static void classify_passed(struct msghdr *message) {
  for (struct cmsghdr *part = CMSG_FIRSTHDR(message); part != NULL;
       part = CMSG_NXTHDR(message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS)
      continue;
    size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; i++) {
      int passed = -1, protocol = 0, cause = errno;
      socklen_t length = sizeof protocol;
      memcpy(&passed, CMSG_DATA(part) + i * sizeof passed, sizeof passed);
      bool tcp = getsockopt(passed, SOL_SOCKET, SO_PROTOCOL, &protocol, &length) == 0 &&
                 protocol == 6 && ask_for_stamps(passed);
      classify(passed, tcp ? CLASS_TCP : CLASS_OTHER);
      errno = cause;
    }
  }
}

VISIBLE ssize_t recvmsg(int descriptor, struct msghdr *message, int flags) {
  if (real_recvmsg == NULL)
    resolve();
  ssize_t got = real_recvmsg(descriptor, message, flags);
  if (got > 0 && message->msg_controllen > 0 && atomic_load(&active))
    classify_passed(message);
  return got;
}

/* --- start --- */

static void stop(void) {
  atomic_store(&active, false);
}

__attribute__((constructor)) static void start(void) {
  resolve();
  const char *store = getenv("TAILPROOF_STORE");
  if (store == NULL || dlsym(RTLD_DEFAULT, "napi_create_function") == NULL ||
      strlen(store) >= sizeof folder || pthread_key_create(&own_key, close_log) != 0)
    return;
  memcpy(folder, store, strlen(store) + 1);
  make_own();
  if (own != &no_log && pthread_atfork(NULL, NULL, stop) == 0)
    atomic_store(&active, true);
}
