/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Work that takes long, on a thread of its own: one job at a time, the others wait in line. A job
 * has its own copy of the text, so what happens to the document meanwhile is no concern of its.
 *
 * The thread says that it has ended by a byte on a pipe; all else happens on the caller's thread.
 */
#ifndef CLI_LSP_JOB_H
#define CLI_LSP_JOB_H

#include <pthread.h>

#include "cli/lsp/document.h"

enum job_kind {
  JOB_VERIFY, /* a verdict for each bound */
  JOB_INSERT, /* what inference finds, inserted into the text */
};

struct job_options {
  size_t jobs;       /* threads of the solver; 0: no job is ever begun (for tests) */
  unsigned limit_ms; /* for one obligation, see proof_options */
  unsigned seed;
};

/* Owns its parts. Those under "result" belong to the thread until it has ended. */
struct job {
  enum job_kind kind;
  struct job_options options;
  size_t number;   /* no two jobs have the same */
  char *uri;       /* of the document */
  size_t revision; /* of its text */
  struct source *source;
  json_t *request; /* the id of the request that it answers, or NULL */
  bool begun;      /* the editor shows its progress */
  volatile int stop;
  pthread_t thread;
  int ended; /* end of the pipe to write to */
  /* result */
  struct verdicts verdicts; /* VERIFY */
  bool found;               /* INSERT: `text` is the new one */
  struct text text;
  struct text message; /* INSERT: one line for the user */
};

struct job_line {
  struct job_options options;
  struct job *running; /* or NULL */
  VECTOR(struct job *) waiting;
  size_t numbers;
  int pipe[2];
};

/* Ends the program when the machine has no pipe left. */
void job_line_init(struct job_line *line, const struct job_options *options);

/* Stops and drops all jobs, and waits for the one that runs. */
void job_line_clear(struct job_line *line);

/* Becomes readable when the running job has ended. */
int job_line_signal(const struct job_line *line);

/* Puts a job into the line. `request` is borrowed. */
void job_line_add(struct job_line *line, enum job_kind kind, const struct open_document *document,
                  json_t *request);

/* Begins the next job when none runs. The job, or NULL: none was begun. */
struct job *job_line_begin(struct job_line *line);

/* The running job, after the signal: it has ended, and is the caller's to job_free. */
struct job *job_line_finish(struct job_line *line);

/* Takes a waiting job out of the line: of this document (or of any: NULL) and of this request (or
 * any: NULL). It is the caller's to job_free; NULL: there is none. */
struct job *job_line_take(struct job_line *line, const char *uri, json_t *request);

/* Asks the running job to stop, when it is of this document and request (or any: NULL). */
void job_line_stop(struct job_line *line, const char *uri, json_t *request);

/* Whether a verification of this text waits or runs. */
bool job_line_has_verification(const struct job_line *line, const struct open_document *document);

void job_free(struct job *job);

/* job_work.c: what the thread does. */
void job_work(struct job *job);

#endif
