#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# record --probes reads what was received: pointers that a call was given are kept from its entry to its return. So messages without
# a position in a stream (UDP, Unix sockets) are paired by what is in them.
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
finish
