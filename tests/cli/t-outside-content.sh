#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# record --probes reads what was received: pointers that a call was given are kept from its entry to its return. So messages without
# a position in a stream (UDP, Unix sockets) are paired by what is in them; probes on sockets read messages whatever call it was.
. "$(dirname "$0")/tap.sh"
cd "$scratch" || exit 70
cat >talk.c <<'END_C'
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>
/* As SSL_read: what it leaves in the buffer is what was received; it calls itself. */
__attribute__((noinline)) int take(char *to, int most, int deep) {
  int got = deep == 0 ? snprintf(to, (size_t)most, "inner") : 0;
  char other[16];
  if (deep > 0) {
    take(other, 16, deep - 1);
    got = snprintf(to, (size_t)most, "outer %d", deep);
  }
  __asm__ volatile("" : : "r"(other), "r"(to) : "memory");
  return got;
}
int main(int argc, char **argv) {
  int pair[2], sum = 0;
  (void)argv;
  if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) != 0) return 1;
  for (int i = 0; i < 40; i++) { /* two under way at a time, and the second is answered first */
    uint16_t ask[2] = {(uint16_t)((2 * i & 255) << 8 | 1), (uint16_t)((2 * i + 1) << 8 | 1)}, got[2], out;
    struct iovec into = {&got[1], 2}, from = {&out, 2};
    struct msghdr in = {.msg_iov = &into, .msg_iovlen = 1}, back = {.msg_iov = &from, .msg_iovlen = 1};
    sendto(pair[0], &ask[0], 2, 0, NULL, 0);
    sendto(pair[0], &ask[1], 2, 0, NULL, 0);
    recvfrom(pair[1], &got[0], 2, 0, NULL, NULL);
    recvmsg(pair[1], &in, 0);
    out = got[1];
    sendmsg(pair[1], &back, 0);
    out = got[0];
    sendmsg(pair[1], &back, 0);
    char piece[2];
    sum += (int)read(pair[0], piece, 2);
    sum += (int)read(pair[0], piece, 2);
    char text[16];
    sum += take(text, 16, 1);
  }
  return printf("%d\n", sum * argc) < 0;
}
END_C
gcc -O2 -fno-optimize-sibling-calls -Wl,--build-id -o talk talk.c 2>gcc.log || { cat gcc.log; echo "not ok 1 - gcc"; exit 69; }
cat >probes.yaml <<END
probes:
  ask: {syscall: sendto, read: {id: "*(arg2) be16", size: arg3}}
  one: {syscall.exit: recvfrom, read: {id: "*(arg2) be16", size: ret, fd: arg1}}
  two: {syscall.exit: recvmsg, read: {id: "*(*(*(arg2+16))) be16", size: ret}}
  tell: {syscall: sendmsg, read: {id: "*(*(*(arg2+16))) be16"}}
  got: {syscall.exit: read, read: {id: "*(arg2) be16", size: ret, text: "string(arg2, ret, 4)"}}
  each: {uretprobe: "$scratch/talk:take", returns: each, read: {text: "string(arg1, ret, 16)", deep: arg3, size: ret}}
  back: {uretprobe: "$scratch/talk:take", read: {text: "string(arg1, 16)", deep: arg3, size: ret}}
places: {all: 'talk'}
moments:
  asked: {probe: ask, at: all}
  answered: {probe: got, at: all, where: id == asked.id and size == 2}
request: {name: ask, node: all, from: asked, to: answered}
steps:
  all.Ask: {from: asked, to: answered, component: Ask}
END
run record --probes probes.yaml --with perf --dry-run
check "what is in memory needs BPF" 'exits 65' 'err "probe ask (line 2)"' '[ "$(wc -l <err)" -eq 1 ]'
for wrong in 'syscall.exit: close, read: {x: arg2}' "uretprobe: \"$scratch/talk:take\", read: {x: arg7}" 'tracepoint: "sched:sched_switch", read: {x: arg1}'; do
  printf 'probes:\n  a: {%s}\n' "$wrong" >wrong.yaml
  run record --probes wrong.yaml --dry-run
  check "no such argument: ${wrong%%,*}" 'exits 65' 'err "argument"' '[ "$(wc -l <err)" -eq 1 ]'
done
run record --probes probes.yaml --keep-events events --json -- ./talk
if [ "$status" -eq 69 ]; then
  check "this machine does not permit it: one line says so" '[ "$(wc -l <err)" -eq 1 ]'
  echo "# left out: everything that attaches probes, as this machine does not permit it"
  finish
  exit 0
fi
check "what was received is read: a buffer, behind two pointers, of a read" 'exits 0' '[ "$(grep -c " one .* id=[0-9]* size=2 fd=" events)" -eq 40 ]' \
  '[ "$(grep -c " two .* id=[0-9]* size=2" events)" -eq 40 ]' \
  '[ "$(sed -n "s/.* ask .* id=\([0-9]*\) .*/\1/p" events | sort)" = "$(sed -n "s/.* got .* id=\([0-9]*\) size=2 .*/\1/p" events | sort)" ]'
check "each call has its own arguments, also one within another, at the return and at its instructions" \
  '[ "$(grep -c " each .* text=\"inner\" deep=0 size=5" events)" -eq 40 ]' '[ "$(grep -c " each .* text=\"outer 1\" deep=1 size=7" events)" -eq 40 ]' \
  '[ "$(grep -c " back .* text=\"inner\" deep=0 size=5" events)" -eq 40 ]' '[ "$(grep -c " back .* text=\"outer 1\" deep=1 size=7" events)" -eq 40 ]'
sed -n 's/^[0-9]* ask \([0-9]*\) .*/\1 talk/p' events | sort -u >processes
run record pair probes.yaml events --processes processes --out store
check "answers that overtake each other on one socket are paired by their number" 'exits 0' 'out "80 of 80 requests paired (100.00 %)"' '! out "in their order"'

# --- sockets of all kinds ---

cat >ends.c <<'END_C'
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>
static int bound(int family, int type, const void *address, socklen_t size) {
  int s = socket(family, type, 0);
  return bind(s, address, size) == 0 && (type == SOCK_DGRAM || listen(s, 1) == 0) ? s : -1;
}
/* A client says hello before it is accepted, and is answered. */
static void greet(const struct sockaddr_un *at, socklen_t size) {
  char text[16];
  int server = bound(AF_UNIX, SOCK_STREAM, at, size), client = socket(AF_UNIX, SOCK_STREAM, 0);
  connect(client, (const struct sockaddr *)at, size);
  send(client, "hello", 5, 0);
  int peer = accept(server, NULL, NULL);
  recv(peer, text, 2, MSG_PEEK);
  recv(peer, text, 16, 0);
  write(peer, "welcome", 7);
  read(client, text, 16);
}
int main(int argc, char **argv) {
  struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}}, from;
  socklen_t size = sizeof here;
  char text[64];
  int server = bound(AF_INET, SOCK_DGRAM, &here, size), client = bound(AF_INET, SOCK_DGRAM, &here, size);
  getsockname(server, (struct sockaddr *)&here, &size);
  printf("%d\n", ntohs(here.sin_port));
  fflush(stdout);
  getchar(); /* until probes are in place */
  sendto(client, "query", 5, 0, (struct sockaddr *)&here, size);
  recvfrom(server, text, 64, 0, (struct sockaddr *)&from, &size);
  sendto(server, "answer", 6, 0, (struct sockaddr *)&from, size);
  recv(client, text, 64, 0);
  connect(client, (struct sockaddr *)&here, size);
  write(client, "?", 1);
  read(server, text, 64);
  struct iovec parts[] = {{"one", 3}, {"two", 3}, {"three", 5}, {"", 0}, {"tail", 4}}, into[] = {{text, 4}, {text + 8, 8}};
  writev(client, parts, 3);
  readv(server, into, 2);
  struct mmsghdr many[3] = {{{.msg_iov = &parts[0], .msg_iovlen = 1}, 0}, {{.msg_iov = &parts[1], .msg_iovlen = 1}, 0}, {{.msg_iov = &parts[3], .msg_iovlen = 2}, 0}};
  sendmmsg(client, many, 3, 0);
  struct iovec room[3] = {{text, 16}, {text + 16, 16}, {text + 32, 16}};
  struct mmsghdr taken[3] = {{{.msg_iov = &room[0], .msg_iovlen = 1}, 0}, {{.msg_iov = &room[1], .msg_iovlen = 1}, 0}, {{.msg_iov = &room[2], .msg_iovlen = 1}, 0}};
  recvmmsg(server, taken, 3, 0, NULL);
  struct sockaddr_un path = {.sun_family = AF_UNIX}, name = {.sun_family = AF_UNIX, .sun_path = "\0ends-of"};
  strcpy(path.sun_path, argv[argc - 1]);
  greet(&path, sizeof path);
  greet(&name, offsetof(struct sockaddr_un, sun_path) + 8);
  return 0;
}
END_C
gcc -O1 -w -o ends ends.c || { echo "not ok 1 - gcc"; exit 69; }
printf 'probes:\n  a: {socket.send: unix run.sock}\n' >wrong.yaml
run record --probes wrong.yaml --dry-run
check "a path begins with / or @" 'exits 65' 'err "unix /PATH"'
coproc ends { ./ends "$scratch/run.sock"; }
exec 5<&"${ends[0]}" 6>&"${ends[1]}"
read -r port <&5
cat >ends.yaml <<END
probes:
  sent: {socket.send: udp $port, read: {local: local, remote: remote, bytes: bytes, text: "string(data, 16)", second: "*(data+1) u8"}}
  got: {socket.receive: udp $port, read: {local: local, remote: remote, bytes: bytes, text: "string(data, bytes, 16)"}}
  any: {socket.receive: udp, read: {text: "string(data+1, 3)"}}
  path: {socket.send: unix $scratch/run.sock, read: {local: local, remote: remote, bytes: bytes}}
  heard: {socket.receive: unix @ends-of, read: {local: local, remote: remote, bytes: bytes, text: "string(data, 8)", begun: begun}}
END
"$program" record --probes ends.yaml --pid "$ends_PID" --keep-events ends.events --ready-file ready >out 2>err & tracer=$!
until_true '[ -s ready ] || ! kill -0 $tracer'
echo >&6
wait $tracer
status=$? last="record --probes, sockets of all kinds"
texts() { sed -n "s/^[0-9]* $1 .* text=\"\([^\"]*\)\".*/\1/p" ends.events | paste -sd,; }
check "datagrams, by whatever call, of several in one call each" 'exits 0' '[ "$(texts sent)" = "query,answer,?,one,one,two" ]' \
  '[ "$(texts got)" = "query,?,onet,one,two,tail" ]' '[ "$(texts any)" = "uer,nsw,net,ne,wo,ail" ]'
check "their ports, also where a call says to whom, and what is too short for what is asked" \
  '[ "$(grep -c " sent .*remote=$port " ends.events)" -eq 6 ]' '[ "$(grep -c " sent .*local=$port remote=[1-9]" ends.events)" -eq 1 ]' \
  '[ "$(grep -c " sent .* second=" ends.events)" -eq 5 ]' '[ "$(grep " got " ends.events | grep -c remote=)" -eq 0 ]'
check "a call begins before it is done, and the next message of a call when the one before is done" \
  'awk '"'"'$2 == "sent" { sub(/.*begun=/, "", $NF); if ($NF >= $1 || $NF < last) exit 1; last = $NF; n++ } END { exit n != 7 }'"'"' ends.events'
check "Unix sockets by their path, and by their abstract name, of both ends" '[ "$(grep -c " path .* bytes=5 " ends.events)" -eq 1 ]' \
  '[ "$(grep -c " path .* bytes=7 " ends.events)" -eq 1 ]' '[ "$(texts heard)" = "hello,welcome" ]' \
  'awk '"'"'$2 == "heard" { split($5, a, "="); split($6, b, "="); if (n++ && (a[2] != other || b[2] != own)) exit 1; own = a[2]; other = b[2] } END { exit n != 2 }'"'"' ends.events'
finish
