/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Counting requests for a pauser: tailproof_counter_* and tailproof_count_* of
 * tailproof_measure.h.
 */
#include "measure/record/count_page.h"
#include "measure/record/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct tailproof_counter {
  struct poker_page *page;
  int wake;
};

/* --- opening ------------------------------------------------------------------------------------
 */

static int open_in(const char *folder, const char *name, int flags) {
  char path[PATH_MAX];
  int length = snprintf(path, sizeof path, "%s/%s", folder, name);
  if (length < 0 || (size_t)length >= sizeof path)
    return fail(ENAMETOOLONG, "TAILPROOF_POKER: the path is too long");
  int descriptor = open(path, flags | O_CLOEXEC | O_NOFOLLOW);
  if (descriptor < 0)
    return fail(errno, "%s: %s; start the service with `tailproof poker`, or unset TAILPROOF_POKER",
                path, strerror(errno));
  return descriptor;
}

/* The page is somebody else's file. */
static void guard_page(struct poker_page *page, void (*how)(const struct mapping *)) {
  stores_lock();
  how(&(struct mapping){.base = page, .size = sizeof *page});
  stores_unlock();
}

static int map_page(struct poker_page **page, const char *folder) {
  int descriptor = open_in(folder, "page", O_RDWR);
  if (descriptor < 0)
    return descriptor;
  struct stat about;
  int error = fstat(descriptor, &about) != 0 ? errno : 0;
  if (error == 0 && (!S_ISREG(about.st_mode) || about.st_size < (off_t)sizeof **page))
    error = EBADMSG;
  void *at = MAP_FAILED;
  if (error == 0) {
    at = mmap(NULL, sizeof **page, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    error = at == MAP_FAILED ? errno : 0;
  }
  close(descriptor);
  if (error == 0) {
    *page = at;
    if ((*page)->magic == PAGE_MAGIC && (*page)->version == PAGE_VERSION &&
        (*page)->bytes == sizeof **page)
      return 0;
    munmap(at, sizeof **page);
    error = EBADMSG;
  }
  return fail(error, "%s/page: %s", folder,
              error == EBADMSG ? "of another version of tailproof; use one for both"
                               : strerror(error));
}

int tailproof_counter_open(struct tailproof_counter **counter) {
  *counter = NULL;
  const char *folder = getenv("TAILPROOF_POKER");
  if (folder == NULL || *folder == '\0')
    return 0;
  struct tailproof_counter *made = calloc(1, sizeof *made);
  if (made == NULL)
    return fail(ENOMEM, "there is no memory for a counter");
  int error = map_page(&made->page, folder);
  if (error == 0) {
    /* For reading too: a FIFO that always has a reader, this process itself, raises no SIGPIPE when
     * the poker is gone. */
    made->wake = open_in(folder, "wake", O_RDWR | O_NONBLOCK);
    error = made->wake < 0 ? made->wake : 0;
    if (error != 0)
      munmap(made->page, sizeof *made->page);
  }
  if (error != 0) {
    free(made);
    return error;
  }
  guard_page(made->page, cut_guard);
  *counter = made;
  return 0;
}

void tailproof_counter_close(struct tailproof_counter *counter) {
  if (counter == NULL)
    return;
  guard_page(counter->page, cut_release);
  munmap(counter->page, sizeof *counter->page);
  close(counter->wake);
  free(counter);
}

/* --- counting -----------------------------------------------------------------------------------
 */

/* A full FIFO means that the poker has enough to read. */
static void wake(const struct tailproof_counter *counter) {
  int before = errno;
  ssize_t written = write(counter->wake, "w", 1);
  (void)written;
  errno = before;
}

static void raise_most(uint64_t *most, uint64_t now) {
  uint64_t before = __atomic_load_n(most, __ATOMIC_RELAXED);
  while (before < now &&
         !__atomic_compare_exchange_n(most, &before, now, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    ;
}

uint64_t tailproof_count_begin(struct tailproof_counter *counter) {
  if (counter == NULL)
    return 0;
  struct poker_page *page = counter->page;
  /* `ended` is read after the addition, so that others that end meanwhile make the number under way
   * smaller, never larger: it is a maximum that is kept. */
  uint64_t begun = __atomic_add_fetch(&page->begun, 1, __ATOMIC_SEQ_CST);
  uint64_t ended = __atomic_load_n(&page->ended, __ATOMIC_SEQ_CST);
  if (begun > ended)
    raise_most(&page->at_once_most, begun - ended);
  /* The poker sets wake_at and then reads `begun`; here it is the other way round: one of the two
   * sees the other. */
  if (begun >= __atomic_load_n(&page->wake_at, __ATOMIC_SEQ_CST) &&
      __atomic_exchange_n(&page->wake_at, UINT64_MAX, __ATOMIC_SEQ_CST) != UINT64_MAX)
    wake(counter);
  return clock_now_ns();
}

/* The times of a request, for a poker that writes them down; what it does not read in time is
 * written over. */
static void tell_times(struct poker_page *page, uint64_t start_ns, uint64_t end_ns) {
  uint64_t number = __atomic_add_fetch(&page->told, 1, __ATOMIC_RELAXED);
  struct page_request *place = &page->recent[(number - 1) % PAGE_RECENT];
  __atomic_store_n(&place->number, 0, __ATOMIC_SEQ_CST);
  __atomic_store_n(&place->start_ns, start_ns, __ATOMIC_SEQ_CST);
  __atomic_store_n(&place->end_ns, end_ns, __ATOMIC_SEQ_CST);
  __atomic_store_n(&place->number, number, __ATOMIC_SEQ_CST);
}

void tailproof_count_end(struct tailproof_counter *counter, uint64_t start) {
  if (counter == NULL)
    return;
  struct poker_page *page = counter->page;
  uint64_t now = clock_now_ns();
  if (now > start)
    __atomic_fetch_add(&page->busy_ns, now - start, __ATOMIC_RELAXED);
  tell_times(page, start, now);
  __atomic_fetch_add(&page->ended, 1, __ATOMIC_SEQ_CST);
}

/* --- neighbours ---------------------------------------------------------------------------------
 */

/* What comes before the last colon, in brackets if it has colons itself, and a port that is not 0.
 */
static bool is_address(const char *address) {
  size_t length = strnlen(address, PAGE_NEIGHBOUR_TEXT);
  const char *colon = strrchr(address, ':');
  if (length >= PAGE_NEIGHBOUR_TEXT || colon == NULL || colon == address)
    return false;
  for (const char *at = address; *at != '\0'; at++)
    if (*at <= ' ' || *at > '~')
      return false;
  bool brackets = address[0] == '[' && colon[-1] == ']';
  if (!brackets && memchr(address, ':', (size_t)(colon - address)) != NULL)
    return false;
  size_t digits = strspn(colon + 1, "0123456789");
  unsigned long port = strtoul(colon + 1, NULL, 10);
  return 1 <= digits && digits <= 5 && colon[1 + digits] == '\0' && 1 <= port && port <= 65535;
}

static bool is_known(const struct poker_page *page, const char *address) {
  uint32_t used = __atomic_load_n(&page->neighbours_used, __ATOMIC_ACQUIRE);
  for (uint32_t i = 0; i < used && i < PAGE_NEIGHBOURS; i++)
    if (__atomic_load_n(&page->neighbours[i][0], __ATOMIC_ACQUIRE) == address[0] &&
        strncmp(page->neighbours[i], address, PAGE_NEIGHBOUR_TEXT) == 0)
      return true;
  return false;
}

int tailproof_count_neighbour(struct tailproof_counter *counter, const char *address) {
  if (counter == NULL)
    return 0;
  if (!is_address(address))
    return fail(EINVAL,
                "\"%.80s\" is no address of a neighbour; HOST:PORT or [HOST]:PORT, at most %d "
                "characters",
                address, PAGE_NEIGHBOUR_TEXT - 1);
  struct poker_page *page = counter->page;
  if (is_known(page, address))
    return 0;
  /* Two threads may add the same one at a time; the poker does not mind. */
  uint32_t slot = __atomic_load_n(&page->neighbours_used, __ATOMIC_RELAXED);
  do
    if (slot >= PAGE_NEIGHBOURS)
      return fail(ENOSPC, "\"%s\" is one neighbour more than the %d a service can have", address,
                  PAGE_NEIGHBOURS);
  while (!__atomic_compare_exchange_n(&page->neighbours_used, &slot, slot + 1, true,
                                      __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
  memcpy(page->neighbours[slot] + 1, address + 1, strlen(address));
  __atomic_store_n(&page->neighbours[slot][0], address[0], __ATOMIC_RELEASE);
  wake(counter);
  return 0;
}
