/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/command/command.h"
#include "cli/question/certify/manifest.h"
#include "cli/question/certify/recheck.h"

static char *format_path(const char *format, const char *a, const char *b) {
  struct text path;
  text_init(&path);
  text_format(&path, format, a, b);
  return text_take(&path);
}

/* Removes a folder that this program made: files, and folders of files. */
static void remove_folder(const char *path, int depth) {
  DIR *dir = opendir(path);
  if (dir == NULL)
    return;
  for (const struct dirent *e; (e = readdir(dir)) != NULL;) {
    if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
      continue;
    char *inside = format_path("%s/%s", path, e->d_name);
    if (unlink(inside) != 0 && depth > 0)
      remove_folder(inside, depth - 1);
    mem_free(inside);
  }
  closedir(dir);
  rmdir(path);
}

static enum status cannot(const char *what, const char *path) {
  fprintf(stderr, "tailproof: %s: cannot %s: %s\n", path, what, strerror(errno));
  return STATUS_INTERNAL;
}

static void note_extra(const char *path, void *context) {
  const char **first = context;
  if (*first == NULL)
    *first = mem_copy_text(path, strlen(path));
}

static bool is_empty(const char *path) {
  return rmdir(path) == 0 && mkdir(path, 0777) == 0;
}

/* Whether what is at `path` may be replaced: nothing, an empty folder, or a certificate with
 * nothing else in it. */
static enum status may_replace(const char *path) {
  struct stat what;
  if (lstat(path, &what) != 0)
    return errno == ENOENT ? STATUS_OK : cannot("be written", path);
  if (S_ISDIR(what.st_mode) && is_empty(path))
    return STATUS_OK;
  struct manifest manifest;
  struct text message;
  text_init(&message);
  char *extra = NULL;
  bool ours = S_ISDIR(what.st_mode) && manifest_read(&manifest, path, &message) == STATUS_OK;
  if (ours)
    ours = manifest_extras(&manifest, path, note_extra, &extra) && extra == NULL;
  if (S_ISDIR(what.st_mode))
    manifest_clear(&manifest);
  text_clear(&message);
  if (!ours)
    fprintf(stderr, "tailproof certify: %s is there already and %s%s%s; name a new folder\n", path,
            extra ? "holds \"" : "is no certificate", extra ? extra : "",
            extra ? "\" besides its certificate" : "");
  mem_free(extra);
  return ours ? STATUS_OK : STATUS_USAGE;
}

/* A folder for the protocol's queries, named like it; `name` is relative to `folder`. */
static enum status make_folder(struct text *name, const char *folder, const char *protocol) {
  for (int i = 1; i < 1000; i++) {
    text_clear(name);
    text_format(name, i == 1 ? "%s" : "%s-%d", protocol, i);
    char *path = format_path("%s/%s", folder, name->data);
    int failed = mkdir(path, 0777);
    enum status status = failed && errno != EEXIST ? cannot("make the folder", path) : STATUS_OK;
    mem_free(path);
    if (!failed || status != STATUS_OK)
      return status;
  }
  fprintf(stderr, "tailproof: too many protocols are called %s\n", protocol);
  return STATUS_USAGE;
}

static enum status judge(const struct certificate *certificate, const char *file) {
  if (certificate->interrupted || command_interrupted())
    return STATUS_INTERRUPTED;
  if (certificate->refused != NULL)
    fprintf(stderr, "tailproof: %s: no certificate: %s\n", file, certificate->refused);
  if (certificate->refused != NULL || certificate->open == 0)
    return certificate->refused != NULL ? STATUS_UNKNOWN : STATUS_OK;
  fprintf(stderr, "tailproof: %s: no certificate: %zu obligation%s not proved, for example: %s\n",
          file, certificate->open, certificate->open == 1 ? " is" : "s are",
          certificate->first_open);
  return STATUS_UNKNOWN;
}

static enum status certify_file(const char *file, const char *folder, struct jsonl *protocols,
                                const struct options *options, size_t *count) {
  struct protocol protocol;
  struct text name, message;
  text_init(&name);
  text_init(&message);
  enum status status = protocol_load(&protocol, file, options);
  if (status == STATUS_OK)
    status = make_folder(&name, folder, protocol.model->name);
  if (status == STATUS_OK) {
    struct verify_options how = verify_options(options);
    struct proof_options proof = {.jobs = how.jobs, .limit_ms = how.limit_ms, .stop = how.stop};
    char *path = format_path("%s/%s", folder, name.data);
    struct certificate certificate;
    status = certificate_init(&certificate, protocol.model, &proof, path, &message);
    mem_free(path);
    if (status != STATUS_OK)
      fprintf(stderr, "tailproof: %s\n", text_get(&message));
    else
      status = judge(&certificate, file);
    if (status == STATUS_OK)
      manifest_add(protocols, &protocol, name.data, &certificate);
    *count += certificate.entries.count;
    certificate_clear(&certificate);
  }
  text_clear(&name);
  text_clear(&message);
  protocol_clear(&protocol);
  return status;
}

static enum status write_manifest(const char *folder, struct jsonl *json) {
  struct text message;
  text_init(&message);
  char *path = format_path("%s/%s", folder, MANIFEST_FILE), *text = jsonl_take(json);
  enum status status = file_write(path, text, strlen(text), &message);
  if (status != STATUS_OK)
    fprintf(stderr, "tailproof: %s\n", text_get(&message));
  text_clear(&message);
  mem_free(path);
  mem_free(text);
  return status;
}

/* Puts the finished folder in place of what was there. */
static enum status put_in_place(const char *made, const char *target) {
  struct text old;
  text_init(&old);
  text_format(&old, "%s.old-%ld", target, (long)getpid());
  bool had = rename(target, old.data) == 0;
  enum status status = STATUS_OK;
  if (rename(made, target) != 0) {
    status = cannot("be written", target);
    if (had)
      rename(old.data, target);
  } else if (had) {
    remove_folder(old.data, 1);
  }
  text_clear(&old);
  return status;
}

static void report(const char *target, size_t count, const struct options *options) {
  if (!options->json) {
    printf("%s: %zu obligations of %zu protocol%s\n", target, count, options->file_count,
           options->file_count == 1 ? "" : "s");
    printf("It shows that no event comes later than its bound; that one comes at all, tailproof "
           "verify "
           "says.\n");
    return;
  }
  struct jsonl *line = jsonl_new("certified");
  jsonl_text(line, "folder", target);
  jsonl_integer(line, "obligations", (int64_t)count);
  jsonl_integer(line, "protocols", (int64_t)options->file_count);
  jsonl_print(line);
}

static enum status certify(const struct options *options, const char *target) {
  struct text made;
  text_init(&made);
  text_format(&made, "%s.new-%ld", target, (long)getpid());
  enum status status = may_replace(target);
  if (status == STATUS_OK && mkdir(made.data, 0777) != 0)
    status = cannot("make the folder", made.data);
  if (status == STATUS_OK) {
    struct jsonl *json = manifest_new(), *protocols = jsonl_list(json, "protocols");
    size_t count = 0;
    for (size_t i = 0; i < options->file_count && status == STATUS_OK; i++)
      status = certify_file(options->files[i], made.data, protocols, options, &count);
    if (status == STATUS_OK)
      status = write_manifest(made.data, json);
    else
      jsonl_free(json);
    if (status == STATUS_OK)
      status = put_in_place(made.data, target);
    if (status == STATUS_OK)
      report(target, count, options);
    remove_folder(made.data, 1);
  }
  text_clear(&made);
  return status;
}

enum status command_certify(const struct options *options) {
  if (options->check != NULL && options->out != NULL) {
    fprintf(stderr, "tailproof certify: --out and --check together; give one of them\n");
    return STATUS_USAGE;
  }
  if (options->check != NULL)
    return recheck(options);
  enum status status = need_files(options, "certify", 1, SIZE_MAX);
  if (status == STATUS_OK && options->out == NULL) {
    fprintf(stderr, "tailproof certify: say where to with --out DIR, or check a certificate with "
                    "--check DIR\n");
    status = STATUS_USAGE;
  }
  if (status != STATUS_OK)
    return status;
  size_t length = strlen(options->out);
  while (length > 1 && options->out[length - 1] == '/')
    length--;
  char *target = mem_copy_text(options->out, length);
  status = certify(options, target);
  mem_free(target);
  return status;
}
