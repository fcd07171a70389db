/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `tailproof examples`: a copy of what the pages name by its path, to be changed and run. Installed
 * files stay as they are.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/command/installed.h"
#include "cli/command/rows.h"

enum { BLOCK = 65536 };

/* Beside what is copied: what `record --node` loads. */
static const char left_out[] = "node";

static enum status complain(const char *path, int error) {
  fprintf(stderr, "tailproof examples: %s: %s\n", path, strerror(error));
  return STATUS_INTERNAL;
}

static bool write_all(int to, const char *bytes, size_t size) {
  while (size > 0) {
    ssize_t wrote = write(to, bytes, size);
    if (wrote < 0)
      return false;
    bytes += wrote;
    size -= (size_t)wrote;
  }
  return true;
}

static bool copy_bytes(int from, int to) {
  static char bytes[BLOCK];
  for (;;) {
    ssize_t got = read(from, bytes, sizeof bytes);
    if (got <= 0)
      return got == 0;
    if (!write_all(to, bytes, (size_t)got))
      return false;
  }
}

/* 0, or an errno. What is there already is not replaced. */
static int copy_file(const char *from, const char *to, bool program) {
  int in = open(from, O_RDONLY | O_CLOEXEC);
  if (in < 0)
    return errno;
  int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, program ? 0777 : 0666);
  bool good = out >= 0 && copy_bytes(in, out);
  int error = good ? 0 : errno;
  close(in);
  if (out >= 0 && close(out) != 0 && error == 0)
    error = errno;
  return error;
}

/* One file or folder of the tree; 0, or an errno. A page that was not installed is a link that leads
 * nowhere. */
static int copy_entry(const FTSENT *entry, const char *to) {
  switch (entry->fts_info) {
  case FTS_D:
    return mkdir(to, 0777) == 0 || (entry->fts_level == 0 && errno == EEXIST) ? 0 : errno;
  case FTS_F:
    return copy_file(entry->fts_accpath, to, (entry->fts_statp->st_mode & S_IXUSR) != 0);
  case FTS_DP:
  case FTS_SLNONE:
    return 0;
  default:
    return entry->fts_errno != 0 ? entry->fts_errno : EINVAL;
  }
}

/* Of links what they lead to is copied. */
static enum status copy_tree(const char *from, const char *to) {
  char *roots[] = {(char *)(uintptr_t)from, NULL};
  FTS *tree = fts_open(roots, FTS_LOGICAL | FTS_NOCHDIR, NULL);
  if (tree == NULL)
    return complain(from, errno);
  enum status status = STATUS_OK;
  for (FTSENT *entry; status == STATUS_OK && (entry = fts_read(tree)) != NULL;) {
    if (entry->fts_level == 1 && strcmp(entry->fts_name, left_out) == 0) {
      fts_set(tree, entry, FTS_SKIP);
      continue;
    }
    struct text path;
    text_init(&path);
    text_format(&path, "%s%s", to, entry->fts_path + strlen(from));
    int error = copy_entry(entry, text_get(&path));
    if (error != 0)
      status = complain(text_get(&path), error);
    text_clear(&path);
  }
  fts_close(tree);
  return status;
}

/* Containers often leave out share/doc, where a package has its examples. */
static enum status refuse_absent(const char *installed) {
  struct text path;
  text_init(&path);
  text_format(&path, "%s/examples", installed);
  bool absent = access(text_get(&path), R_OK) != 0;
  text_clear(&path);
  if (absent)
    fprintf(stderr,
            "tailproof examples: %s/../doc/tailproof/examples was not installed: this system "
            "leaves such folders out (path-exclude in /etc/dpkg); copy it from the source\n",
            installed);
  return absent ? STATUS_UNAVAILABLE : STATUS_OK;
}

static enum status refuse_full(const char *folder) {
  DIR *stream = opendir(folder);
  if (stream == NULL)
    return errno == ENOENT ? STATUS_OK : complain(folder, errno);
  bool full = false;
  for (const struct dirent *entry; !full && (entry = readdir(stream)) != NULL;)
    full = strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
  closedir(stream);
  if (full)
    fprintf(stderr, "tailproof examples: %s: holds something already; name a new folder\n", folder);
  return full ? STATUS_USAGE : STATUS_OK;
}

static enum status run(const void *options) {
  static const char *const places[] = {"../share/tailproof"};
  const struct command_line *line = options;
  enum status status = need_files(line, 1, 1, "a folder for the copy");
  if (status != STATUS_OK)
    return status;
  char *installed = installed_find(places, 1);
  if (installed == NULL) {
    fprintf(stderr, "tailproof examples: ../share/tailproof is not beside this program; make "
                    "install puts it there, and the source has the examples\n");
    return STATUS_UNAVAILABLE;
  }
  const char *folder = line->files[0];
  status = refuse_absent(installed);
  if (status == STATUS_OK)
    status = refuse_full(folder);
  if (status == STATUS_OK)
    status = copy_tree(installed, folder);
  free(installed);
  if (status == STATUS_OK)
    printf("%s: specs, examples, and the pages whose commands run there\n", folder);
  return status;
}

static const struct option_row no_rows[] = {{0}};

const struct command examples_command = {
    "examples",
    "DIR",
    "copy the protocols and systems that the pages name into a new folder, to run and change",
    no_rows,
    sizeof(struct command_line),
    NULL,
    run,
    NULL};
