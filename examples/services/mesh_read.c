/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The file of a graph (examples/services/mesh.h). Services may be called before they are
 * described, so it is gone through twice: first for the names, then for what calls what.
 */
#include "examples/services/mesh.h"

#include "examples/common/complain.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = 20, LINE_MAX_BYTES = 512 };

struct reading {
  struct mesh *mesh;
  const char *path;
  unsigned line;
  bool names_only; /* the first time */
  struct mesh_service *service;
  struct mesh_endpoint *endpoint;
};

static bool wrong(const struct reading *reading, const char *what, const char *text) {
  complain("%s:%u: %s%s%s", reading->path, reading->line, what, text != NULL ? ": " : "",
           text != NULL ? text : "");
  return false;
}

static bool time_parse(const struct reading *reading, const char *text, uint64_t *ns) {
  char *unit;
  double value = strtod(text, &unit);
  double scale = strcmp(unit, "us") == 0   ? 1e3
                 : strcmp(unit, "ms") == 0 ? 1e6
                 : strcmp(unit, "s") == 0  ? 1e9
                                           : 0;
  if (unit == text || scale == 0 || !(value >= 0) || value * scale > (double)MESH_WORK_MAX_NS)
    return wrong(reading, "a time from 0us to 10s is expected, such as 250us or 1.5ms", text);
  *ns = (uint64_t)llround(value * scale);
  return true;
}

static bool number_parse(const struct reading *reading, const char *text, double most,
                         double *value) {
  char *end;
  *value = strtod(text, &end);
  if (end != text && *end == '\0' && *value >= 0 && *value <= most)
    return true;
  return wrong(reading, "a number that is not negative and not too large is expected", text);
}

static bool name_take(const struct reading *reading, const char *text, char name[MESH_NAME_MAX]) {
  size_t length = strlen(text);
  bool good = length > 0 && length < MESH_NAME_MAX && strcmp(text, "none") != 0;
  for (size_t i = 0; i < length && good; i++)
    good = strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-", text[i]);
  if (!good)
    return wrong(reading, "a name of at most 31 letters, digits, _ and - is expected", text);
  memcpy(name, text, length + 1);
  return true;
}

static bool service_begin(struct reading *reading, char **words, size_t count) {
  struct mesh *mesh = reading->mesh;
  char name[MESH_NAME_MAX];
  double workers = 1;
  if (count < 2 || !name_take(reading, words[1], name))
    return count >= 2 ? false : wrong(reading, "service NAME [workers N] is expected", NULL);
  if (count != 2 && (count != 4 || strcmp(words[2], "workers") != 0))
    return wrong(reading, "service NAME [workers N] is expected", NULL);
  if (count == 4 && (!number_parse(reading, words[3], MESH_WORKERS_MAX, &workers) || workers < 1 ||
                     workers != floor(workers)))
    return wrong(reading, "workers is a whole number from 1 to 64", words[3]);
  size_t i = 0;
  while (i < mesh->count && strcmp(mesh->services[i].name, name) != 0)
    i++;
  if (reading->names_only) {
    if (i < mesh->count)
      return wrong(reading, "there is a service of that name already", name);
    if (i == MESH_SERVICES_MAX)
      return wrong(reading, "more than 64 services", NULL);
    memcpy(mesh->services[i].name, name, sizeof name);
    mesh->services[i].workers = (uint32_t)workers;
    mesh->count++;
  }
  reading->service = &mesh->services[i];
  reading->endpoint = NULL;
  return true;
}

static bool endpoint_options(struct reading *reading, struct mesh_endpoint *endpoint, char **words,
                             size_t count) {
  for (size_t i = 2; i < count; i++) {
    bool last = i + 1 == count;
    if (strcmp(words[i], "together") == 0)
      endpoint->together = true;
    else if (strcmp(words[i], "work") == 0 && !last) {
      if (!time_parse(reading, words[++i], &endpoint->work_ns))
        return false;
    } else if (strcmp(words[i], "locked") == 0 && !last) {
      if (!time_parse(reading, words[++i], &endpoint->locked_ns))
        return false;
    } else
      return wrong(reading, "on NAME [work TIME] [locked TIME] [together] is expected", words[i]);
  }
  return endpoint->locked_ns <= endpoint->work_ns ||
         wrong(reading, "more is locked than there is work", NULL);
}

static bool endpoint_begin(struct reading *reading, char **words, size_t count) {
  struct mesh_service *service = reading->service;
  char name[MESH_NAME_MAX];
  if (service == NULL)
    return wrong(reading, "`on` stands before the first `service`", NULL);
  if (count < 2)
    return wrong(reading, "on NAME [work TIME] [locked TIME] [together] is expected", NULL);
  if (!name_take(reading, words[1], name))
    return false;
  size_t i = 0;
  while (i < service->count && strcmp(service->endpoints[i].name, name) != 0)
    i++;
  reading->endpoint = &service->endpoints[i];
  if (!reading->names_only)
    return true;
  if (i < service->count)
    return wrong(reading, "the service has an endpoint of that name already", name);
  if (i == MESH_ENDPOINTS_MAX)
    return wrong(reading, "more than 4 endpoints", service->name);
  memcpy(reading->endpoint->name, name, sizeof name);
  service->count++;
  return endpoint_options(reading, reading->endpoint, words, count);
}

/* SERVICE or SERVICE.ENDPOINT, which is taken apart. */
static bool callee_find(const struct reading *reading, char *text, struct mesh_choice *choice) {
  const struct mesh *mesh = reading->mesh;
  char *endpoint = strchr(text, '.');
  if (endpoint != NULL)
    *endpoint++ = '\0';
  size_t s = 0, e = 0;
  while (s < mesh->count && strcmp(mesh->services[s].name, text) != 0)
    s++;
  if (s == mesh->count)
    return wrong(reading, "no service is of that name", text);
  const struct mesh_service *service = &mesh->services[s];
  while (endpoint != NULL && e < service->count &&
         strcmp(service->endpoints[e].name, endpoint) != 0)
    e++;
  if (e == service->count)
    return wrong(reading,
                 endpoint != NULL ? "the service has no such endpoint" : "no endpoint (on)",
                 endpoint != NULL ? endpoint : text);
  choice->service = (uint16_t)s;
  choice->endpoint = (uint16_t)e;
  return true;
}

static bool step_add(const struct reading *reading, const struct mesh_step *step) {
  struct mesh_endpoint *endpoint = reading->endpoint;
  if (endpoint->count == MESH_STEPS_MAX)
    return wrong(reading, "more than 16 calls of one endpoint", endpoint->name);
  endpoint->steps[endpoint->count++] = *step;
  return true;
}

static bool call_add(struct reading *reading, char **words, size_t count) {
  struct mesh_step step = {.count = 1};
  double ratio = 1;
  if (count < 2 || count > 3)
    return wrong(reading, "call SERVICE[.ENDPOINT] [RATIO] is expected", NULL);
  if (!callee_find(reading, words[1], &step.choices[0]) ||
      (count == 3 && !number_parse(reading, words[2], MESH_STEPS_MAX, &ratio)))
    return false;
  for (; ratio > 0; ratio -= 1) {
    step.choices[0].millionths = (uint32_t)lround(fmin(ratio, 1) * MESH_SURE);
    if (step.choices[0].millionths > 0 && !step_add(reading, &step))
      return false;
  }
  return true;
}

/* Pairs of callee and weight, to probabilities; `none` has no place in the step. */
static bool choices_read(const struct reading *reading, struct mesh_step *step, char **words,
                         size_t count, bool may_be_none) {
  double weights[MESH_CHOICES_MAX], weight, sum = 0;
  if (count == 0 || count % 2 != 0 || count / 2 > MESH_CHOICES_MAX)
    return wrong(reading, "up to 8 pairs of SERVICE[.ENDPOINT] and WEIGHT are expected", NULL);
  for (size_t i = 0; i < count; i += 2) {
    if (!number_parse(reading, words[i + 1], 1e6, &weight))
      return false;
    sum += weight;
    if (may_be_none && strcmp(words[i], "none") == 0)
      continue;
    if (!callee_find(reading, words[i], &step->choices[step->count]))
      return false;
    weights[step->count++] = weight;
  }
  if (sum <= 0)
    return wrong(reading, "all weights are 0", NULL);
  for (size_t i = 0; i < step->count; i++)
    step->choices[i].millionths = (uint32_t)floor(weights[i] / sum * MESH_SURE + 0.01);
  return true;
}

static bool choose_add(struct reading *reading, char **words, size_t count) {
  struct mesh_step step = {0};
  return choices_read(reading, &step, words + 1, count - 1, true) && step_add(reading, &step);
}

/* Weights are kept as they are until the file is at its end. */
static bool user_add(struct reading *reading, char **words, size_t count) {
  struct mesh_step *users = &reading->mesh->users;
  double weight = 1;
  if (count < 2 || count > 3)
    return wrong(reading, "user SERVICE[.ENDPOINT] [WEIGHT] is expected", NULL);
  if (users->count == MESH_CHOICES_MAX)
    return wrong(reading, "more than 8 kinds of user requests", NULL);
  if (!callee_find(reading, words[1], &users->choices[users->count]) ||
      (count == 3 && !number_parse(reading, words[2], 1000, &weight)))
    return false;
  users->choices[users->count++].millionths = (uint32_t)lround(weight * 1000);
  return true;
}

static bool line_read(struct reading *reading, char **words, size_t count) {
  bool call = strcmp(words[0], "call") == 0, choose = strcmp(words[0], "choose") == 0;
  if (strcmp(words[0], "service") == 0)
    return service_begin(reading, words, count);
  if (strcmp(words[0], "on") == 0)
    return endpoint_begin(reading, words, count);
  if ((call || choose) && reading->endpoint == NULL)
    return wrong(reading, "a call stands before the first `on` of its service", NULL);
  if (call)
    return reading->names_only || call_add(reading, words, count);
  if (choose)
    return reading->names_only || choose_add(reading, words, count);
  if (strcmp(words[0], "user") == 0)
    return reading->names_only || user_add(reading, words, count);
  return wrong(reading, "service, on, call, choose or user is expected", words[0]);
}

static bool lines_read(struct reading *reading, FILE *file) {
  char line[LINE_MAX_BYTES];
  reading->line = 0;
  reading->service = NULL;
  reading->endpoint = NULL;
  while (fgets(line, sizeof line, file) != NULL) {
    char *words[WORDS_MAX], *rest = NULL;
    size_t count = 0;
    reading->line++;
    if (strchr(line, '\n') == NULL && strlen(line) + 1 == sizeof line)
      return wrong(reading, "the line is too long", NULL);
    line[strcspn(line, "#\r\n")] = '\0';
    for (char *word = strtok_r(line, " \t", &rest); word != NULL;
         word = strtok_r(NULL, " \t", &rest)) {
      if (count == WORDS_MAX)
        return wrong(reading, "more than 20 words", NULL);
      words[count++] = word;
    }
    if (count > 0 && !line_read(reading, words, count))
      return false;
  }
  return ferror(file) == 0 || wrong(reading, strerror(errno), NULL);
}

/* Weights to probabilities; what rounding leaves over goes to the first. */
static bool users_settle(const struct reading *reading) {
  struct mesh_step *users = &reading->mesh->users;
  uint64_t sum = 0, shares = 0;
  for (size_t i = 0; i < users->count; i++)
    sum += users->choices[i].millionths;
  if (sum == 0)
    return wrong(reading, "nothing says what users ask for: user SERVICE[.ENDPOINT] [WEIGHT]",
                 NULL);
  for (size_t i = 0; i < users->count; i++) {
    users->choices[i].millionths =
        (uint32_t)(users->choices[i].millionths * (uint64_t)MESH_SURE / sum);
    shares += users->choices[i].millionths;
  }
  users->choices[0].millionths += (uint32_t)(MESH_SURE - shares);
  return true;
}

int mesh_read(struct mesh *mesh, const char *path) {
  struct reading reading = {.mesh = mesh, .path = path, .names_only = true};
  memset(mesh, 0, sizeof *mesh);
  FILE *file = fopen(path, "r");
  if (file == NULL) {
    complain("%s: %s; --graph names the file that describes the services", path, strerror(errno));
    return EXIT_UNREADABLE;
  }
  bool good = lines_read(&reading, file);
  rewind(file);
  reading.names_only = false;
  good = good && lines_read(&reading, file) && users_settle(&reading);
  bool readable = ferror(file) == 0;
  fclose(file);
  return good ? 0 : readable ? EXIT_DATA : EXIT_UNREADABLE;
}
