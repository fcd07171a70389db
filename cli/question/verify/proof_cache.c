/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/verify/proof_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/file.h"
#include "base/vector.h"

/* A file: this line with the checksum of all behind it; the question; the answer. */
#define HEAD "tailproof kept answer 1 "

enum {
  HEAD_LENGTH = sizeof HEAD - 1 + DIGEST_LENGTH + 1,
  QUESTION_MAX = 1024,
  SPARE = PROOF_CACHE_FILES / 4 /* so many more go with one too many */
};

/* False: no variable names a folder (a relative XDG_CACHE_HOME counts as none). */
static bool append_folder(struct text *path) {
  const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  if (cache != NULL && cache[0] == '/')
    text_format(path, "%s/tailproof", cache);
  else if (home != NULL && home[0] == '/')
    text_format(path, "%s/.cache/tailproof", home);
  return path->length != 0;
}

static bool append_path(struct text *path, const char *question) {
  char name[DIGEST_LENGTH + 1];
  digest_bytes(name, question, strlen(question));
  bool known = append_folder(path);
  text_format(path, "/%s", name);
  return known;
}

/* Whether nobody else can have written it. */
static bool is_own(const char *path, struct stat *about) {
  return lstat(path, about) == 0 && S_ISREG(about->st_mode) && about->st_uid == geteuid() &&
         (about->st_mode & S_IWOTH) == 0;
}

/* The answer within the file's bytes, or NULL. */
static const char *answer_in(const char *bytes, size_t length, const char *question) {
  size_t asked = strlen(question);
  char digest[DIGEST_LENGTH + 1];
  if (length < HEAD_LENGTH + asked + 1 || memcmp(bytes, HEAD, sizeof HEAD - 1) != 0 ||
      bytes[HEAD_LENGTH - 1] != '\n')
    return NULL;
  digest_bytes(digest, bytes + HEAD_LENGTH, length - HEAD_LENGTH);
  if (memcmp(bytes + sizeof HEAD - 1, digest, DIGEST_LENGTH) != 0 ||
      memcmp(bytes + HEAD_LENGTH, question, asked) != 0 || bytes[HEAD_LENGTH + asked] != '\n')
    return NULL;
  return bytes + HEAD_LENGTH + asked + 1;
}

/* Reading is use. The time of the last change stays: it says when the answer was found. */
static void mark_used(const char *path, const struct stat *about) {
  const struct timespec times[2] = {{.tv_nsec = UTIME_NOW}, about->st_mtim};
  (void)!utimensat(AT_FDCWD, path, times, 0);
}

bool proof_cache_find(struct text *answer, time_t *asked, const char *question) {
  struct text path, message;
  struct stat about;
  char *bytes = NULL;
  const char *found = NULL;
  size_t length;
  text_init(&path);
  text_init(&message);
  if (append_path(&path, question) && is_own(path.data, &about) &&
      file_read(path.data, PROOF_CACHE_BYTES + 2 * QUESTION_MAX, &bytes, &length, &message) ==
          STATUS_OK)
    found = answer_in(bytes, length, question);
  if (found != NULL) {
    mark_used(path.data, &about);
    text_append_bytes(answer, found, length - (size_t)(found - bytes));
    *asked = about.st_mtime;
  }
  mem_free(bytes);
  text_clear(&message);
  text_clear(&path);
  return found != NULL;
}

/* --- not too many -------------------------------------------------------------------------------
 */

struct kept {
  char *path; /* owned */
  time_t used;
};

typedef VECTOR(struct kept) kept_vector;

/* Our names begin with a digest; those of files on their way go on. */
static bool is_ours(const char *name) {
  return strspn(name, "0123456789abcdef") == DIGEST_LENGTH;
}

static kept_vector list(const char *folder) {
  kept_vector all = {0};
  DIR *directory = opendir(folder);
  for (struct dirent *entry; directory != NULL && (entry = readdir(directory)) != NULL;) {
    struct stat about;
    struct text path;
    text_init(&path);
    text_format(&path, "%s/%s", folder, entry->d_name);
    if (is_ours(entry->d_name) && lstat(path.data, &about) == 0)
      vector_push(&all, (struct kept){text_take(&path), about.st_atime});
    text_clear(&path);
  }
  if (directory != NULL)
    closedir(directory);
  return all;
}

static int by_use(const void *a, const void *b) {
  time_t x = ((const struct kept *)a)->used, y = ((const struct kept *)b)->used;
  return (x > y) - (x < y);
}

/* Another process may do the same: what is gone already is no failure. */
static void make_room(const char *folder) {
  kept_vector all = list(folder);
  if (all.count > PROOF_CACHE_FILES) {
    qsort(all.data, all.count, sizeof *all.data, by_use);
    for (size_t i = 0; i < all.count - PROOF_CACHE_FILES + SPARE; i++)
      unlink(all.data[i].path);
  }
  for (size_t i = 0; i < all.count; i++)
    mem_free(all.data[i].path);
  vector_clear(&all);
}

/* The folder and those above it. */
static bool make_folder(char *folder) {
  for (char *at = strchr(folder + 1, '/'); at != NULL; at = strchr(at + 1, '/')) {
    *at = '\0';
    mkdir(folder, 0700);
    *at = '/';
  }
  return mkdir(folder, 0700) == 0 || errno == EEXIST;
}

bool proof_cache_keep(const char *question, const struct text *answer, struct text *message) {
  struct text folder, path, body, file;
  char digest[DIGEST_LENGTH + 1];
  text_init(&folder), text_init(&path), text_init(&body), text_init(&file);
  bool kept = false;
  if (!append_folder(&folder))
    text_append(message, "neither XDG_CACHE_HOME nor HOME names a folder");
  else if (!make_folder(folder.data))
    text_format(message, "%s: cannot be made: %s", folder.data, strerror(errno));
  else if (answer->length <= PROOF_CACHE_BYTES && strlen(question) <= QUESTION_MAX) {
    append_path(&path, question);
    text_format(&body, "%s\n%s", question, text_get(answer));
    digest_bytes(digest, body.data, body.length);
    text_format(&file, HEAD "%s\n%s", digest, body.data);
    kept = file_write(path.data, file.data, file.length, message) == STATUS_OK;
    make_room(folder.data);
  }
  text_clear(&folder), text_clear(&path), text_clear(&body), text_clear(&file);
  return kept;
}
