/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/agent/work.h"

#include "measure/agent/watch.h"

#include <string.h>
#include <time.h>

/* Questions that are due within two milliseconds leave together: being woken costs more than
 * asking. */
static const uint64_t together_ns = 2000000;
static const uint64_t sweep_most_ns = 100000000, sweep_least_ns = 5000000;

uint64_t agent_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

uint64_t agent_under_way(const struct agent *agent) {
  uint64_t count = 0;
  for (uint32_t i = 0; i < agent->fleet.count; i++)
    count += peer_under_way(agent->fleet.peers[i]);
  return count;
}

/* --- packets -----------------------------------------------------------------------------------
 */

static void take_garbage(struct agent *agent, const struct wire_packet *packet, uint64_t now_ns) {
  char address[AGENT_ADDRESS_TEXT];
  agent_address_print(address, &packet->from);
  agent->counts.garbage++;
  agent_say_limited(&agent->garbage_limit, now_ns,
                    "a packet from %s is no probe (%s%zu bytes); counted, not answered", address,
                    packet->size == WIRE_BYTES ? "at least " : "", packet->size);
}

static void take_stranger(struct agent *agent, const struct wire_packet *packet, uint64_t now_ns) {
  char address[AGENT_ADDRESS_TEXT];
  agent_address_print(address, &packet->from);
  agent->counts.strangers++;
  agent_say_limited(&agent->stranger_limit, now_ns,
                    "a probe from %s, which is no peer's address; counted, not answered. Add it to "
                    "the peers of %.200s if it is one",
                    address, agent->path);
}

static void take_question(struct agent *agent, struct peer *peer, const struct wire_packet *packet,
                          const struct probe *question, uint64_t now_ns) {
  if (peer == NULL && !agent->config.answer_everybody) {
    take_stranger(agent, packet, now_ns);
    return;
  }
  struct probe answer = {PROBE_ANSWER, question->sequence, now_ns};
  wire_send(agent->udp, &answer, &packet->from); /* one that is not sent is lost to the asker */
  if (peer != NULL)
    peer->counts.questions++;
  else
    agent->counts.answered_strangers++;
}

static void take_packet(struct agent *agent, const struct wire_packet *packet, uint64_t now_ns) {
  struct probe probe;
  if (!probe_decode(&probe, packet->bytes, packet->size)) {
    take_garbage(agent, packet, now_ns);
    return;
  }
  struct peer *peer = fleet_find(&agent->fleet, &packet->from);
  if (probe.kind == PROBE_QUESTION)
    take_question(agent, peer, packet, &probe, now_ns);
  else if (peer == NULL)
    take_stranger(agent, packet, now_ns);
  else
    watch_answered(
        peer, peer_answered(peer, agent->writer, &probe, agent->config.drift_ppm, now_ns), now_ns);
}

/* A flood does not keep the agent from its other duties: the rest waits for the next round. */
void agent_receive(struct agent *agent) {
  struct wire_packet packets[WIRE_BATCH];
  uint32_t count = wire_receive(agent->udp, packets);
  uint64_t now_ns = agent_now();
  for (uint32_t i = 0; i < count; i++)
    take_packet(agent, &packets[i], now_ns);
}

/* --- time --------------------------------------------------------------------------------------
 */

static void ask(struct agent *agent, struct peer *peer) {
  struct probe question;
  peer_ask(peer, agent->writer, &question, agent_now());
  int error = wire_send(agent->udp, &question, &peer->address);
  if (error == 0)
    return;
  peer->counts.unsent++;
  agent_say_limited(&agent->unsent_limit, agent_now(),
                    "a question to peer %s could not be sent: %s; it will count as lost",
                    peer->name, strerror(error));
}

static void sweep(struct agent *agent, uint64_t now_ns) {
  uint64_t unrecorded = 0, step = agent->config.timeout_ns / 4;
  for (uint32_t i = 0; i < agent->fleet.count; i++) {
    struct peer *peer = agent->fleet.peers[i];
    if (peer_expire(peer, agent->writer, now_ns, agent->config.timeout_ns) != 0)
      watch_lost(peer, now_ns, agent->config.timeout_ns);
    unrecorded += peer->counts.unrecorded;
  }
  if (unrecorded != 0)
    agent_say_limited(&agent->unrecorded_limit, now_ns,
                      "the store has no place: durations are not recorded (they are counted); free "
                      "space in %.200s and start the agent again",
                      agent->config.store);
  if (step > sweep_most_ns)
    step = sweep_most_ns;
  agent->sweep_ns = now_ns + (step > sweep_least_ns ? step : sweep_least_ns);
}

bool agent_tick(struct agent *agent) {
  uint64_t now_ns = agent_now();
  bool swept = agent->sweep_ns <= now_ns;
  if (swept)
    sweep(agent, now_ns);
  uint64_t next_ns = agent->sweep_ns;
  for (uint32_t i = 0; i < agent->fleet.count && !agent->draining; i++) {
    struct peer *peer = agent->fleet.peers[i];
    if (peer->due_ns <= now_ns) {
      ask(agent, peer);
      fleet_next_question(&agent->fleet, peer, agent->config.period_ns, now_ns);
    }
    if (peer->due_ns < next_ns)
      next_ns = peer->due_ns;
  }
  agent->next_ns = next_ns > now_ns + together_ns ? next_ns : now_ns + together_ns;
  return swept;
}
