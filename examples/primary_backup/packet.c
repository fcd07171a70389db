/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the nodes share.
 */
#include "examples/common/complain.h"
#include "examples/common/moment.h"
#include "examples/primary_backup/system.h"

#include <string.h>

bool packet_read(struct packet *packet, const struct datagram *datagram) {
  if (datagram->bytes != sizeof *packet)
    return false;
  memcpy(packet, datagram->data, sizeof *packet);
  return true;
}

uint64_t work_until(struct random *random, uint64_t mean_us) {
  uint64_t mean_ns = mean_us * 1000;
  return moment_ns() + mean_ns / 2 + random_upto(random, mean_ns);
}

bool arrival_record(struct tailproof_writer *writer, const char *node, int name,
                    const struct packet *packet, bool with_backup, uint64_t arrived,
                    uint64_t start) {
  struct tailproof_event event = {.name = name,
                                  .instance = packet->request,
                                  .end = arrived,
                                  .count = with_backup ? 1 : 0,
                                  .arguments = {with_backup ? packet->backup : 0}};
  if (tailproof_arrive(writer, &event, packet->stamp) != 0) {
    complain("%s: a message's stamp is of another clock, so that its delay is not known; nothing "
             "is written",
             node);
    return false;
  }
  event.start = arrived;
  event.end = start;
  tailproof_dequeue_at(writer, &event);
  return true;
}
