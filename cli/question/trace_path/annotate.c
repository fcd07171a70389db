/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/trace_path/annotate.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/beside.h"
#include "base/hash.h"
#include "base/index.h"
#include "base/text.h"

/* What a row has of its request's path, in ns. */
struct share {
  int64_t work, network, work_if_free;
  uint32_t request; /* index into the store's requests */
  bool written;
};

struct annotation {
  struct trace_path *answer;
  struct share *shares; /* by row */
  struct index index;   /* of rows, by the ids of request and span */
};

static uint64_t hash_ids(struct slice request, struct slice span) {
  return hash_bytes(hash_bytes(0, request), span);
}

/* Adds what each row has of the paths of a graph. */
static void add_paths(struct annotation *annotation, const struct request_graph *graph,
                      bool is_free) {
  struct request_path path = {0};
  for (size_t f = 0; f < graph->flows.count; f++) {
    const struct request_flow *flow = graph->flows.data[f];
    size_t count = flow->activities.count, calls = flow->calls.count;
    int64_t *finish = mem_alloc(count, sizeof *finish);
    for (size_t i = 0; i < flow->requests.count; i++) {
      const int64_t *durations = flow->durations.data + i * count;
      flow_finish(finish, flow, durations);
      flow_path(&path, flow, finish, durations);
      for (size_t s = 0; s < path.steps.count; s++) {
        const struct path_step *step = &path.steps.data[s];
        const struct activity *activity = &flow->activities.data[step->activity];
        bool is_work = activity->kind == ACTIVITY_WORK;
        uint32_t position = is_work ? activity->owner : activity->position;
        struct share *share = &annotation->shares[flow->rows.data[i * calls + position]];
        *(is_free ? &share->work_if_free : &share->work) += is_work ? step->duration : 0;
        share->network += is_work || is_free ? 0 : step->duration;
      }
    }
    mem_free(finish);
  }
  request_path_clear(&path);
}

static bool is_on_path(const struct share *share) {
  return share->work != 0 || share->network != 0 || share->work_if_free != 0;
}

static void find_shares(struct annotation *annotation) {
  struct trace_path *answer = annotation->answer;
  const struct span_store *store = &answer->store;
  const struct graph_options options = {.undecided = UNDECIDED_FREE, .level = 0.05};
  struct request_graph graph;
  annotation->shares = mem_alloc(store->start.count, sizeof *annotation->shares);
  add_paths(annotation, &answer->graph, false);
  request_graph_make(&graph, store, &options);
  add_paths(annotation, &graph, true);
  request_graph_clear(&graph);
  for (size_t r = 0; r < store->requests.count; r++) {
    const struct request *request = &store->requests.data[r];
    for (uint32_t row = request->first; row < request->first + request->count; row++) {
      annotation->shares[row].request = (uint32_t)r;
      if (is_on_path(&annotation->shares[row]))
        index_add(&annotation->index, hash_ids(request->id, span_store_id(store, row)), row);
    }
  }
}

static size_t add_attribute(struct span_attribute *attributes, size_t count, const char *key,
                            bool wanted, int64_t value) {
  if (wanted)
    attributes[count++] = (struct span_attribute){key, value};
  return count;
}

static size_t attributes_of(void *context, struct slice request, struct slice span,
                            struct span_attribute attributes[REWRITE_MOST]) {
  struct annotation *annotation = context;
  const struct span_store *store = &annotation->answer->store;
  struct index_look look = index_look(&annotation->index, hash_ids(request, span));
  while (index_next(&look)) {
    struct share *share = &annotation->shares[look.row];
    if (!slice_same(store->requests.data[share->request].id, request) ||
        !slice_same(span_store_id(store, look.row), span))
      continue;
    annotation->answer->annotated += !share->written;
    share->written = true;
    size_t count = add_attribute(attributes, 0, ANNOTATE_WORK, true, share->work);
    count = add_attribute(attributes, count, ANNOTATE_NETWORK, share->network != 0, share->network);
    return add_attribute(attributes, count, ANNOTATE_FREE, share->work_if_free != share->work,
                         share->work_if_free);
  }
  return 0;
}

/* ---- files */

static enum status fail_writing(const struct trace_path *answer, const char *path, int cause) {
  return asker_fail(answer->request->asker, STATUS_INTERNAL, "%s: cannot be written: %s", path,
                    strerror(cause));
}

static enum status write_file(struct annotation *annotation, const char *from, const char *to) {
  struct trace_path *answer = annotation->answer;
  const struct trace_rewriting rewriting = {attributes_of, annotation};
  struct beside beside;
  int cause = beside_open(&beside, to);
  FILE *out = cause == 0 ? fdopen(beside.descriptor, "w") : NULL;
  if (out == NULL) {
    cause = cause == 0 ? errno : cause;
    beside_drop(&beside);
    return fail_writing(answer, to, cause);
  }
  enum status status = trace_rewrite(out, from, &rewriting, answer->request->asker);
  errno = 0;
  if (status == STATUS_OK && (ferror(out) || fflush(out) != 0))
    cause = errno == 0 ? EIO : errno;
  if (status == STATUS_OK && cause == 0)
    cause = beside_keep(&beside);
  else
    beside_drop(&beside);
  fclose(out);
  return cause == 0 ? status : fail_writing(answer, to, cause);
}

static const char *name_in_folder(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash == NULL ? path : slash + 1;
}

/* Two files of one name have no room in a folder. */
static enum status check_names(const struct trace_path *answer) {
  for (size_t i = 0; i < answer->files.count; i++)
    for (size_t j = 0; j < i; j++)
      if (strcmp(name_in_folder(answer->files.data[i]), name_in_folder(answer->files.data[j])) == 0)
        return asker_fail(answer->request->asker, STATUS_USAGE,
                          "%s and %s have one name: annotate them one by one",
                          answer->files.data[j], answer->files.data[i]);
  return STATUS_OK;
}

static enum status write_folder(struct annotation *annotation) {
  const struct trace_path *answer = annotation->answer;
  const char *folder = answer->request->annotate;
  enum status status = check_names(answer);
  if (status == STATUS_OK && mkdir(folder, 0777) != 0)
    return fail_writing(answer, folder, errno);
  for (size_t i = 0; i < answer->files.count && status == STATUS_OK; i++) {
    struct text to;
    text_init(&to);
    text_format(&to, "%s/%s", folder, name_in_folder(answer->files.data[i]));
    if (to.length > 3 && strcmp(to.data + to.length - 3, ".gz") == 0)
      to.data[to.length - 3] = '\0';
    status = write_file(annotation, answer->files.data[i], to.data);
    text_clear(&to);
  }
  return status;
}

/* Files are read a second time to be written. */
static enum status check_sources(const struct trace_path *answer) {
  const struct asker *asker = answer->request->asker;
  for (size_t i = 0; i < answer->files.count; i++)
    if (strcmp(answer->files.data[i], "-") == 0)
      return asker_fail(asker, STATUS_USAGE,
                        "standard input cannot be annotated: write the traces to a file first");
  if (answer->files.count == 0)
    return asker_fail(asker, STATUS_USAGE,
                      "summaries of traces have no spans to annotate: name the traces themselves");
  return STATUS_OK;
}

/* Whether the request names one file, and no folder. */
static bool is_one_file(const struct trace_path *answer) {
  struct stat about;
  return answer->request->path_count == 1 && answer->files.count == 1 &&
         (stat(answer->request->paths[0], &about) != 0 || !S_ISDIR(about.st_mode));
}

static uint64_t count_missed(const struct annotation *annotation) {
  uint64_t missed = 0;
  for (size_t row = 0; row < annotation->answer->store.start.count; row++)
    missed += is_on_path(&annotation->shares[row]) && !annotation->shares[row].written;
  return missed;
}

enum status trace_path_annotate(struct trace_path *answer) {
  struct annotation annotation = {.answer = answer};
  enum status status = check_sources(answer);
  if (status != STATUS_OK)
    return status;
  find_shares(&annotation);
  status = is_one_file(answer)
               ? write_file(&annotation, answer->files.data[0], answer->request->annotate)
               : write_folder(&annotation);
  uint64_t missed = count_missed(&annotation);
  if (status == STATUS_OK && missed != 0)
    ledger_warn(&answer->ledger, LEDGER_DATA,
                "%llu spans on critical paths are not annotated: the files have them under other "
                "ids, or two spans under one",
                (unsigned long long)missed);
  index_clear(&annotation.index);
  mem_free(annotation.shares);
  return status;
}
