/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A library that is loaded before a Node.js program (LD_PRELOAD): it notes when what the event loop
 * reads became ready, and when it writes to connections. Data of a TCP connection has the kernel's
 * stamp of its arrival; a completion of the thread pool is noted when the pool wakes the loop. Only
 * reads and writes of the main thread are noted. The file is PID.tpr in the folder TAILPROOF_STORE;
 * docs/node.md describes it.
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
  AGE_UNIT_NS = 16
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
/* 0: not known yet, 1: it is, -1: it is not. What is loaded at the start needs no call for it. */
static _Thread_local int main_thread __attribute__((tls_model("initial-exec")));
static int log_file = -1;
static struct header *header;
static struct stamp_record *window;

/* --- the file --- */

static uint64_t now_of(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (uint64_t)time.tv_sec * 1000000000U + (uint64_t)time.tv_nsec;
}

/* The window of the next record; without room for it nothing more is noted. */
static bool next_window(uint64_t count) {
  off_t offset = HEADER_BYTES + (off_t)(count / WINDOW_RECORDS % WINDOWS) * WINDOW_BYTES;
  if (window != NULL)
    munmap(window, WINDOW_BYTES);
  window = NULL;
  if (posix_fallocate(log_file, offset, WINDOW_BYTES) != 0)
    return false;
  void *found = mmap(NULL, WINDOW_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, log_file, offset);
  window = found == MAP_FAILED ? NULL : found;
  return window != NULL;
}

static void note(enum kind kind, int descriptor, uint64_t when, uint64_t ready) {
  uint64_t count = atomic_load_explicit(&header->count, memory_order_relaxed);
  if (count % WINDOW_RECORDS == 0 && !next_window(count)) {
    atomic_store(&active, false);
    return;
  }
  uint64_t age = ready == 0 || ready > when ? 0 : (when - ready) / AGE_UNIT_NS;
  window[count % WINDOW_RECORDS] =
      (struct stamp_record){.when = when,
                            .age = ready == 0 || age > UINT32_MAX ? UINT32_MAX : (uint32_t)age,
                            .kind = (uint16_t)kind,
                            .descriptor = (uint16_t)descriptor};
  atomic_store_explicit(&header->count, count + 1, memory_order_release);
}

/* --- which reads are noted --- */

static bool is_main_thread(void) {
  if (main_thread == 0)
    main_thread = syscall(SYS_gettid) == getpid() ? 1 : -1;
  return main_thread > 0;
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
  static uint64_t known, since;
  uint64_t narrowest = UINT64_MAX;
  if (since != 0 && now - since < KNOWN_NS)
    return known;
  for (int i = 0; i < TRIES && narrowest > CLOSE_NS; i++) {
    uint64_t before = now_of(CLOCK_MONOTONIC), real = now_of(CLOCK_REALTIME);
    uint64_t width = now_of(CLOCK_MONOTONIC) - before;
    if (width >= narrowest)
      continue;
    narrowest = width;
    known = real - before - width / 2;
  }
  since = now;
  return known;
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
  if (class == CLASS_OTHER || !atomic_load_explicit(&active, memory_order_relaxed) ||
      !is_main_thread())
    return real_read(descriptor, buffer, count);
  if (class == CLASS_TCP)
    return read_socket(descriptor, buffer, count);
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
  } else if (is_main_thread()) {
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

static bool open_log(const char *folder) {
  char path[4096];
  int length = snprintf(path, sizeof path, "%s/%d.tpr", folder, (int)getpid());
  if (length < 0 || length >= (int)sizeof path)
    return false;
  log_file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (log_file < 0)
    return false;
  int above = fcntl(log_file, F_DUPFD_CLOEXEC, 500); /* programs count on low numbers */
  if (above >= 0) {
    close(log_file);
    log_file = above;
  }
  if (posix_fallocate(log_file, 0, HEADER_BYTES) != 0)
    return false;
  header = mmap(NULL, HEADER_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, log_file, 0);
  if (header == MAP_FAILED)
    return false;
  memcpy(header->magic, "TPREADY1", sizeof header->magic);
  header->process = (uint32_t)getpid();
  header->capacity = WINDOWS * WINDOW_RECORDS;
  return true;
}

__attribute__((constructor)) static void start(void) {
  resolve();
  const char *folder = getenv("TAILPROOF_STORE");
  if (folder == NULL || dlsym(RTLD_DEFAULT, "napi_create_function") == NULL)
    return;
  if (open_log(folder) && pthread_atfork(NULL, NULL, stop) == 0)
    atomic_store(&active, true);
}
