#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Messages of real programs, recorded by probes on sockets: none is received before it was sent, though who polls has it before the call
# is done that sends it; and requests that overlap on a connection are paired as a reference pairs them that knows the size or the number
# of each answer. The sample is some hundred requests to Redis; TEST_ALL=1 takes 100 000 exchanges, 4000 requests, MQTT and DNS.
. "$(dirname "$0")/tap.sh"
cd "$scratch" || exit 70

# --- who polls ---

cat >exchange.c <<'END_C'
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
static int take(int s, char *bytes) {
  ssize_t got;
  while ((got = recv(s, bytes, 64, MSG_DONTWAIT)) < 0) sched_yield();
  return got > 0;
}
static int at_once(int s) {
  int one = 1;
  setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  return s;
}
int main(int argc, char **argv) {
  int count = atoi(argv[argc - 1]), how;
  char bytes[64] = {0};
  struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  socklen_t size = sizeof here;
  int server = socket(AF_INET, SOCK_STREAM, 0);
  bind(server, (struct sockaddr *)&here, size);
  listen(server, 1);
  getsockname(server, (struct sockaddr *)&here, &size);
  printf("%d\n", ntohs(here.sin_port));
  fflush(stdout);
  getchar();
  if (fork() == 0) {
    int s = at_once(socket(AF_INET, SOCK_STREAM, 0));
    connect(s, (struct sockaddr *)&here, size);
    for (int i = 0; i < count; i++)
      if (write(s, bytes, 40) != 40 || !take(s, bytes)) return 1;
    return 0;
  }
  int s = at_once(accept(server, NULL, NULL));
  for (int i = 0; i < count; i++)
    if (!take(s, bytes) || send(s, bytes, 50, 0) != 50) return 1;
  wait(&how);
  return how != 0;
}
END_C
gcc -O1 -w -o exchange exchange.c || { echo "not ok 1 - gcc"; exit 69; }
[ -n "${TEST_ALL:-}" ] && exchanges=100000 requests=4000 || exchanges=3000 requests=400
coproc exchange { ./exchange $exchanges; }
exec 5<&"${exchange[0]}" 6>&"${exchange[1]}"
read -r port <&5
# once as TCP says that it takes over the bytes, and once by system calls, which a probe that reads the message needs
cat >exchange.yaml <<END
probes:
  sent: {socket.send: $port, read: {local: local, remote: remote, ends: ends}}
  called: {socket.send: $port, read: {local: local, remote: remote, ends: ends, head: "*(data) u8"}}
  got: {socket.receive: $port, read: {local: local, remote: remote, ends: ends}}
END
run record --probes exchange.yaml --dry-run
if [ "$status" -eq 69 ]; then
  echo >&6
  check "this kernel does not describe sockets, and one line says so" '[ "$(wc -l <err)" -eq 1 ]'
  finish
  exit 0
fi
"$program" record --probes exchange.yaml --pid "$exchange_PID" --keep-events events --ready-file ready >out 2>err & tracer=$!
until_true '[ -s ready ] || ! kill -0 $tracer'
echo >&6
wait $tracer
status=$? last="record --probes, two processes that poll"
if [ "$status" -eq 69 ]; then
  check "this machine does not permit it: one line says so" '[ "$(wc -l <err)" -eq 1 ]'
  echo "# left out: everything that attaches probes, as this machine does not permit it"
  finish
  exit 0
fi
cat >causal.py <<'END'
import re, sys
begun, done, got = {"sent": {}, "called": {}}, {}, {}
for line in open("events"):
    found = re.match(r"(\d+) (\w+) \d+ \d+ local=(\d+) remote=(\d+) ends=(\d+)(?: .*begun=(\d+)| begun=(\d+))?$", line)
    if found and found[2] == "got":
        got[found[4], found[3], found[5]] = int(found[1])
    elif found:
        key = found.group(3, 4, 5)
        done[key], begun[found[2]][key] = int(found[1]), int(found[6] or found[7])
count, early = int(sys.argv[1]), sum(got[key] < done[key] for key in done)
print("# %d of %d messages were received before the call was done that sent them" % (early, len(done)))
assert len(done) == len(got) == len(begun["sent"]) == len(begun["called"]) == 2 * count, (len(done), len(got))
assert all(got[key] > begun[how][key] for how in begun for key in got)
assert all(begun["called"][key] <= begun["sent"][key] < done[key] for key in done)
END
python3 causal.py $exchanges >causal 2>&1
caused=$?
cat causal
check "none of $((2 * exchanges)) messages is received before it was sent" 'exits 0' '[ $caused -eq 0 ]'

# --- a reference ---

# As messages between a client and a server; `paired` holds the file against the reference's durations, one a line.
cat >compare.py <<'END'
import csv, gzip, sys
reference = sorted(map(int, open("reference")))
rows = [row for row in csv.reader(gzip.open("in/joint.csv.gz", "rt")) if not row[0].startswith("#")]
column = rows[0].index("request.got_ns")
paired = sorted(float(row[column]) for row in rows[1:] if row[column] not in ("inf", "unpaired", "-"))
print("# paired %d of %d" % (len(paired), len(reference)))
assert len(reference) >= int(sys.argv[1]) and len(paired) >= 0.999 * len(reference)
for percentile in (50, 90, 99):
    wanted, got = (list[int(len(list) * percentile / 100)] for list in (reference, paired))
    print("# p%d: reference %.3f ms, paired %.3f ms" % (percentile, wanted / 1e6, got / 1e6))
    assert abs(got - wanted) <= 0.01 * wanted
END
cat >messages.yaml <<'END'
request: {name: got, node: client, from: asked, to: answered}
queueing: Queuing
steps:
  client.Begin: {at: asked}
  server.Work: {from: taken, to: told, component: Work}
messages:
  Ask: {from: client, to: server, sent: asked, arrived: taken, delay: d}
  Answer: {from: server, to: client, sent: told, arrived: answered, delay: d}
END
paired() { # NAME COUNT
  rm -rf store in
  run record pair "$1.yaml" "$1.events" --out store
  "$program" import --out in store >/dev/null
  python3 "$1_reference.py" "$1.events" >reference && python3 compare.py "$2" >compared 2>&1
  compared=$?
  cat compared
  check "$1: requests that overlap are paired as by the reference" 'exits 0' '[ $compared -eq 0 ]'
}
stream_probes() { # PORT
  echo "probes:"
  printf '  %s: {socket.%s: %s, read: {local: local, remote: remote, begins: begins, ends: ends, size: bytes}}\n' send send "$1" take receive "$1"
}
# Answers of one size: where the i-th ends is known by where the first begins. argv: the file, the size, whose answers.
cat >by_position.py <<'END'
import re, sys
def durations(path, size, asks, answers):
    asked, taken = [], []
    text = open(path).read()
    who = dict(re.findall(r"^process (\d+) (.*)", text, re.M))
    for found in re.finditer(r"^(\d+) (send|take) (\d+) \d+ local=(\d+) remote=(\d+) begins=(\d+) ends=(\d+) size=(\d+)(?: begun=(\d+))?$", text, re.M):
        name = who[found[3]]
        if found[2] == "send" and asks in name and (asks != answers or int(found[8]) > 0):
            asked.append((int(found[9]), int(found[8])))
        if found[2] == "take" and answers in name:
            taken.append((int(found[1]), int(found[6]), int(found[7])))
    base, at, i = taken[0][1], 0, 0
    for begun, _ in sorted(asked):
        i += 1
        while (taken[at][2] - base) % 2**64 < size * i << 32:
            at += 1
        print(taken[at][0] - begun)
END

# --- Redis ---

if command -v redis-server >/dev/null; then
  cat >redis_client.py <<'END'
import random, socket, sys, threading, time
port, count, rate = int(sys.argv[1]), int(sys.argv[2]), 400.0
random.seed(5)
server = socket.create_connection(("127.0.0.1", port))
server.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
def read():
    left = 14 * count
    while left:
        left -= len(server.recv(4096))
reader = threading.Thread(target=read)
reader.start()
due = time.monotonic()
for i in range(count):
    due += random.expovariate(rate)
    time.sleep(max(0, due - time.monotonic()))
    text = b"%08d" % i
    parts = [b"EVAL", b"for i=1,400000 do end return ARGV[1]", b"0", text] if i % 40 == 39 else [b"ECHO", text]
    server.sendall(b"*%d\r\n" % len(parts) + b"".join(b"$%d\r\n%s\r\n" % (len(part), part) for part in parts))
reader.join()
END
  port=$(free_ports 1)
  redis-server --port $port --save "" --appendonly no >redis.log & server=$!
  until_true 'redis-cli -p $port ping >/dev/null 2>&1 || (exec 3<>/dev/tcp/127.0.0.1/$port) 2>/dev/null'
  { stream_probes $port; cat - messages.yaml <<END; } >redis.yaml
places: {client: 'redis_client', server: 'redis-server'}
moments:
  asked:    {probe: send, at: client}
  taken:    {probe: take, at: server, where: remote == asked.local and ends >= asked.ends}
  told:     {probe: send, at: server, where: remote == asked.local and thread == taken.thread}
  answered: {probe: take, at: client, where: local == asked.local and ends >= told.ends}
END
  cat >redis_reference.py <<'END'
import sys
from by_position import durations
durations(sys.argv[1], 14, "redis_client", "redis_client")
END
  run record --probes redis.yaml --pid $server --keep-events redis.events -- python3 redis_client.py $port $requests
  kill $server
  paired redis $requests
else
  echo "# left out: Redis, which is not installed"
fi
[ -n "${TEST_ALL:-}" ] || { finish; exit 0; }

# --- MQTT: 60 messages a second, every tenth follows at once ---

if command -v mosquitto >/dev/null; then
  cat >mqtt_client.py <<'END'
import random, socket, sys, time
port, count, what = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
broker = socket.create_connection(("127.0.0.1", port))
broker.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
broker.sendall(b"\x10\x0f\x00\x04MQTT\x04\x02\x00\x00\x00\x03" + what.encode())
broker.recv(4)
if what == "sub":
    broker.sendall(b"\x82\x06\x00\x01\x00\x01t\x00")
    broker.recv(5)
    open("subscribed", "w")
    left = 13 * count
    while left:
        left -= len(broker.recv(4096))
else:
    random.seed(7)
    due = time.monotonic()
    for i in range(count):
        due += random.expovariate(60.0) if i % 10 else 0.0001
        time.sleep(max(0, due - time.monotonic()))
        broker.sendall(b"\x30\x0b\x00\x01t%08d" % i)
    time.sleep(0.5)
END
  port=$(free_ports 1)
  printf 'listener %s 127.0.0.1\nallow_anonymous true\n' $port >mosquitto.conf
  mosquitto -c mosquitto.conf >mosquitto.log 2>&1 & server=$!
  until_true '(exec 3<>/dev/tcp/127.0.0.1/$port) 2>/dev/null'
  python3 mqtt_client.py $port 1500 sub & subscriber=$!
  until_true '[ -e subscribed ]'
  { stream_probes $port; cat - messages.yaml <<END; } | sed 's/to: client, sent: told/to: subscriber, sent: told/; s/node: client/node: subscriber/' >mqtt.yaml
places: {client: 'mqtt_client.py .* pub', subscriber: 'mqtt_client.py .* sub', server: 'mosquitto'}
moments:
  asked:    {probe: send, at: client, where: size == 13}
  taken:    {probe: take, at: server, where: remote == asked.local and ends >= asked.ends}
  told:     {probe: send, at: server, where: thread == taken.thread and remote != asked.local}
  answered: {probe: take, at: subscriber, where: local == told.remote and ends >= told.ends}
END
  cat >mqtt_reference.py <<'END'
import re, sys
text = open(sys.argv[1]).read()
open("mqtt.answers", "w").write(re.sub(r"^\d+ send .* size=(?!13 ).*\n", "", text, flags=re.M)) # without what connects
from by_position import durations
durations("mqtt.answers", 13, " pub", " sub")
END
  run record --probes mqtt.yaml --pid $server --pid $subscriber --keep-events mqtt.events -- python3 mqtt_client.py $port 1500 pub
  kill $server
  paired mqtt 1500
else
  echo "# left out: MQTT, as mosquitto is not installed"
fi

# --- DNS: up to 20 queries at a time over one socket ---

if command -v dnsmasq >/dev/null && command -v dnsperf >/dev/null; then
  port=$(free_ports 1)
  dnsmasq --no-daemon --no-resolv --no-hosts --port=$port --listen-address=127.0.0.1 --bind-interfaces --address=/test/10.0.0.1 \
    --conf-file=/dev/null --pid-file= >dnsmasq.log 2>&1 & server=$!
  seq -f 'h%g.test A' 2000 >queries
  cat - messages.yaml >dns.yaml <<'END'
probes:
  send: {socket.send: udp, read: {id: "*(data) be16", flags: "*(data+2) be16", local: local}}
  take: {socket.receive: udp, read: {id: "*(data) be16", flags: "*(data+2) be16", local: local}}
places: {client: 'dnsperf', server: 'dnsmasq'}
moments:
  asked:    {probe: send, at: client, where: flags == 0x100}
  taken:    {probe: take, at: server, where: id == asked.id and flags == 0x100}
  told:     {probe: send, at: server, where: id == asked.id and thread == taken.thread and flags > 0x7fff}
  answered: {probe: take, at: client, where: id == asked.id and local == asked.local}
END
  cat >dns_reference.py <<'END'
import re, sys
text, asked = open(sys.argv[1]).read(), {}
client = set(re.findall(r"^process (\d+) .*dnsperf", text, re.M))
events = sorted((int(begun or time), kind, id) for time, kind, process, id, begun in
                re.findall(r"^(\d+) (send|take) (\d+) \d+ id=(\d+) \S+ \S+(?: begun=(\d+))?$", text, re.M) if process in client)
for time, kind, id in events:
    if kind == "send":
        asked[id] = time
    elif id in asked:
        print(time - asked.pop(id))
END
  run record --probes dns.yaml --pid $server --keep-events dns.events -- dnsperf -s 127.0.0.1 -p $port -d queries -c 1 -T 1 -q 20 -Q 2000 -n 3
  kill $server
  paired dns 5900
else
  echo "# left out: DNS, as dnsmasq or dnsperf are not installed"
fi
finish
