// A node of the lock's ring in C++: node NUMBER NODES TURNS. Packets come from standard input and go to standard
// output; what happens is said on standard error. It ends when it has passed the lock on TURNS times.
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "lock_node_step.h"

namespace {

[[noreturn]] void fail(const std::string &reason) { throw std::runtime_error(reason); }

int32_t number(const char *text, long low, long high) {
  char *end = nullptr;
  const long value = std::strtol(text, &end, 10);
  if (end == text || *end != '\0' || value < low || value > high)
    fail(std::string(text) + ": a whole number from " + std::to_string(low) + " to " + std::to_string(high));
  return static_cast<int32_t>(value);
}

class Ring {
public:
  Ring(int32_t i, int32_t n) : i(i), params{n, 0} { node_init(&self, &params, i); }

  // Passes the lock on if this node has it.
  bool pass() {
    const tp_verdict verdict = node_act(&self, &params, i, &out, &action);
    if (verdict == TP_RANGE)
      fail("the number of the next hop does not fit");
    if (verdict == TP_DISABLED)
      return false;
    if (out.Transfer_to != tp_next(i, params.n))
      fail("the pipe leads to another node");
    const tp_message message{lock_Transfer, {out.Transfer_epoch}};
    uint8_t packet[TP_BYTES];
    tp_message_encode(packet, &message);
    if (std::fwrite(packet, 1, sizeof packet, stdout) != sizeof packet || std::fflush(stdout) != 0)
      fail("the next node is gone");
    std::fprintf(stderr, "node %d, C++: passes the lock on, epoch %d\n", i, out.Transfer_epoch);
    return true;
  }

  // Waits for a packet and takes the step that it asks for.
  void receive() {
    uint8_t packet[TP_BYTES];
    tp_message message;
    if (std::fread(packet, 1, sizeof packet, stdin) != sizeof packet)
      fail("the node before is gone");
    if (!tp_message_decode(&message, packet, sizeof packet) || !lock_message_valid(&message, &params)) {
      std::fprintf(stderr, "node %d, C++: refuses what is no message\n", i);
      return;
    }
    if (node_take(&self, &params, i, &out, &action, &message) == TP_DONE)
      std::fprintf(stderr, "node %d, C++: has the lock, epoch %d\n", i, self.epoch);
    else
      std::fprintf(stderr, "node %d, C++: takes no step for an old token\n", i);
  }

private:
  int32_t i;
  lock_params params;
  node self;
  node_sends out;
  node_action action;
};

} // namespace

int main(int count, char **arguments) try {
  if (count != 4)
    fail("usage: node NUMBER NODES TURNS");
  const int32_t n = number(arguments[2], 1, TP_NODES);
  Ring ring(number(arguments[1], 0, n - 1), n);
  for (int32_t left = number(arguments[3], 1, 1000000); left > 0;)
    if (ring.pass())
      left--;
    else
      ring.receive();
  return 0;
} catch (const std::exception &error) {
  std::fprintf(stderr, "node: %s\n", error.what());
  return 1;
}
