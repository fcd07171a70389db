/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/agent/agent.h"

#include "measure/agent/work.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

/* --- beginning ---------------------------------------------------------------------------------
 */

static bool watch_descriptor(const struct agent *agent, int descriptor) {
  struct epoll_event event = {.events = EPOLLIN, .data.fd = descriptor};
  return descriptor >= 0 && epoll_ctl(agent->epoll, EPOLL_CTL_ADD, descriptor, &event) == 0;
}

static void catch_signals(sigset_t *caught) {
  sigemptyset(caught);
  sigaddset(caught, SIGTERM);
  sigaddset(caught, SIGINT);
  sigaddset(caught, SIGHUP);
  sigprocmask(SIG_BLOCK, caught, NULL);
  signal(SIGUSR1, SIG_IGN);
  signal(SIGPIPE, SIG_IGN);
}

static bool open_events(struct agent *agent, char *message) {
  sigset_t caught;
  catch_signals(&caught);
  agent->epoll = epoll_create1(EPOLL_CLOEXEC);
  agent->signals = signalfd(-1, &caught, SFD_NONBLOCK | SFD_CLOEXEC);
  if (watch_descriptor(agent, agent->signals) && watch_descriptor(agent, agent->udp))
    return true;
  snprintf(message, AGENT_MESSAGE, "no events: %s", strerror(errno));
  return false;
}

static bool open_udp(struct agent *agent, char *message) {
  struct agent_address address;
  char why[AGENT_MESSAGE];
  if (!agent_address_resolve(&address, agent->config.listen, agent->config.port, AF_UNSPEC,
                             SOCK_DGRAM, why)) {
    snprintf(message, AGENT_MESSAGE, "listen: %.400s", why);
    return false;
  }
  agent->family = address.storage.ss_family;
  agent->udp = agent_address_socket(&address, SOCK_DGRAM, "listen, port", message);
  return agent->udp >= 0;
}

static bool open_metrics(struct agent *agent, char where[AGENT_ADDRESS_TEXT], char *message) {
  struct agent_address address;
  char why[AGENT_MESSAGE];
  if (!agent->config.has_metrics)
    return true;
  if (!agent_address_resolve(&address, agent->config.metrics_address, agent->config.metrics_port,
                             AF_UNSPEC, SOCK_STREAM, why)) {
    snprintf(message, AGENT_MESSAGE, "metrics, address: %.400s", why);
    return false;
  }
  int listener = agent_address_socket(&address, SOCK_STREAM, "metrics, port", message);
  if (listener < 0)
    return false;
  agent_address_print(where, &address);
  struct text failure;
  text_init(&failure);
  agent->http = exposition_open(listener, &agent->source, &failure);
  bool serves = agent->http != NULL && watch_descriptor(agent, exposition_descriptor(agent->http));
  if (!serves)
    snprintf(message, AGENT_MESSAGE, "metrics: %.450s",
             failure.length > 0 ? text_get(&failure) : "no descriptor is left to watch");
  text_clear(&failure);
  return serves;
}

static bool open_store(struct agent *agent, char *message) {
  struct tailproof_options options = {.folder = agent->config.store,
                                      .node = agent->config.node,
                                      .clock = TAILPROOF_CLOCK_MONOTONIC};
  if (agent->config.store[0] == '\0' || tailproof_open(&agent->store, &options) == 0)
    return true;
  agent->store = NULL;
  snprintf(message, AGENT_MESSAGE, "store: %.450s", tailproof_error());
  return false;
}

/* The names come before the writer, so that all histograms have their place from the start. */
static bool open_fleet(struct agent *agent, char *message) {
  uint64_t begin_ns = agent_now();
  if (!fleet_configure(&agent->fleet, &agent->config, agent->family, agent->store, NULL,
                       agent_now(), message))
    return false;
  if (agent->store == NULL)
    return true;
  agent->writer = tailproof_writer_open(agent->store);
  if (agent->writer == NULL)
    snprintf(message, AGENT_MESSAGE, "store: %.450s", tailproof_error());
  for (uint32_t i = 0; i < agent->fleet.count; i++) /* making the store took its time */
    agent->fleet.peers[i]->due_ns += agent_now() - begin_ns;
  return agent->writer != NULL;
}

static bool open_keeper(struct agent *agent, char *message) {
  if (!agent->config.has_profile)
    return true;
  agent->keeper = keeper_open(&agent->config.profile, message);
  agent->source.keeper = agent->keeper;
  return agent->keeper != NULL;
}

static bool open_all(struct agent *agent, char *message) {
  char where[AGENT_ADDRESS_TEXT] = "";
  if (!open_udp(agent, message) || !open_events(agent, message) ||
      !open_metrics(agent, where, message) || !open_store(agent, message) ||
      !open_fleet(agent, message) || !open_keeper(agent, message))
    return false;
  const struct agent_config *config = &agent->config;
  agent_say("%s on %s port %u; peers: %" PRIu32 ", each asked %.4g times a second; store: %s; "
            "metrics: %s%s%s",
            config->node, config->listen, config->port, agent->fleet.count,
            1e9 / (double)config->period_ns,
            agent->store != NULL ? tailproof_path(agent->store) : "none",
            agent->http != NULL ? "http://" : "none", where, agent->http != NULL ? "/metrics" : "");
  return true;
}

/* --- end ---------------------------------------------------------------------------------------
 */

static void close_descriptor(int descriptor) {
  if (descriptor >= 0)
    close(descriptor);
}

static void say_end(const struct agent *agent) {
  struct peer_counts all = {0};
  for (uint32_t i = 0; i < agent->fleet.count; i++) {
    all.sent += agent->fleet.peers[i]->counts.sent;
    all.answered += agent->fleet.peers[i]->counts.answered;
    all.lost += agent->fleet.peers[i]->counts.lost;
  }
  agent_say("ends; questions sent: %" PRIu64 ", answered: %" PRIu64 ", lost: %" PRIu64, all.sent,
            all.answered, all.lost);
}

/* False when the store could not be closed. */
static bool close_all(struct agent *agent, bool began) {
  exposition_close(agent->http);
  keeper_close(agent->keeper);
  for (uint32_t i = 0; i < agent->fleet.count; i++)
    peer_give_up(agent->fleet.peers[i], agent->writer);
  if (began)
    say_end(agent);
  fleet_clear(&agent->fleet);
  bool good = tailproof_close(agent->store) == 0;
  if (!good)
    agent_say("store: %s", tailproof_error());
  close_descriptor(agent->udp);
  close_descriptor(agent->signals);
  close_descriptor(agent->epoll);
  return good;
}

/* --- running -----------------------------------------------------------------------------------
 */

/* The key that cannot change while the agent runs, but did; NULL if none. */
static const char *fixed_key(const struct agent_config *a, const struct agent_config *b) {
  if (strcmp(a->node, b->node) != 0)
    return "node";
  if (strcmp(a->listen, b->listen) != 0)
    return "listen";
  if (a->port != b->port)
    return "port";
  if (strcmp(a->store, b->store) != 0)
    return "store";
  if (a->has_metrics != b->has_metrics || strcmp(a->metrics_address, b->metrics_address) != 0 ||
      a->metrics_port != b->metrics_port)
    return "metrics";
  if (a->has_profile != b->has_profile || memcmp(&a->profile, &b->profile, sizeof a->profile) != 0)
    return "profile";
  return NULL;
}

static bool take_over(struct agent *agent, const struct agent_config *next, char *message) {
  const char *key = fixed_key(&agent->config, next);
  if (key != NULL)
    snprintf(message, AGENT_MESSAGE, "%.300s: %s is another one: that takes a new start",
             agent->path, key);
  if (key != NULL)
    return false;
  if (!fleet_configure(&agent->fleet, next, agent->family, agent->store, agent->writer, agent_now(),
                       message)) {
    agent_config_name_file(message, agent->path);
    return false;
  }
  agent->config = *next;
  return true;
}

/* The file, and what the command line says instead of it. */
static int read_config(struct agent_config *config, const struct agent *agent, char *message) {
  int error = agent_config_read(config, agent->path, message);
  if (error != 0)
    return error;
  struct objective_config *objective = &config->profile.objective;
  if (agent->slo != NULL && config->profile.has_objective) {
    objective->share = agent->slo->share;
    objective->limit_ns = agent->slo->limit_ns;
  } else if (agent->slo != NULL) {
    snprintf(
        message, AGENT_MESSAGE,
        "%.300s: profile, objective is missing: give the store and the series that --slo is of",
        agent->path);
    return EBADMSG;
  }
  if (!config->profile.has_objective || objective->limit_ns != 0)
    return 0;
  snprintf(message, AGENT_MESSAGE,
           "%.300s: profile, objective, within_ms is missing; give it, or --slo 'p99<5ms'",
           agent->path);
  return EBADMSG;
}

static void reload(struct agent *agent) {
  char message[AGENT_MESSAGE];
  struct agent_config *next = malloc(sizeof *next);
  if (next == NULL)
    snprintf(message, sizeof message, "there is no memory");
  if (next != NULL && read_config(next, agent, message) == 0 && take_over(agent, next, message)) {
    agent_say("%s was read again; peers: %" PRIu32, agent->path, agent->fleet.count);
  } else {
    agent->counts.bad_reloads++;
    agent_say("%s; the old configuration stays", message);
  }
  free(next);
  agent->next_ns = 0;
}

/* The first signal that ends the agent lets it wait for answers, the second does not. */
static bool take_signals(struct agent *agent, enum agent_end *end) {
  struct signalfd_siginfo info;
  while (read(agent->signals, &info, sizeof info) == sizeof info) {
    if (info.ssi_signo == SIGHUP && !agent->draining)
      reload(agent);
    if (info.ssi_signo == SIGHUP)
      continue;
    if (agent->draining)
      return false;
    *end = info.ssi_signo == SIGINT ? AGENT_INTERRUPTED : AGENT_ENDED;
    agent->draining = true;
  }
  return true;
}

/* Until the next tick, in whole milliseconds. */
static int waiting_ms(const struct agent *agent) {
  uint64_t now_ns = agent_now();
  if (agent->http_again || agent->next_ns <= now_ns)
    return 0;
  return (int)((agent->next_ns - now_ns + 999999) / 1000000);
}

static void loop(struct agent *agent, enum agent_end *end) {
  bool going = true;
  while (going && !(agent->draining && agent_under_way(agent) == 0)) {
    struct epoll_event events[8];
    int count = epoll_wait(agent->epoll, events, 8, waiting_ms(agent));
    bool http = agent->http_again;
    for (int i = 0; i < count; i++)
      if (events[i].data.fd == agent->udp)
        agent_receive(agent);
      else if (events[i].data.fd == agent->signals)
        going = take_signals(agent, end);
      else
        http = true;
    if (agent->next_ns <= agent_now())
      http = agent_tick(agent) || http; /* idle connections are ended now and then */
    agent->http_again = http && agent->http != NULL && exposition_run(agent->http, agent_now());
  }
}

enum agent_end agent_run(const char *path, const struct agent_slo *slo) {
  char message[AGENT_MESSAGE];
  struct agent *agent = calloc(1, sizeof *agent);
  if (agent == NULL) {
    agent_say("there is no memory");
    return AGENT_FAILED;
  }
  agent->path = path;
  agent->slo = slo;
  agent->epoll = agent->udp = agent->signals = -1;
  fleet_init(&agent->fleet);
  agent->source = (struct page_source){agent->config.node, &agent->fleet, &agent->counts, NULL,
                                       agent->config.metrics_file};
  enum agent_end end = AGENT_ENDED;
  int error = read_config(&agent->config, agent, message);
  bool began = error == 0 && open_all(agent, message);
  if (error == 0 && !began)
    agent_config_name_file(message, path);
  if (began)
    loop(agent, &end);
  else
    agent_say("%s", message);
  if (!close_all(agent, began) || (error == 0 && !began))
    end = AGENT_FAILED;
  if (error != 0)
    end = error == EBADMSG ? AGENT_BAD_CONFIG : error == ENOMEM ? AGENT_FAILED : AGENT_NO_CONFIG;
  free(agent);
  return end;
}
