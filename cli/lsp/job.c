/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/lsp/job.h"
#include "lang/source.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

void job_line_init(struct job_line *line, const struct job_options *options) {
  *line = (struct job_line){.options = *options};
  if (pipe(line->pipe) != 0)
    bug("no pipe for the worker");
  for (size_t i = 0; i < 2; i++)
    fcntl(line->pipe[i], F_SETFD, FD_CLOEXEC);
}

void job_free(struct job *job) {
  if (job == NULL)
    return;
  verdicts_clear(&job->verdicts);
  source_free(job->source);
  json_decref(job->request);
  text_clear(&job->text);
  text_clear(&job->message);
  mem_free(job->uri);
  mem_free(job);
}

void job_line_clear(struct job_line *line) {
  job_line_stop(line, NULL, NULL);
  for (size_t i = 0; i < line->waiting.count; i++)
    job_free(line->waiting.data[i]);
  vector_clear(&line->waiting);
  if (line->running != NULL)
    job_free(job_line_finish(line));
  close(line->pipe[0]);
  close(line->pipe[1]);
}

int job_line_signal(const struct job_line *line) {
  return line->pipe[0];
}

void job_line_add(struct job_line *line, enum job_kind kind, const struct open_document *document,
                  json_t *request) {
  struct job *job = mem_alloc(1, sizeof *job);
  job->kind = kind;
  job->options = line->options;
  job->number = ++line->numbers;
  job->uri = mem_copy_text(document->uri, strlen(document->uri));
  job->revision = document->revision;
  job->source = source_from_text(document->uri, document->source->bytes, document->source->length);
  job->request = json_incref(request);
  job->ended = line->pipe[1];
  verdicts_init(&job->verdicts);
  vector_push(&line->waiting, job);
}

static void *run(void *context) {
  struct job *job = context;
  job_work(job);
  ssize_t written;
  do
    written = write(job->ended, "", 1);
  while (written == 0);
  return NULL;
}

static struct job *take_at(struct job_line *line, size_t index) {
  struct job *job = line->waiting.data[index];
  line->waiting.count--;
  for (size_t i = index; i < line->waiting.count; i++)
    line->waiting.data[i] = line->waiting.data[i + 1];
  return job;
}

struct job *job_line_begin(struct job_line *line) {
  if (line->running != NULL || line->waiting.count == 0 || line->options.jobs == 0)
    return NULL;
  line->running = take_at(line, 0);
  if (pthread_create(&line->running->thread, NULL, run, line->running) != 0)
    bug("no thread for the worker");
  return line->running;
}

struct job *job_line_finish(struct job_line *line) {
  struct job *job = line->running;
  char byte;
  ssize_t got;
  pthread_join(job->thread, NULL);
  do
    got = read(line->pipe[0], &byte, 1);
  while (got < 0);
  line->running = NULL;
  return job;
}

static bool is_of(const struct job *job, const char *uri, json_t *request) {
  return (uri == NULL || strcmp(job->uri, uri) == 0) &&
         (request == NULL || json_equal(job->request, request));
}

struct job *job_line_take(struct job_line *line, const char *uri, json_t *request) {
  for (size_t i = 0; i < line->waiting.count; i++)
    if (is_of(line->waiting.data[i], uri, request))
      return take_at(line, i);
  return NULL;
}

void job_line_stop(struct job_line *line, const char *uri, json_t *request) {
  if (line->running != NULL && is_of(line->running, uri, request))
    line->running->stop = 1;
}

static bool verifies(const struct job *job, const struct open_document *document) {
  return job->kind == JOB_VERIFY && job->revision == document->revision && job->stop == 0 &&
         strcmp(job->uri, document->uri) == 0;
}

bool job_line_has_verification(const struct job_line *line, const struct open_document *document) {
  for (size_t i = 0; i < line->waiting.count; i++)
    if (verifies(line->waiting.data[i], document))
      return true;
  return line->running != NULL && verifies(line->running, document);
}
