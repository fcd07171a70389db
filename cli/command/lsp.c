/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A language server between standard input and output. What anything else prints goes to standard
 * error, so that it never stands between two messages. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/command/rows.h"
#include "cli/lsp/server.h"

enum { PIECE = 64 * 1024 };

struct stream {
  struct lsp_server server;
  struct framing framing;
  int output;
};

/* False when nobody reads any more. */
static bool flush(struct stream *stream) {
  struct text *out = &stream->server.out;
  size_t done = 0;
  while (done < out->length) {
    ssize_t written = write(stream->output, out->data + done, out->length - done);
    if (written < 0 && errno != EINTR)
      return false;
    done += written > 0 ? (size_t)written : 0;
  }
  text_clear(out);
  return true;
}

static enum status complain(const char *what) {
  fprintf(stderr, "tailproof lsp: <stdin>: %s\n", what);
  return STATUS_DATA;
}

/* All messages that are there. */
static enum status take_messages(struct stream *stream) {
  struct text message;
  text_init(&message);
  const char *content;
  size_t length;
  enum framing_result result = FRAMING_MESSAGE;
  enum status status = STATUS_OK;
  while (stream->server.state != SERVER_ENDED && result == FRAMING_MESSAGE) {
    result = framing_next(&stream->framing, &content, &length, &message);
    if (result == FRAMING_MESSAGE)
      server_take(&stream->server, content, length);
  }
  if (result == FRAMING_BROKEN)
    status = complain(text_get(&message));
  text_clear(&message);
  return status;
}

static enum status take_bytes(struct stream *stream) {
  char bytes[PIECE];
  ssize_t got = read(STDIN_FILENO, bytes, sizeof bytes);
  if (got < 0)
    return errno == EINTR ? STATUS_OK : complain("cannot be read");
  if (got == 0) {
    bool whole = framing_is_empty(&stream->framing);
    server_take_end(&stream->server);
    return whole ? STATUS_OK : complain("ends in the middle of a message");
  }
  framing_feed(&stream->framing, bytes, (size_t)got);
  return take_messages(stream);
}

static enum status serve(struct stream *stream) {
  struct pollfd waits[] = {{.fd = STDIN_FILENO, .events = POLLIN},
                           {.fd = job_line_signal(&stream->server.jobs), .events = POLLIN}};
  enum status status = STATUS_OK;
  while (status == STATUS_OK && stream->server.state != SERVER_ENDED) {
    if (poll(waits, 2, -1) < 0)
      continue;
    if (waits[1].revents != 0)
      server_take_job(&stream->server);
    if (waits[0].revents != 0)
      status = take_bytes(stream);
    if (!flush(stream)) {
      server_take_end(&stream->server);
      break;
    }
  }
  return status_worst(status, stream->server.status);
}

struct arguments {
  struct command_line line;
  struct effort effort;
  bool stdio;
};

static const struct option_row rows[] = {
    ROW_JOBS(offsetof(struct arguments, effort.jobs)),
    ROW_TIMEOUT(offsetof(struct arguments, effort.timeout_ms)),
    OPTION("stdio", 0, NULL,
           "changes nothing: editors may say where the server is to talk, which is standard input "
           "and output anyway",
           option_flag, offsetof(struct arguments, stdio)),
    {0},
};

static void prepare(void *options) {
  struct arguments *typed = options;
  typed->effort = command_effort();
}

static enum status run(const void *options) {
  const struct arguments *typed = options;
  if (typed->line.file_count != 0)
    return option_complain("lsp", "it takes no file, unlike", typed->line.files[0],
                           "the editor sends them");
  struct job_options jobs = {
      .jobs = typed->effort.jobs, .limit_ms = typed->effort.timeout_ms, .seed = typed->effort.seed};
  struct stream stream = {.output = dup(STDOUT_FILENO)};
  if (stream.output < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
    fprintf(stderr, "tailproof lsp: standard output cannot be used: %s\n", strerror(errno));
    return STATUS_INTERNAL;
  }
  signal(SIGPIPE, SIG_IGN);
  server_init(&stream.server, &jobs);
  enum status status = serve(&stream);
  server_clear(&stream.server);
  framing_clear(&stream.framing);
  close(stream.output);
  return status;
}

const struct command lsp_command = {
    "lsp",
    "",
    "serve an editor over standard input and output (Language Server Protocol)",
    rows,
    sizeof(struct arguments),
    prepare,
    run,
    NULL};
