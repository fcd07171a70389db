/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/throughput/poker/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PREFIX "tailproof-poker-"
enum { ABANDONED_S = 60 }; /* a younger folder may be one that is being made */

static const char *const files[] = {"page", "wake", "count"};
enum { FILES = 3 };

static const char *base(void) {
  const char *given = getenv("TMPDIR");
  if (access("/dev/shm", W_OK | X_OK) == 0)
    return "/dev/shm";
  return given != NULL && *given == '/' ? given : "/tmp";
}

/* --- what others left ---------------------------------------------------------------------------
 */

/* Whether nobody has the FIFO open for reading, as its poker and every counter have. */
static bool is_deserted(int parent, const char *name) {
  int descriptor = openat(parent, name, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW);
  if (descriptor >= 0)
    close(descriptor);
  return descriptor < 0 && (errno == ENXIO || errno == ENOENT);
}

static void remove_abandoned(int parent, const char *name) {
  struct stat about;
  if (fstatat(parent, name, &about, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISDIR(about.st_mode) ||
      about.st_uid != geteuid() || time(NULL) - about.st_mtime < ABANDONED_S)
    return;
  int folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  if (folder < 0)
    return;
  if (is_deserted(folder, "wake") && is_deserted(folder, "count")) {
    for (int i = 0; i < FILES; i++)
      unlinkat(folder, files[i], 0);
    unlinkat(parent, name, AT_REMOVEDIR);
  }
  close(folder);
}

static void sweep(const char *path) {
  DIR *parent = opendir(path);
  if (parent == NULL)
    return;
  for (struct dirent *entry; (entry = readdir(parent)) != NULL;)
    if (strncmp(entry->d_name, PREFIX, sizeof PREFIX - 1) == 0)
      remove_abandoned(dirfd(parent), entry->d_name);
  closedir(parent);
}

/* --- making -------------------------------------------------------------------------------------
 */

static int path_in(const struct poker_folder *folder, const char *name,
                   char path[FOLDER_PATH + 8]) {
  return snprintf(path, FOLDER_PATH + 8, "%s/%s", folder->path, name);
}

/* The blocks are there before anything is written: a full disk is an error here, not a signal
 * later. */
static int make_page(struct poker_folder *folder) {
  char path[FOLDER_PATH + 8];
  path_in(folder, "page", path);
  int descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor < 0)
    return errno;
  int error = posix_fallocate(descriptor, 0, 4096);
  void *at = MAP_FAILED;
  if (error == 0) {
    at = mmap(NULL, sizeof *folder->page, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    error = at == MAP_FAILED ? errno : 0;
  }
  close(descriptor);
  if (error != 0)
    return error;
  folder->page = at;
  *folder->page = (struct poker_page){.version = PAGE_VERSION,
                                      .bytes = sizeof *folder->page,
                                      .magic = PAGE_MAGIC,
                                      .wake_at = UINT64_MAX};
  return 0;
}

static int make_fifo(struct poker_folder *folder, const char *name, int *descriptor) {
  char path[FOLDER_PATH + 8];
  path_in(folder, name, path);
  if (mkfifo(path, 0600) != 0)
    return errno;
  *descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
  return *descriptor < 0 ? errno : 0;
}

int folder_make(struct poker_folder *folder, bool with_count, char message[FOLDER_MESSAGE]) {
  *folder = (struct poker_folder){.wake = -1, .count = -1};
  const char *where = base();
  sweep(where);
  int length = snprintf(folder->path, FOLDER_PATH, "%s/" PREFIX "XXXXXX", where);
  int error = 0;
  if (length >= FOLDER_PATH)
    error = ENAMETOOLONG;
  else if (mkdtemp(folder->path) == NULL) /* mode 0700 */
    error = errno;
  if (error != 0)
    folder->path[0] = '\0';
  if (error == 0)
    error = make_fifo(folder, "wake", &folder->wake);
  if (error == 0 && with_count)
    error = make_fifo(folder, "count", &folder->count);
  if (error == 0)
    error = make_page(folder);
  if (error == 0)
    return 0;
  snprintf(message, FOLDER_MESSAGE,
           "%.200s: no folder for the service's counters: %s; make space there%s", where,
           strerror(error), strcmp(where, "/dev/shm") == 0 ? "" : ", or set TMPDIR");
  folder_remove(folder);
  return error;
}

void folder_remove(struct poker_folder *folder) {
  if (folder->page != NULL)
    munmap(folder->page, sizeof *folder->page);
  if (folder->wake >= 0)
    close(folder->wake);
  if (folder->count >= 0)
    close(folder->count);
  for (int i = 0; i < FILES && folder->path[0] != '\0'; i++) {
    char path[FOLDER_PATH + 8];
    path_in(folder, files[i], path);
    unlink(path);
  }
  if (folder->path[0] != '\0')
    rmdir(folder->path);
  *folder = (struct poker_folder){.wake = -1, .count = -1};
}

void folder_paths(const struct poker_folder *folder, char paths[4][FOLDER_PATH + 8]) {
  for (int i = 0; i < FILES; i++)
    path_in(folder, files[i], paths[i]);
  snprintf(paths[FILES], FOLDER_PATH + 8, "%s", folder->path);
}

/* --- reading ------------------------------------------------------------------------------------
 */

uint64_t folder_drain(int descriptor) {
  uint64_t taken = 0;
  for (;;) {
    char bytes[4096];
    ssize_t got = read(descriptor, bytes, sizeof bytes);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return taken;
    taken += (uint64_t)got;
  }
}

uint64_t folder_begun(const struct poker_folder *folder) {
  return __atomic_load_n(&folder->page->begun, __ATOMIC_SEQ_CST);
}

enum folder_times folder_times(const struct poker_folder *folder, uint64_t number,
                               uint64_t *start_ns, uint64_t *end_ns) {
  const struct page_request *place = &folder->page->recent[(number - 1) % PAGE_RECENT];
  uint64_t before = __atomic_load_n(&place->number, __ATOMIC_SEQ_CST);
  *start_ns = __atomic_load_n(&place->start_ns, __ATOMIC_SEQ_CST);
  *end_ns = __atomic_load_n(&place->end_ns, __ATOMIC_SEQ_CST);
  uint64_t after = __atomic_load_n(&place->number, __ATOMIC_SEQ_CST);
  uint64_t told = __atomic_load_n(&folder->page->told, __ATOMIC_SEQ_CST);
  if (told >= number && told - number >= PAGE_RECENT)
    return FOLDER_TIMES_LOST;
  return before == number && after == number ? FOLDER_TIMES : FOLDER_TIMES_NONE;
}

bool folder_arm(struct poker_folder *folder, uint64_t begun) {
  __atomic_store_n(&folder->page->wake_at, begun, __ATOMIC_SEQ_CST);
  return begun == UINT64_MAX || folder_begun(folder) < begun;
}

bool folder_neighbour(const struct poker_folder *folder, uint32_t slot,
                      char text[PAGE_NEIGHBOUR_TEXT]) {
  const char *from = folder->page->neighbours[slot];
  if (slot >= __atomic_load_n(&folder->page->neighbours_used, __ATOMIC_ACQUIRE) ||
      __atomic_load_n(&from[0], __ATOMIC_ACQUIRE) == '\0')
    return false;
  memcpy(text, from, PAGE_NEIGHBOUR_TEXT - 1);
  text[PAGE_NEIGHBOUR_TEXT - 1] = '\0';
  return true;
}
