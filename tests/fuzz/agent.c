/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Any bytes as a configuration of the agent: one message, or a configuration in which every value
 * is in its range. With clang -fsanitize=fuzzer a libFuzzer target; with -DSTANDALONE a program
 * that replays the files it is given.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/agent/config.h"
#include "measure/core/roundtrip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition, const char *what) {
  if (!condition) {
    fprintf(stderr, "%s\n", what);
    abort();
  }
}

static void check_peers(const struct agent_config *config) {
  require(config->peer_count <= AGENT_PEERS_MAX, "too many peers");
  for (uint32_t i = 0; i < config->peer_count; i++) {
    const struct agent_peer_config *peer = &config->peers[i];
    char series[AGENT_NAME_MAX + 1], other[AGENT_NAME_MAX + 1];
    agent_series(series, peer->name);
    require(peer->port != 0 && peer->address[0] != '\0', "a peer without an address");
    require(series[0] != '\0' &&
                strspn(series, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXY"
                               "Z0123456789_.") == strlen(series),
            "a series that the store would refuse");
    require(strcmp(peer->name, config->node) != 0, "the agent is its own peer");
    for (uint32_t k = 0; k < i; k++) {
      agent_series(other, config->peers[k].name);
      require(strcmp(series, other) != 0, "two peers of one series");
    }
  }
}

static void check_config(const struct agent_config *config) {
  require(config->port != 0 && config->node[0] != '\0' && config->listen[0] != '\0',
          "no place to listen");
  require(config->period_ns >= 10000000 && config->period_ns <= 100000000000, "the pace");
  require(config->timeout_ns >= 1000000 && config->timeout_ns <= 60000000000, "the timeout");
  require(config->timeout_ns / config->period_ns <= ROUNDTRIP_WINDOW / 2, "the window");
  require(config->drift_ppm <= 100000, "the drift");
  check_peers(config);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static struct agent_config config, before;
  char message[AGENT_MESSAGE] = "";
  memset(&config, 7, sizeof config);
  memset(&before, 7, sizeof before);
  if (agent_config_parse(&config, "f", (const char *)data, size, message) == 0) {
    check_config(&config);
  } else {
    require(strncmp(message, "f: ", 3) == 0 && strpbrk(message, "\n\t\033") == NULL,
            "a failure without one message");
    require(memcmp(&config, &before, sizeof config) == 0, "a failure changed the configuration");
  }
  return 0;
}

#include "tests/fuzz/standalone.h"
