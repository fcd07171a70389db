/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The values of the agent's configuration: read from texts, held against their ranges
 * (config_raw.h).
 */
#include "measure/agent/config_raw.h"

#include "measure/core/roundtrip.h"
#include "measure/yaml/value.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_PORT = 7355, DEFAULT_METRICS_PORT = 7356, SHOWN = 60 };

static const uint64_t ns_per_s = 1000000000, ns_per_ms = 1000000;

/* Always false, so that it can be returned. */
#define complain(message, ...) value_complain(message, AGENT_MESSAGE, __VA_ARGS__)

/* A whole number in a range; `given` may be NULL, then the value stays. */
static bool read_whole(uint64_t *value, const char *given, const char *key, uint64_t least,
                       uint64_t most, char *message) {
  uint64_t number;
  if (given == NULL)
    return true;
  bool good = value_decimal(&number, given) && number % ns_per_s == 0;
  if (!good || number / ns_per_s < least || number / ns_per_s > most)
    return complain(message,
                    "%s: \"%.*s\" where a whole number from %" PRIu64 " to %" PRIu64 " is expected",
                    key, SHOWN, given, least, most);
  *value = number / ns_per_s;
  return true;
}

static bool read_port(uint16_t *port, const char *given, const char *key, uint64_t least,
                      char *message) {
  uint64_t value = *port;
  bool good = read_whole(&value, given, key, least, UINT16_MAX, message);
  *port = (uint16_t)value;
  return good;
}

static bool copy_text(char *target, size_t size, const char *given, const char *key,
                      char *message) {
  if (given == NULL)
    return true;
  if (strlen(given) >= size)
    return complain(message, "%s: longer than %zu bytes; shorten it", key, size - 1);
  memcpy(target, given, strlen(given) + 1);
  return true;
}

static bool read_address(char target[AGENT_ADDRESS_MAX + 1], const char *given, const char *key,
                         char *message) {
  if (given != NULL && (given[0] == '\0' || strpbrk(given, " \t\n/") != NULL))
    return complain(message,
                    "%s: \"%.*s\" where an address such as 10.0.0.2, ::1 or a host name "
                    "is expected",
                    key, SHOWN, given);
  return copy_text(target, AGENT_ADDRESS_MAX + 1, given, key, message);
}

static bool is_name_byte(char c) {
  return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9') || c == '_' ||
         c == '.';
}

/* word, or word[digits] */
static bool is_name(const char *name) {
  const char *at = name;
  while (is_name_byte(*at))
    at++;
  if (at == name || *name == '.')
    return false;
  if (*at != '[')
    return *at == '\0';
  size_t digits = strspn(at + 1, "0123456789");
  return digits != 0 && strcmp(at + 1 + digits, "]") == 0;
}

static bool read_name(char target[AGENT_NAME_MAX + 1], const char *given, const char *key,
                      char *message) {
  if (!is_name(given))
    return complain(message,
                    "%s: \"%.*s\" where letters, digits, '_', '.' and perhaps an index "
                    "are expected, such as primary, db_1 or backup[2]",
                    key, SHOWN, given);
  return copy_text(target, AGENT_NAME_MAX + 1, given, key, message);
}

void agent_series(char *series, const char *name) {
  size_t n = 0;
  for (; *name != '\0' && n < AGENT_NAME_MAX; name++)
    if (*name != ']')
      series[n++] = *name == '[' ? '.' : *name;
  series[n] = '\0';
}

/* Series of different peers must differ: backup[2] and backup.2 would be one. */
static bool is_new(const struct agent_config *config, const struct agent_peer_config *peer,
                   char *message) {
  char series[AGENT_NAME_MAX + 1], other[AGENT_NAME_MAX + 1];
  agent_series(series, peer->name);
  for (uint32_t i = 0; i < config->peer_count; i++) {
    agent_series(other, config->peers[i].name);
    if (strcmp(series, other) == 0)
      return complain(message, "peers: \"%s\" and \"%s\" are one name; give each peer its own",
                      config->peers[i].name, peer->name);
    if (config->peers[i].port == peer->port && strcmp(config->peers[i].address, peer->address) == 0)
      return complain(message,
                      "peers: %s and %s have the same address %.*s and port %u; each "
                      "peer needs its own",
                      config->peers[i].name, peer->name, SHOWN, peer->address, peer->port);
  }
  return true;
}

static bool read_peer(struct agent_config *config, const struct raw_peer *raw, uint32_t place,
                      char *message) {
  char key[40];
  struct agent_peer_config peer = {.port = config->port};
  snprintf(key, sizeof key, "peers, entry %" PRIu32 ", name", place + 1);
  if (!read_name(peer.name, raw->name, key, message))
    return false;
  snprintf(key, sizeof key, "peers, entry %" PRIu32 ", address", place + 1);
  if (!read_address(peer.address, raw->address, key, message))
    return false;
  snprintf(key, sizeof key, "peers, entry %" PRIu32 ", port", place + 1);
  if (!read_port(&peer.port, raw->port, key, 1, message))
    return false;
  if (strcmp(peer.name, config->node) == 0)
    return true;
  if (!is_new(config, &peer, message))
    return false;
  if (config->peer_count == AGENT_PEERS_MAX)
    return complain(message, "peers: more than %d; run a second agent for the rest",
                    AGENT_PEERS_MAX);
  config->peers[config->peer_count++] = peer;
  return true;
}

/* At most half of the window may be under way on average, since questions are sent at irregular
 * times. */
static bool read_pace(struct agent_config *config, const struct raw_config *raw, char *message) {
  uint64_t rate = 10 * ns_per_s, timeout_ms = 1000, drift = 1000;
  if (raw->rate != NULL &&
      (!value_decimal(&rate, raw->rate) || rate < ns_per_s / 100 || rate > 100 * ns_per_s))
    return complain(message,
                    "probes_per_second: \"%.*s\" where a number from 0.01 to 100 is "
                    "expected",
                    SHOWN, raw->rate);
  if (!read_whole(&timeout_ms, raw->timeout, "timeout_ms", 1, 60000, message) ||
      !read_whole(&drift, raw->drift, "drift_ppm", 0, 100000, message))
    return false;
  uint64_t most = ROUNDTRIP_WINDOW / 2;
  if (rate / 1000 * timeout_ms > most * ns_per_s)
    return complain(message,
                    "timeout_ms: %" PRIu64 " ms at %.*s probes a second are more than "
                    "%" PRIu64 " questions under way to one peer; lower one of the two",
                    timeout_ms, SHOWN, raw->rate != NULL ? raw->rate : "10", most);
  config->period_ns = (ns_per_s * ns_per_s + rate - 1) / rate;
  config->timeout_ns = timeout_ms * ns_per_ms;
  config->drift_ppm = (uint32_t)drift;
  return true;
}

static bool read_answer(struct agent_config *config, const char *given, char *message) {
  config->answer_everybody = given != NULL && strcmp(given, "everybody") == 0;
  if (given == NULL || config->answer_everybody || strcmp(given, "peers") == 0)
    return true;
  return complain(message, "answer: \"%.*s\" where peers or everybody is expected", SHOWN, given);
}

static bool read_metrics(struct agent_config *config, const struct raw_metrics *raw,
                         char *message) {
  config->has_metrics = raw != NULL;
  strcpy(config->metrics_address, "127.0.0.1");
  config->metrics_port = DEFAULT_METRICS_PORT;
  if (raw != NULL && raw->file != NULL && strlen(raw->file) >= sizeof config->metrics_file)
    return complain(message, "metrics, file: the path is too long; name a shorter one");
  if (raw != NULL && raw->file != NULL)
    strcpy(config->metrics_file, raw->file);
  return raw == NULL ||
         (read_address(config->metrics_address, raw->address, "metrics, address", message) &&
          read_port(&config->metrics_port, raw->port, "metrics, port", 0, message));
}

/* A number with at most nine decimals, times `scale`. */
static bool read_decimal(double *target, const char *given, const char *key, double least,
                         double most, char *message) {
  uint64_t value;
  if (given == NULL)
    return true;
  if (!value_decimal(&value, given) || (double)value / 1e9 < least || (double)value / 1e9 > most)
    return complain(message, "%s: \"%.*s\" where a number from %g to %g is expected", key, SHOWN,
                    given, least, most);
  *target = (double)value / 1e9;
  return true;
}

static bool read_objective(struct objective_config *config, const struct raw_objective *raw,
                           char *message) {
  double percentile = 99, within_ms = 0;
  if (!copy_text(config->store, sizeof config->store, raw->store, "profile, objective, store",
                 message) ||
      !copy_text(config->series, sizeof config->series, raw->series, "profile, objective, series",
                 message) ||
      !read_decimal(&percentile, raw->percentile, "profile, objective, percentile", 0.001, 99.9999,
                    message) ||
      !read_decimal(&within_ms, raw->within, "profile, objective, within_ms", 0.001, 3600000,
                    message))
    return false;
  config->share = percentile / 100;
  config->limit_ns = (uint64_t)(within_ms * 1e6);
  return true;
}

static bool read_profile(struct agent_config *config, const struct raw_profile *raw,
                         char *message) {
  uint64_t rate = 19, minutes = 60, seconds = 60, megabytes = 256;
  double percent = 1;
  struct profile_config *profile = &config->profile;
  config->has_profile = raw != NULL;
  strcpy(profile->folder, "tailproof-profile");
  if (raw == NULL)
    return true;
  if (!read_whole(&rate, raw->rate, "profile, rate", 1, 999, message) ||
      !read_whole(&minutes, raw->minutes, "profile, minutes", 2, 1440, message) ||
      !read_whole(&seconds, raw->seconds, "profile, seconds", 1, 3600, message) ||
      !read_whole(&megabytes, raw->megabytes, "profile, megabytes", 1, 1000000, message) ||
      !read_decimal(&percent, raw->budget, "profile, budget_percent", 0.01, 100, message) ||
      !copy_text(profile->folder, sizeof profile->folder, raw->folder, "profile, folder", message))
    return false;
  profile->rate = (uint32_t)rate;
  profile->seconds = (uint32_t)seconds;
  profile->bytes = megabytes * 1000000;
  profile->files = (uint32_t)((minutes * 60 + seconds - 1) / seconds);
  profile->files = profile->files < 3 ? 3 : profile->files;
  profile->budget_ns = (uint32_t)(percent * 1e7);
  profile->has_objective = raw->objective != NULL;
  return raw->objective == NULL || read_objective(&profile->objective, raw->objective, message);
}

bool config_check(struct agent_config *config, const struct raw_config *raw,
                  char message[AGENT_MESSAGE]) {
  strcpy(config->listen, "0.0.0.0");
  strcpy(config->store, "tailproof-store");
  config->port = DEFAULT_PORT;
  if (!read_name(config->node, raw->node, "node", message) ||
      !read_address(config->listen, raw->listen, "listen", message) ||
      !read_port(&config->port, raw->port, "port", 1, message) ||
      !read_pace(config, raw, message) || !read_answer(config, raw->answer, message) ||
      !copy_text(config->store, sizeof config->store, raw->store, "store", message) ||
      !read_metrics(config, raw->metrics, message) || !read_profile(config, raw->profile, message))
    return false;
  for (uint32_t i = 0; i < raw->peers_count; i++)
    if (!read_peer(config, &raw->peers[i], i, message))
      return false;
  return true;
}
