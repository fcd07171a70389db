/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "cli/command/command.h"
#include "cli/present/findings.h"
#include "cli/present/json.h"
#include "cli/present/terminal.h"
#include "lang/check.h"
#include "lang/parse.h"

void protocol_print_diagnostics(const struct diagnostics *diagnostics, const struct source *source,
                                const struct options *options) {
  if (options->findings != NULL) {
    findings_add_diagnostics(options->findings, diagnostics, source);
    return;
  }
  if (!options->json) {
    struct text text;
    text_init(&text);
    diagnostics_print(&text, diagnostics, source, terminal_has_colour(STDERR_FILENO));
    fputs(text_get(&text), stderr);
    text_clear(&text);
    return;
  }
  for (size_t i = 0; i < diagnostics->items.count; i++) {
    struct diagnostic_view view = diagnostics_view(diagnostics, i, source);
    struct jsonl *line = jsonl_new("diagnostic");
    jsonl_text(line, "file", source->name);
    jsonl_integer(line, "line", (int64_t)view.line);
    jsonl_integer(line, "column", (int64_t)view.column);
    jsonl_text(line, "code", view.code);
    jsonl_text(line, "severity", view.severity);
    jsonl_text(line, "message", view.message);
    jsonl_text(line, "hint", view.hint);
    jsonl_print(line);
  }
}

enum status protocol_load(struct protocol *p, const char *path, const struct options *options) {
  memset(p, 0, sizeof *p);
  struct text message;
  text_init(&message);
  enum status status = source_load(&p->source, path, &message);
  if (options->findings != NULL)
    findings_add_file(options->findings, p->source != NULL ? p->source->name : path);
  if (status != STATUS_OK) {
    fprintf(stderr, "tailproof: %s\n", text_get(&message));
    if (options->findings != NULL)
      findings_add_unreadable(options->findings, path, text_get(&message));
    text_clear(&message);
    return status;
  }
  struct diagnostics diagnostics;
  diagnostics_init(&diagnostics);
  p->ast = parse(p->source, &diagnostics);
  if (error_count(&diagnostics) == 0)
    p->model = check(p->ast, p->source, &diagnostics);
  diagnostics_sort(&diagnostics);
  protocol_print_diagnostics(&diagnostics, p->source, options);
  status = error_count(&diagnostics) == 0 ? STATUS_OK : STATUS_DATA;
  diagnostics_clear(&diagnostics);
  text_clear(&message);
  return status;
}

void protocol_clear(struct protocol *p) {
  model_free(p->model);
  ast_free(p->ast);
  source_free(p->source);
}

static void list_bounds(const struct model *model) {
  for (size_t i = 0; i < model->bounds.count; i++)
    fprintf(stderr, "%s%s", i == 0 ? "" : ", ", model->bounds.items[i]->name);
  fputs(model->bounds.count == 0 ? "none\n" : "\n", stderr);
}

const struct bound *protocol_bound(const struct protocol *p, const char *name) {
  const struct model *model = p->model;
  if (name == NULL && model->bounds.count == 1)
    return model->bounds.items[0];
  for (size_t i = 0; name != NULL && i < model->bounds.count; i++)
    if (strcmp(model->bounds.items[i]->name, name) == 0)
      return model->bounds.items[i];
  if (name == NULL)
    fprintf(stderr, "tailproof: %s: say which bound with --bound; there are: ", p->source->name);
  else
    fprintf(stderr, "tailproof: %s: no bound is called \"%s\"; there are: ", p->source->name, name);
  list_bounds(model);
  return NULL;
}

enum status need_files(const struct options *options, const char *command, size_t least,
                       size_t most) {
  if (options->file_count >= least && options->file_count <= most)
    return STATUS_OK;
  const char *what = least == 2 ? "name a pair to compare: two files, or two folders"
                     : options->file_count < least ? "name a protocol file"
                                                   : "name only one protocol file";
  fprintf(stderr, "tailproof %s: %s; see tailproof %s --help\n", command, what, command);
  return STATUS_USAGE;
}

static volatile sig_atomic_t interrupted;
static volatile int stop;

static void on_interrupt(int signal_number) {
  (void)signal_number;
  if (interrupted)
    _exit(STATUS_INTERRUPTED);
  interrupted = 1;
  stop = 1;
}

bool command_interrupted(void) {
  return interrupted != 0;
}

struct verify_options verify_options(const struct options *options) {
  struct sigaction action = {.sa_handler = on_interrupt};
  sigaction(SIGINT, &action, NULL);
  return (struct verify_options){.jobs = options->jobs,
                                 .limit_ms = options->timeout_ms,
                                 .seed = options->seed,
                                 .explain = options->explain,
                                 .search_seconds = 5,
                                 .stop = &stop};
}
