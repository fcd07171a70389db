/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/agent/objective.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "measure/read/store_read.h"

void objective_init(struct objective *objective, const struct objective_config *config) {
  memset(objective, 0, sizeof *objective);
  objective->config = config;
}

void objective_count(uint64_t *above, uint64_t *of, const struct histogram *now,
                     const struct histogram *last, uint64_t limit_ns) {
  *above = now->saturated - last->saturated;
  *of = *above;
  for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
    uint64_t more = now->counts[i] - last->counts[i];
    *of += more;
    if (more != 0 && i != 0 && histogram_upper_edge_ns(i - 1) >= limit_ns)
      *above += more;
  }
}

/* The sum of the terms from k on, each by its logarithm. */
bool objective_breached(uint64_t above, uint64_t of, double allowed) {
  double sum = 0;
  if (above == 0 || (double)above <= allowed * (double)of)
    return false;
  if (allowed <= 0)
    return true;
  double term = lgamma((double)of + 1) - lgamma((double)above + 1) -
                lgamma((double)(of - above) + 1) + (double)above * log(allowed) +
                (double)(of - above) * log1p(-allowed);
  for (uint64_t k = above; k <= of; k++) {
    double probability = exp(term);
    sum += probability;
    if (k == of || probability < 1e-12)
      break;
    term += log((double)(of - k) / (double)(k + 1)) + log(allowed) - log1p(-allowed);
  }
  return sum < 0.01;
}

/* The store file itself, or that of a folder which was written last. */
static bool find_store(struct objective *o, char path[4200]) {
  struct stat about;
  int64_t newest = -1;
  if (stat(o->config->store, &about) != 0 || !S_ISDIR(about.st_mode)) {
    snprintf(path, 4200, "%s", o->config->store);
    return true;
  }
  DIR *folder = opendir(o->config->store);
  for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
    size_t length = strlen(entry->d_name);
    char one[4200];
    if (length < 4 || strcmp(entry->d_name + length - 4, ".tps") != 0 ||
        snprintf(one, sizeof one, "%s/%s", o->config->store, entry->d_name) >= (int)sizeof one ||
        stat(one, &about) != 0 || about.st_mtime <= newest)
      continue;
    newest = about.st_mtime;
    memcpy(path, one, sizeof one);
  }
  if (folder != NULL)
    closedir(folder);
  if (newest < 0)
    snprintf(o->message, AGENT_MESSAGE, "%.300s: no store in it", o->config->store);
  return newest >= 0;
}

/* The histogram of the series, into `now`. */
static bool read_series(struct objective *o, const char *path) {
  struct store_reader *reader;
  if (store_reader_open(&reader, path, o->message, AGENT_MESSAGE) != 0)
    return false;
  const struct store_facts *facts = store_reader_facts(reader);
  bool found = false;
  for (uint32_t n = 0; n < facts->names && !found; n++) {
    const struct format_name *name = store_reader_name(reader, n);
    found = name != NULL &&
            (strcmp(name->name, o->config->series) == 0 ||
             strcmp(name->series, o->config->series) == 0) &&
            store_reader_histogram(reader, n, &o->now);
  }
  if (!found)
    snprintf(o->message, AGENT_MESSAGE, "%.300s: nothing is recorded of %.60s", path,
             o->config->series);
  store_reader_close(reader);
  return found;
}

enum objective_verdict objective_look(struct objective *o) {
  char path[4200] = "";
  if (!find_store(o, path) || !read_series(o, path))
    return OBJECTIVE_UNREAD;
  bool first = strcmp(path, o->path) != 0 || o->now.total < o->last.total;
  if (!first)
    objective_count(&o->above, &o->of, &o->now, &o->last, o->config->limit_ns);
  memcpy(o->path, path, sizeof path);
  o->last = o->now;
  if (first || o->of == 0)
    return OBJECTIVE_NOTHING;
  return objective_breached(o->above, o->of, 1 - o->config->share) ? OBJECTIVE_BREACHED
                                                                   : OBJECTIVE_KEPT;
}
