/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/verify/protocol.h"

#include <string.h>

#include "base/text.h"
#include "lang/check.h"
#include "lang/diagnostic.h"
#include "lang/parse.h"
#include "lang/source.h"
#include "solver/verify.h"

static void tell(const struct asker *asker, const char *path, const struct source *source,
                 const struct diagnostics *diagnostics, const char *failure) {
  if (asker->read != NULL)
    asker->read(asker->context, path, source, diagnostics, failure);
}

enum status protocol_load(struct protocol *p, const char *path, const struct asker *asker) {
  memset(p, 0, sizeof *p);
  struct text message;
  text_init(&message);
  p->diagnostics = mem_alloc(1, sizeof *p->diagnostics);
  diagnostics_init(p->diagnostics);
  enum status status = source_load(&p->source, path, &message);
  if (status != STATUS_OK) {
    asker_fail(asker, status, "%s", text_get(&message));
    tell(asker, path, NULL, p->diagnostics, text_get(&message));
  } else {
    p->ast = parse(p->source, p->diagnostics);
    if (error_count(p->diagnostics) == 0)
      p->model = check(p->ast, p->source, p->diagnostics);
    diagnostics_sort(p->diagnostics);
    tell(asker, path, p->source, p->diagnostics, NULL);
    status = error_count(p->diagnostics) == 0 ? STATUS_OK : STATUS_DATA;
  }
  text_clear(&message);
  return status;
}

void protocol_clear(struct protocol *p) {
  if (p->diagnostics != NULL)
    diagnostics_clear(p->diagnostics);
  mem_free(p->diagnostics);
  model_free(p->model);
  ast_free(p->ast);
  source_free(p->source);
  *p = (struct protocol){0};
}

static void list_bounds(struct text *text, const struct model *model) {
  for (size_t i = 0; i < model->bounds.count; i++)
    text_format(text, "%s%s", i == 0 ? "" : ", ", model->bounds.items[i]->name);
  if (model->bounds.count == 0)
    text_append(text, "none");
}

const struct bound *protocol_bound(const struct protocol *p, const char *name,
                                   const struct asker *asker) {
  const struct model *model = p->model;
  if (name == NULL && model->bounds.count == 1)
    return model->bounds.items[0];
  for (size_t i = 0; name != NULL && i < model->bounds.count; i++)
    if (strcmp(model->bounds.items[i]->name, name) == 0)
      return model->bounds.items[i];
  struct text text;
  text_init(&text);
  text_format(&text, "%s: ", p->source->name);
  if (name == NULL)
    text_append(&text, "say which bound with --bound; there are: ");
  else
    text_format(&text, "no bound is called \"%s\"; there are: ", name);
  list_bounds(&text, model);
  asker_say(asker, SAYING_FAILURE, "%s", text.data);
  text_clear(&text);
  return NULL;
}

struct verify_options effort_options(const struct effort *effort, const struct asker *asker) {
  return (struct verify_options){.jobs = effort->jobs,
                                 .limit_ms = effort->timeout_ms,
                                 .seed = effort->seed,
                                 .search_seconds = 5,
                                 .stop = asker->stop};
}
