/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/generate/generate.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "cli/question/verify/protocol.h"
#include "generate/library.h"
#include "lang/source.h"

static enum status find_role(const struct role **role, const struct protocol *protocol,
                             const struct code_request *request) {
  *role = NULL;
  const struct model *model = protocol->model;
  for (size_t i = 0; request->role != NULL && i < model->roles.count; i++)
    if (strcmp(model->roles.items[i]->name, request->role) == 0)
      *role = model->roles.items[i];
  if (request->role != NULL && *role == NULL)
    return asker_fail(request->asker, STATUS_USAGE, "%s: has no role \"%s\"", request->path,
                      request->role);
  if (*role != NULL && (*role)->external)
    return asker_fail(request->asker, STATUS_USAGE, "%s: role %s is external: it takes no steps",
                      request->path, request->role);
  return STATUS_OK;
}

static enum status make_folder(const struct code_request *request) {
  if (mkdir(request->out, 0777) == 0 || errno == EEXIST)
    return STATUS_OK;
  return asker_fail(request->asker, STATUS_INTERNAL, "%s: cannot be made: %s", request->out,
                    strerror(errno));
}

static void put_path(struct text *path, const char *folder, const struct generated_file *file) {
  text_clear(path);
  text_format(path, "%s/%s", folder, file->name);
}

/* A template is the user's as soon as it is there. */
static bool is_kept(const struct generated_file *file, const char *path) {
  struct stat info;
  return file->own && stat(path, &info) == 0;
}

static enum status write_library(const struct code_request *request, struct text *message) {
  enum status status = STATUS_OK;
  struct text path;
  text_init(&path);
  for (size_t i = 0; i < library_file_count && status == STATUS_OK; i++) {
    const struct library_file *file = &library_files[i];
    if (file->loop && !request->loop)
      continue;
    text_clear(&path);
    text_format(&path, "%s/%s", request->out, file->name);
    status = file_write(text_get(&path), file->text, strlen(file->text), message);
    if (status == STATUS_OK && file->executable && chmod(text_get(&path), 0755) != 0) {
      text_format(message, "%s: %s", text_get(&path), strerror(errno));
      status = STATUS_INTERNAL;
    }
  }
  text_clear(&path);
  return status;
}

static enum status write_files(struct code_answer *answer, const struct code_request *request) {
  enum status status = make_folder(request);
  struct text path, message;
  text_init(&path);
  text_init(&message);
  for (size_t i = 0; i < answer->generated.files.count && status == STATUS_OK; i++) {
    const struct generated_file *file = &answer->generated.files.data[i];
    put_path(&path, request->out, file);
    if (!is_kept(file, text_get(&path)))
      status = file_write(text_get(&path), file->text, strlen(file->text), &message);
  }
  if (status == STATUS_OK)
    status = write_library(request, &message);
  if (message.length != 0)
    asker_say(request->asker, SAYING_FAILURE, "%s", text_get(&message));
  text_clear(&path);
  text_clear(&message);
  return status;
}

enum { CODE_LIMIT = 64 << 20 };

static enum status check_file(struct code_answer *answer, const struct code_request *request,
                              const struct generated_file *file) {
  struct text path, message;
  text_init(&path);
  text_init(&message);
  put_path(&path, request->check, file);
  char *bytes;
  size_t length;
  enum status status = file_read(text_get(&path), CODE_LIMIT, &bytes, &length, &message);
  if (status != STATUS_OK)
    asker_say(request->asker, SAYING_FAILURE, "%s", text_get(&message));
  else if (!generated_compare(&answer->stale, file, bytes, text_get(&path)))
    status = STATUS_REFUTED;
  mem_free(bytes);
  text_clear(&path);
  text_clear(&message);
  return status;
}

/* The proof rests on the library, and is done by the scripts: both as this program has them. */
static enum status check_library(struct code_answer *answer, const struct code_request *request,
                                 const struct library_file *file) {
  struct text path, message;
  text_init(&path);
  text_init(&message);
  text_format(&path, "%s/%s", request->check, file->name);
  char *bytes;
  size_t length;
  enum status status = file_read(text_get(&path), CODE_LIMIT, &bytes, &length, &message);
  if (status != STATUS_OK) {
    asker_say(request->asker, SAYING_FAILURE, "%s", text_get(&message));
  } else if (length != strlen(file->text) || memcmp(bytes, file->text, length) != 0) {
    text_format(&answer->stale, "%s: not what generate writes now\n", text_get(&path));
    status = STATUS_REFUTED;
  }
  mem_free(bytes);
  text_clear(&path);
  text_clear(&message);
  return status;
}

static enum status check_files(struct code_answer *answer, const struct code_request *request) {
  enum status worst = STATUS_OK;
  for (size_t i = 0; i < answer->generated.files.count; i++) {
    const struct generated_file *file = &answer->generated.files.data[i];
    if (!file->own && !file->body)
      worst = status_worst(worst, check_file(answer, request, file));
  }
  for (size_t i = 0; i < library_file_count; i++) {
    const struct library_file *file = &library_files[i];
    if (!file->loop || request->loop)
      worst = status_worst(worst, check_library(answer, request, file));
  }
  return worst;
}

/* "specs/lock.tp" as the files name it: without the folder. */
static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash == NULL ? path : slash + 1;
}

static enum status make(struct code_answer *answer, const struct code_request *request,
                        const struct protocol *protocol) {
  const struct role *role;
  enum status status = find_role(&role, protocol, request);
  if (status != STATUS_OK)
    return status;
  struct generate_request wanted = {
      protocol->model,         protocol->ast, base_name(request->path), role,
      request->contracts_only, request->loop, request->own_state};
  if (generate(&answer->generated, &wanted))
    return request->check != NULL ? check_files(answer, request) : write_files(answer, request);
  struct place place = source_place(protocol->source, answer->generated.refused_at.start);
  return asker_fail(request->asker, STATUS_DATA, "%s:%zu:%zu: %s", request->path, place.line,
                    place.column, text_get(&answer->generated.refusal));
}

enum status code_ask(struct code_answer *answer, const struct code_request *request) {
  *answer = (struct code_answer){0};
  struct protocol protocol;
  enum status status = protocol_load(&protocol, request->path, request->asker);
  if (status == STATUS_OK)
    status = make(answer, request, &protocol);
  protocol_clear(&protocol);
  return status;
}

void code_answer_clear(struct code_answer *answer) {
  generated_clear(&answer->generated);
  text_clear(&answer->stale);
}
