/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/certify/certify.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/jsonl.h"
#include "base/memory.h"
#include "cli/question/certify/manifest.h"

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

static enum status cannot(const struct asker *asker, const char *what, const char *path) {
  return asker_fail(asker, STATUS_INTERNAL, "%s: cannot %s: %s", path, what, strerror(errno));
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
static enum status may_replace(const char *path, const struct asker *asker) {
  struct stat what;
  if (lstat(path, &what) != 0)
    return errno == ENOENT ? STATUS_OK : cannot(asker, "be written", path);
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
    asker_fail(asker, STATUS_USAGE, "%s is there already and %s%s%s; name a new folder", path,
               extra ? "holds \"" : "is no certificate", extra ? extra : "",
               extra ? "\" besides its certificate" : "");
  mem_free(extra);
  return ours ? STATUS_OK : STATUS_USAGE;
}

/* A folder for the protocol's queries, named like it; `name` is relative to `folder`. */
static enum status make_folder(struct text *name, const char *folder, const char *protocol,
                               const struct asker *asker) {
  for (int i = 1; i < 1000; i++) {
    text_clear(name);
    text_format(name, i == 1 ? "%s" : "%s-%d", protocol, i);
    char *path = format_path("%s/%s", folder, name->data);
    int failed = mkdir(path, 0777);
    enum status status =
        failed && errno != EEXIST ? cannot(asker, "make the folder", path) : STATUS_OK;
    mem_free(path);
    if (!failed || status != STATUS_OK)
      return status;
  }
  asker_say(asker, SAYING_FAILURE, "too many protocols are called %s", protocol);
  return STATUS_USAGE;
}

static enum status judge(const struct certificate *certificate, const char *file,
                         const struct asker *asker) {
  if (certificate->interrupted || asker_stopped(asker))
    return STATUS_INTERRUPTED;
  if (certificate->refused != NULL)
    return asker_fail(asker, STATUS_UNKNOWN, "%s: no certificate: %s", file, certificate->refused);
  if (certificate->open == 0)
    return STATUS_OK;
  return asker_fail(
      asker, STATUS_UNKNOWN, "%s: no certificate: %zu obligation%s not proved, for example: %s",
      file, certificate->open, certificate->open == 1 ? " is" : "s are", certificate->first_open);
}

/* One protocol's obligations, into a folder of its own. */
static enum status write_protocol(struct certify_answer *answer, const struct protocol *protocol,
                                  const char *file, const char *folder, struct jsonl *protocols,
                                  const struct certify_request *request) {
  struct text name, message;
  text_init(&name);
  text_init(&message);
  enum status status = make_folder(&name, folder, protocol->model->name, request->asker);
  if (status == STATUS_OK) {
    struct proof_options proof = {.jobs = request->effort.jobs,
                                  .limit_ms = request->effort.timeout_ms,
                                  .stop = request->asker->stop};
    char *path = format_path("%s/%s", folder, name.data);
    struct certificate certificate;
    status = certificate_init(&certificate, protocol->model, &proof, path, &message);
    mem_free(path);
    if (status != STATUS_OK)
      asker_fail(request->asker, status, "%s", text_get(&message));
    else
      status = judge(&certificate, file, request->asker);
    if (status == STATUS_OK)
      manifest_add(protocols, protocol, name.data, &certificate);
    answer->obligations += certificate.entries.count;
    certificate_clear(&certificate);
  }
  text_clear(&name);
  text_clear(&message);
  return status;
}

static enum status write_manifest(const char *folder, struct jsonl *json,
                                  const struct asker *asker) {
  struct text message;
  text_init(&message);
  char *path = format_path("%s/%s", folder, MANIFEST_FILE), *text = jsonl_take(json);
  enum status status = file_write(path, text, strlen(text), &message);
  if (status != STATUS_OK)
    asker_fail(asker, status, "%s", text_get(&message));
  text_clear(&message);
  mem_free(path);
  mem_free(text);
  return status;
}

/* Puts the finished folder in place of what was there. */
static enum status put_in_place(const char *made, const char *target, const struct asker *asker) {
  struct text old;
  text_init(&old);
  text_format(&old, "%s.old-%ld", target, (long)getpid());
  bool had = rename(target, old.data) == 0;
  enum status status = STATUS_OK;
  if (rename(made, target) != 0) {
    status = cannot(asker, "be written", target);
    if (had)
      rename(old.data, target);
  } else if (had) {
    remove_folder(old.data, 1);
  }
  text_clear(&old);
  return status;
}

static enum status write_all(struct certify_answer *answer, const char *folder,
                             const struct certify_request *request) {
  struct jsonl *json = manifest_new(), *protocols = jsonl_list(json, "protocols");
  enum status status = STATUS_OK;
  for (size_t i = 0; i < request->file_count && status == STATUS_OK; i++) {
    struct protocol protocol;
    status = protocol_load(&protocol, request->files[i], request->asker);
    if (status == STATUS_OK)
      status = write_protocol(answer, &protocol, request->files[i], folder, protocols, request);
    protocol_clear(&protocol);
  }
  if (status == STATUS_OK)
    status = write_manifest(folder, json, request->asker);
  else
    jsonl_free(json);
  return status;
}

enum status certify_ask(struct certify_answer *answer, const struct certify_request *request) {
  const struct asker *asker = request->asker;
  size_t length = strlen(request->out);
  while (length > 1 && request->out[length - 1] == '/')
    length--;
  *answer = (struct certify_answer){.folder = mem_copy_text(request->out, length)};
  struct text made;
  text_init(&made);
  text_format(&made, "%s.new-%ld", answer->folder, (long)getpid());
  enum status status = may_replace(answer->folder, asker);
  if (status == STATUS_OK && mkdir(made.data, 0777) != 0)
    status = cannot(asker, "make the folder", made.data);
  if (status == STATUS_OK) {
    status = write_all(answer, made.data, request);
    if (status == STATUS_OK)
      status = put_in_place(made.data, answer->folder, asker);
    remove_folder(made.data, 1);
  }
  text_clear(&made);
  return status;
}

void certify_answer_clear(struct certify_answer *answer) {
  mem_free(answer->folder);
}
