/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The configuration file of the network agent (YAML; docs/manual.md, "Network agent"):
 *
 *   node: a                      this agent's name; a peer of that name is passed over, so that one
 *                                list of peers can serve a whole fleet
 *   listen: 0.0.0.0              address of questions and answers [all addresses, IPv4]
 *   port: 7355                   UDP [7355]
 *   peers:                       0 to 255
 *     - name: b                  letters, digits, '_', '.', and perhaps an index: backup[2]
 *       address: 10.0.0.2        or a host name, looked up when the file is read
 *       port: 7355               [the agent's own]
 *   probes_per_second: 10        of each peer, 0.01 to 100 [10]
 *   timeout_ms: 1000             1 to 60000; what is not answered then is lost [1000]
 *   drift_ppm: 1000              how fast the clocks of two hosts may drift apart, 0 to 100000
 *                                [1000: 500 each, the most that Linux slews a clock by]
 *   answer: peers                who is answered: peers or everybody [peers]
 *   store: tailproof-store       folder of the store file; nothing is recorded when empty
 *                                [tailproof-store]
 *   metrics:                     Prometheus text over HTTP [none]
 *     address: 127.0.0.1         [127.0.0.1]
 *     port: 7356                 TCP; 0 takes a free one, which is said [7356]
 *     file: bounds.prom          shown as well, as it is, if it is at most 8 KB [none]
 *   profile:                     samples of what runs on this host, always on [none]
 *     rate: 19                   a second of processor time, 1 to 999 [19]
 *     budget_percent: 1          of a processor, at most, 0.01 to 100 [1]
 *     folder: tailproof-profile  of the files [tailproof-profile]
 *     minutes: 60                that are kept, 2 to 1440 [60]
 *     seconds: 60                of each file, 1 to 3600 [60]
 *     megabytes: 256             that these files may have, 1 to 1000000; as many again may those
 *                                have that are kept because of breaches [256]
 *     objective:                 what keeps the minutes around its breach [none]
 *       store: shop.tps          a store that a program records into, or its folder
 *       series: get              the component or message whose latencies are watched
 *       percentile: 99           of them, below 100 [99]
 *       within_ms: 50            is to be within this; percentile and this may be said on the
 *                                command line (--slo) [none]
 *
 * config.c describes its shape to the YAML library (measure/yaml/load.h).
 */
#ifndef MEASURE_AGENT_CONFIG_H
#define MEASURE_AGENT_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AGENT_PEERS_MAX 255   /* each has two of the store's 512 names */
#define AGENT_NAME_MAX 55     /* bytes; "rtt." before it is a name of the store */
#define AGENT_ADDRESS_MAX 255 /* bytes of a host name */
#define AGENT_MESSAGE 512     /* bytes of a message, terminator included */

struct agent_peer_config {
  char name[AGENT_NAME_MAX + 1];
  char address[AGENT_ADDRESS_MAX + 1];
  uint16_t port;
};

struct objective_config {
  char store[4096];
  char series[64];
  double share;      /* of the latencies: 0.99 */
  uint64_t limit_ns; /* 0: not given */
};

struct profile_config {
  uint32_t rate;
  uint32_t budget_ns; /* that a second may cost */
  uint32_t files, seconds;
  uint64_t bytes; /* of these files, at most */
  char folder[4096];
  bool has_objective;
  struct objective_config objective;
};

/* A value: nothing in it is owned by others. */
struct agent_config {
  char node[AGENT_NAME_MAX + 1];
  char listen[AGENT_ADDRESS_MAX + 1];
  uint16_t port;
  uint64_t period_ns; /* between two questions to a peer, on average */
  uint64_t timeout_ns;
  uint32_t drift_ppm;
  bool answer_everybody;
  char store[4096];
  bool has_metrics;
  char metrics_address[AGENT_ADDRESS_MAX + 1];
  uint16_t metrics_port;
  char metrics_file[4096]; /* "": none */
  bool has_profile;
  struct profile_config profile;
  uint32_t peer_count; /* without the agent itself */
  struct agent_peer_config peers[AGENT_PEERS_MAX];
};

/* Puts the file's name before what `message` says. */
void agent_config_name_file(char message[AGENT_MESSAGE], const char *path);

/* Reads the file. 0; ENOENT, EACCES, ... for a file that cannot be read; EBADMSG for one with a
 * mistake. Otherwise `config` is unchanged and `message` one line that names file, place and
 * remedy. */
int agent_config_read(struct agent_config *config, const char *path, char message[AGENT_MESSAGE]);

/* The same of bytes in memory. */
int agent_config_parse(struct agent_config *config, const char *path, const char *bytes,
                       size_t length, char message[AGENT_MESSAGE]);

/* The name as a part of a series' name: "backup[2]" is "backup.2". `series` has room for
 * AGENT_NAME_MAX + 1 bytes. */
void agent_series(char *series, const char *name);

#endif
