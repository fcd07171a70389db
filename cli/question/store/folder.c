/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/store/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

static const char joint_name[] = "joint.csv.gz";
static const char ledger_name[] = "ledger", ledger_head[] = "tailproof-import 1\n";

static char *join(const char *a, const char *between, const char *b, const char *end) {
  struct text path;
  text_init(&path);
  text_format(&path, "%s%s%s%s", a, between, b, end);
  return text_take(&path);
}

static bool is_dots(const char *name) {
  return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* Removes a folder that this program made: files, and folders of files. */
static void remove_folder(const char *path, int depth) {
  DIR *stream = opendir(path);
  if (stream == NULL)
    return;
  for (const struct dirent *entry; (entry = readdir(stream)) != NULL;) {
    if (is_dots(entry->d_name))
      continue;
    char *inside = join(path, "/", entry->d_name, "");
    if (unlink(inside) != 0 && depth > 0)
      remove_folder(inside, depth - 1);
    mem_free(inside);
  }
  closedir(stream);
  rmdir(path);
}

/* --- what may be replaced --- */

static bool is_series_file(const char *name) {
  size_t length = strlen(name);
  return length > 4 && strcmp(name + length - 4, ".tph") == 0;
}

static bool has_ledger(const char *folder) {
  char *path = join(folder, "/", ledger_name, ""), head[sizeof ledger_head] = "";
  FILE *file = fopen(path, "r");
  size_t got = file == NULL ? 0 : fread(head, 1, sizeof head - 1, file);
  if (file != NULL)
    fclose(file);
  mem_free(path);
  return got == sizeof head - 1 && strcmp(head, ledger_head) == 0;
}

/* The first thing in a folder that is neither a series nor the ledger nor the table, nor (with
 * depth) a folder of series: owned, NULL when there is none. */
static char *find_strange(const char *folder, int depth) {
  DIR *stream = opendir(folder);
  if (stream == NULL)
    return mem_copy_text(folder, strlen(folder));
  char *strange = NULL;
  for (const struct dirent *entry; strange == NULL && (entry = readdir(stream)) != NULL;) {
    bool ours = strcmp(entry->d_name, ledger_name) == 0 || strcmp(entry->d_name, joint_name) == 0;
    if (is_dots(entry->d_name) || (depth > 0 && ours))
      continue;
    char *inside = join(folder, "/", entry->d_name, "");
    struct stat about;
    bool there = lstat(inside, &about) == 0;
    if (there && S_ISDIR(about.st_mode) && depth > 0)
      strange = find_strange(inside, depth - 1);
    else if (!there || !S_ISREG(about.st_mode) || !is_series_file(entry->d_name))
      strange = mem_copy_text(inside, strlen(inside));
    mem_free(inside);
  }
  closedir(stream);
  return strange;
}

static bool is_empty(const char *folder) {
  DIR *stream = opendir(folder);
  if (stream == NULL)
    return false;
  bool empty = true;
  for (const struct dirent *entry; (entry = readdir(stream)) != NULL;)
    empty = empty && is_dots(entry->d_name);
  closedir(stream);
  return empty;
}

enum status folder_may_write(const char *path, struct text *message) {
  struct stat about;
  if (lstat(path, &about) != 0) {
    if (errno == ENOENT)
      return STATUS_OK;
    text_format(message, "%s: cannot be written: %s", path, strerror(errno));
    return STATUS_INTERNAL;
  }
  if (!S_ISDIR(about.st_mode)) {
    text_format(message, "%s: is there already and is no folder; name a new one", path);
    return STATUS_USAGE;
  }
  if (is_empty(path))
    return STATUS_OK;
  char *strange = has_ledger(path) ? find_strange(path, 1) : NULL;
  if (has_ledger(path) && strange == NULL)
    return STATUS_OK;
  text_format(message, "%s: is there already and holds %s%s; name a new folder", path,
              strange == NULL ? "what no import wrote" : "also ", strange == NULL ? "" : strange);
  mem_free(strange);
  return STATUS_USAGE;
}

/* --- writing --- */

static enum status fail(struct text *message, const char *path) {
  text_format(message, "%s: cannot be written: %s", path, strerror(errno));
  return STATUS_INTERNAL;
}

static void put_ledger(struct text *ledger, const struct series *series) {
  text_format(ledger, "series %s%s%s observations %" PRIu64 " infinite %" PRIu64 "\n",
              series->group == NULL ? "" : series->group, series->group == NULL ? "" : "/",
              series->name, series->sample.total, series->sample.beyond);
  const struct evidence *evidence = &series->sample.evidence;
  for (size_t i = 0; i < evidence->sources.list.count; i++)
    text_format(ledger, "  from %s\n", evidence->sources.list.data[i]);
  evidence_print(ledger, evidence, "  ");
  for (size_t i = 0; i < series->notes.count; i++)
    text_format(ledger, "  note %s\n", series->notes.data[i]);
}

/* A node's or host's name as a folder's. */
static char *group_folder(const char *folder, const char *group) {
  char *name = mem_copy_text(group, strlen(group));
  for (char *c = name; *c != '\0'; c++)
    if (*c == '/' || (c == name && *c == '.'))
      *c = '_';
  char *path = join(folder, "/", *name == '\0' ? "_" : name, "");
  mem_free(name);
  return path;
}

static enum status write_series(const char *folder, const struct series *series,
                                struct text *message) {
  char *inside = series->group == NULL ? mem_copy_text(folder, strlen(folder))
                                       : group_folder(folder, series->group);
  enum status status = STATUS_OK;
  if (series->group != NULL && mkdir(inside, 0777) != 0 && errno != EEXIST)
    status = fail(message, inside);
  char *path = join(inside, "/", series->name, ".tph");
  struct text text;
  text_init(&text);
  series_print(&text, series);
  if (status == STATUS_OK)
    status = file_write(path, text.data, text.length, message);
  text_clear(&text);
  mem_free(path);
  mem_free(inside);
  return status;
}

static enum status write_joint(const char *folder, const struct joined *joined, struct text *ledger,
                               struct text *message) {
  if (joined->table.length == 0)
    return STATUS_OK;
  text_format(ledger, "joint %s rows %" PRIu64 " occurrences %zu requests %zu\n", joint_name,
              joined->row_count, joined->occurrences, joined->requests);
  for (size_t i = 0; i < joined->notes.count; i++)
    text_format(ledger, "  note %s\n", joined->notes.data[i]);
  for (size_t i = 0; i < joined->unpaired.count; i++)
    text_format(ledger, "  unpaired %s\n", joined->unpaired.data[i]);
  char *path = join(folder, "/", joint_name, "");
  enum status status = file_write_gzip(path, joined->table.data, joined->table.length, message);
  mem_free(path);
  return status;
}

static enum status fill(const char *folder, const struct series_table *table,
                        const struct joined *joined, struct text *message) {
  struct text ledger;
  text_init(&ledger);
  text_append(&ledger, ledger_head);
  enum status status = STATUS_OK;
  for (size_t i = 0; i < table->rows.count && status == STATUS_OK; i++) {
    status = write_series(folder, &table->rows.data[i], message);
    put_ledger(&ledger, &table->rows.data[i]);
  }
  if (status == STATUS_OK)
    status = write_joint(folder, joined, &ledger, message);
  char *path = join(folder, "/", ledger_name, "");
  if (status == STATUS_OK)
    status = file_write(path, ledger.data, ledger.length, message);
  mem_free(path);
  text_clear(&ledger);
  return status;
}

/* Puts the new folder in the place of what is there. */
static bool put_in_place(const char *made, const char *path, const char *aside) {
  bool replaces = !is_empty(path) && access(path, F_OK) == 0;
  if (replaces && rename(path, aside) != 0)
    return false;
  if (rename(made, path) == 0) {
    if (replaces)
      remove_folder(aside, 1);
    return true;
  }
  int cause = errno;
  if (replaces)
    rename(aside, path);
  errno = cause;
  return false;
}

static enum status write_whole(const char *path, const struct series_table *table,
                               const struct joined *joined, struct text *message) {
  char pid[32];
  snprintf(pid, sizeof pid, ".%ld", (long)getpid());
  char *made = join(path, pid, ".tmp", ""), *aside = join(path, pid, ".old", "");
  enum status status = STATUS_OK;
  if (mkdir(made, 0777) != 0)
    status = fail(message, path);
  if (status == STATUS_OK) {
    status = fill(made, table, joined, message);
    if (status == STATUS_OK && !put_in_place(made, path, aside))
      status = fail(message, path);
    if (status != STATUS_OK)
      remove_folder(made, 1);
  }
  mem_free(made);
  mem_free(aside);
  return status;
}

enum status folder_write(const char *path, const struct series_table *table,
                         const struct joined *joined, struct text *message) {
  char *plain = mem_copy_text(path, strlen(path));
  for (size_t length = strlen(plain); length > 1 && plain[length - 1] == '/';)
    plain[--length] = '\0';
  enum status status = folder_may_write(plain, message);
  /* Ctrl-C waits until the folder is whole, or gone. */
  sigset_t ends, before;
  sigemptyset(&ends);
  sigaddset(&ends, SIGINT);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGHUP);
  sigprocmask(SIG_BLOCK, &ends, &before);
  if (status == STATUS_OK)
    status = write_whole(plain, table, joined, message);
  sigprocmask(SIG_SETMASK, &before, NULL);
  if (status == STATUS_INTERNAL)
    text_append(message, "; name a folder with room for it with --out DIR");
  mem_free(plain);
  return status;
}
