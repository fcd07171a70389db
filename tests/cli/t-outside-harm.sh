#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# record --probes harms nothing that it watches: each way in which a breakpoint or a return that is waited for could kill a program or
# change what it computes is tried, or refused with a remedy. TEST_ALL=1 also probes random places of this system's programs under load.
. "$(dirname "$0")/tap.sh"
cd "$scratch" || exit 70
refused() { check "$1" 'exits 65' '[ "$(wc -l <err)" -eq 1 ]' "${@:2}"; }
address() { printf '%d' "0x$(nm "$2" | awk -v name="$1" '$3 == name { print $1 }')"; }

cat >harm.c <<'END_C'
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
static ucontext_t home, there;
static volatile int sum;
static char above[1 << 16] __attribute__((aligned(64)));
__attribute__((noinline)) int work(int x) { __asm__ volatile("addl $0, (%%rsp)" ::: "memory"); return x + 1; }
__attribute__((noinline)) int outer(int x, ucontext_t *from, ucontext_t *to) {
#ifdef SWITCHES
  swapcontext(from, to);
#endif
  __asm__ volatile("" : : "r"(from), "r"(to) : "memory");
  return x + 2;
}
__attribute__((noinline)) int follows(int x) { sum++; return work(x + 5); }
__attribute__((noinline)) void handler(int number) { sum += work(number); }
__attribute__((noinline)) int raises(int x) { raise(SIGUSR1); return x + 3; }
static void coroutine(void) { for (;;) { sum += outer(2, &there, &home); sum += work(3); } }
static void *threaded(void *stack) {
  stack_t alternative = {.ss_sp = stack, .ss_size = 1 << 16};
  sigaltstack(&alternative, NULL);
#ifdef SWITCHES
  getcontext(&there);
  there.uc_stack.ss_sp = above;
  there.uc_stack.ss_size = sizeof above;
  makecontext(&there, coroutine, 0);
#else
  (void)coroutine;
#endif
  for (int i = 0; i < 10; i++) sum += outer(i, &home, &there) + work(i) + raises(i) + follows(i);
  return NULL;
}
static void deny(void) {
  struct sock_filter code[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0), BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 335, 0, 1),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  struct sock_fprog program = {4, code};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}
int main(int argc, char **argv) {
  pthread_t thread;
  struct sigaction act = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
  if (argc > 1 && strcmp(argv[1], "waits") == 0) { puts("ready"); fflush(stdout); for (;;) sum += work(usleep(1000)); }
  sigaction(SIGUSR1, &act, NULL);
  void *high = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  pthread_create(&thread, NULL, threaded, high);
  pthread_join(thread, NULL);
  for (int i = 0; i < 10; i++) { pid_t child = vfork(); if (child == 0) { work(1); _exit(0); } waitpid(child, NULL, 0); sum += work(2); }
  for (int i = 0; i < 3; i++) { pid_t child = fork(); if (child == 0) { work(1); execl("/bin/true", "true", (char *)0); } waitpid(child, NULL, 0); sum += work(2); }
  deny();
  for (int i = 0; i < 10; i++) sum += work(i);
  struct rlimit none = {1 << 20, 1 << 20};
  setrlimit(RLIMIT_AS, &none);
  for (int i = 0; i < 10; i++) sum += work(i);
  return printf("sum %d\n", sum) < 0;
}
END_C
gcc -O2 -fno-optimize-sibling-calls -Wl,--build-id -o harm harm.c 2>gcc.log && gcc -O2 -DSWITCHES -fno-optimize-sibling-calls -Wl,--build-id -o fibers harm.c 2>>gcc.log &&
  gcc -O2 -Wl,--build-id -o tails harm.c 2>>gcc.log || { cat gcc.log; echo "not ok 1 - gcc"; exit 69; }
# all_of PROGRAM [MORE]: both ends of its functions
all_of() {
  echo probes:
  local i=0 name
  for name in work outer follows raises handler; do
    i=$((i + 1))
    printf '  at%d: {uprobe: "%s/%s:%s"}\n  of%d: {uretprobe: "%s/%s:%s"%s}\n' $i "$scratch" "$1" $name $i "$scratch" "$1" $name "$2"
  done
}

# --- what is refused without attaching ---

all_of fibers >probes.yaml
run record --probes probes.yaml --dry-run
refused "a return is not waited for where stacks are switched" 'err "fibers: switches stacks (swapcontext), so that functions do not return"' 'err "say returns: each"'
all_of fibers ', returns: each' >probes.yaml
run record --probes probes.yaml --dry-run --json
check "... but each return instruction can be probed" 'exits 0' 'json "map(select(.kind == \"planned_probe\")) | length == 10"'
printf 'probes:\n  a: {uretprobe: "%s/tails:follows", returns: each}\n' "$scratch" >probes.yaml
run record --probes probes.yaml --dry-run
refused "... unless another function returns in its place" 'err "follows goes on in another function by the jump at follows+"'
printf 'probes:\n  a: {uprobe: "%s/tails:follows", returns: each}\n' "$scratch" >probes.yaml
run record --probes probes.yaml --dry-run
refused "returns: each is of returns" 'err "line 2: returns: each (a probe on each return instruction"'

libc=$(readlink -f "$(ldd harm | awk '/libc.so/ { print $3 }')")
sigsetjmp=$(nm -D --defined-only "$libc" | awk '$3 ~ /^__sigsetjmp@/ { print $1 }')
for place in ":__sigsetjmp" ":_setjmp" ":vfork" "+$(printf '%#x' "0x$sigsetjmp") build-id=$(readelf -n "$libc" | sed -n 's/.*Build ID: //p')"; do
  printf 'probes:\n  a: {uretprobe: "%s%s", returns: nested}\n' "$libc" "$place" >probes.yaml
  run record --probes probes.yaml --dry-run
  refused "a return is not waited for that comes twice: $place" 'err "returns more than once to where it was called"' 'err "take a uprobe"'
done
printf 'probes:\n  a: {uprobe: "%s:__sigsetjmp"}\n  b: {uretprobe: "%s:getppid"}\n' "$libc" "$libc" >probes.yaml
run record --probes probes.yaml --dry-run
check "... but its beginning, and what returns once" 'exits 0'

cat >throws.cc <<'END_C'
#include <cstdio>
#include <stdexcept>
extern "C" __attribute__((noinline)) int thrower(int x) { if (x % 2) throw std::runtime_error("odd"); __asm__ volatile("" ::: "memory"); return x; }
int main() { int sum = 0; for (int i = 0; i < 10; i++) try { sum += thrower(i); } catch (std::exception &) { sum += 100; } return printf("%d\n", sum) < 0; }
END_C
g++ -O1 -Wl,--build-id -o throws throws.cc
printf 'probes:\n  a: {uretprobe: "%s/throws:thrower"}\n' "$scratch" >probes.yaml
run record --probes probes.yaml --dry-run
refused "a return is not waited for that an exception may take the place of" 'err "throws: has exceptions ("' 'err "say returns: each"'

cat >deadly.s <<'END_S'
  .text
  .globl main
  .type main, @function
main: nop
call:  mov $39, %eax
asks:  syscall
store: pushfq
       popfq
       xor %eax, %eax
       ret
  .size main, . - main
  .section .note.GNU-stack, "", @progbits
END_S
gcc -no-pie -Wl,--build-id -o deadly deadly.s
main=$(address main deadly)
for place in asks store; do
  printf 'probes:\n  a: {uprobe: "%s/deadly:main+%d"}\n' "$scratch" $(($(address $place deadly) - main)) >probes.yaml
  run record --probes probes.yaml --dry-run
  refused "no probe on what a step over it would kill: $place" 'err "is a system call or stores the flags, which a program does not survive"' 'err "take the next one, main+"'
done

# --- what is probed goes on ---

printf 'probes:\n  a: {uprobe: "%s/harm:work"}\n' "$scratch" >probes.yaml
run record --probes probes.yaml -- ./harm
if [ "$status" -eq 69 ]; then
  echo "# left out: everything that attaches probes, as this machine does not permit it"
  finish
  exit 0
fi
printf 'probes:\n  a: {uretprobe: "%s/throws:thrower", returns: each}\n' "$scratch" >probes.yaml
run record --probes probes.yaml -- ./throws
check "exceptions pass by a probe on each return" 'exits 0' 'grep -qx "$(./throws)" out'
all_of harm >probes.yaml
run record --probes probes.yaml -- ./harm
refused "a return is not waited for where handlers of signals have a stack of their own" 'err "./harm gives signal handlers a stack of their own"' 'err "returns: each"'
all_of harm ', returns: nested' >probes.yaml
run record --probes probes.yaml --dry-run
check "... unless its user says that all returns in order" 'exits 0'
for means in bpf perf; do
  for program_in in harm fibers; do
    all_of $program_in ', returns: each' >probes.yaml
    ./$program_in >usual
    run record --probes probes.yaml --with $means --json -- ./$program_in
    [ "$status" -ne 69 ] || continue
    check "signals on stacks of their own, fibers, vfork, exec, seccomp, no memory left: $program_in, by $means" 'exits 0' 'grep -qx "$(cat usual)" err' \
      'json "map(select(.kind == \"probe\")) | length == 10 and all(.hits >= 10 and (.lost // 0) == 0)"'
  done
done

# The file as another recorder shows it has breakpoints in it; what is read of it must not.
printf 'probes:\n  a: {uprobe: "%s/harm:work"}\n  b: {uretprobe: "%s/harm:work"}\n' "$scratch" "$scratch" >probes.yaml
./harm waits >ready & waits=$!
until_true '[ -s ready ]'
"$program" record --probes probes.yaml --pid $waits --ready-file both >first 2>&1 & first=$!
until_true '[ -s both ] || ! kill -0 $first'
run record --probes probes.yaml --dry-run
check "a second recorder reads the program, not the probes of the first" 'exits 0' 'out "work, at its return"'
objdump -d --no-show-raw-insn harm | awk -v RS= '/<work>:/' | sed -n 's/^ *\([0-9a-f]*\):.*/\1/p' >begins
work=$(address work harm)
printf 'probes:\n  a: {uprobe: "%s/harm:work+1"}\n' "$scratch" >probes.yaml
run record --probes probes.yaml --dry-run
refused "... so that it finds the same places" 'err "work+1 is inside an instruction"'
kill -9 $first
wait $first 2>/dev/null
check "the program runs on when its recorder is killed" 'kill -0 $waits' '[ "$(cut -d" " -f3 /proc/$waits/stat)" != Z ]'
kill $waits
wait $waits 2>/dev/null

# Who else uses the file: a library of its own, as programs beside this test may switch stacks, too.
mkdir own && cp "$(ldd harm | awk '/libc.so/ { print $3 }')" own/libc.so.6
LD_LIBRARY_PATH=$scratch/own ./fibers waits >ready1 & waits=$!
until_true '[ -s ready1 ]'
printf 'probes:\n  a: {uretprobe: "%s/own/libc.so.6:getppid"}\n' "$scratch" >probes.yaml
run record --probes probes.yaml -- true
refused "nor in a library that a program uses which switches stacks" "err \"process $waits (fibers) uses \"" 'err "switches stacks (swapcontext)"' 'err "or keep to other processes, with --pid and children: no"'
sed -i 's/"}/", children: no}/' probes.yaml
run record --probes probes.yaml -- true
check "... unless the probe is not put into that process" 'exits 0'
kill $waits
wait $waits 2>/dev/null
ln "$scratch/harm" qemu-x86_64
./qemu-x86_64 waits >ready2 & waits=$!
until_true '[ -s ready2 ]'
printf 'probes:\n  a: {uprobe: "%s/harm:work"}\n' "$scratch" >probes.yaml
run record --probes probes.yaml -- ./harm
refused "nor where a program is translated" "err \"process $waits (qemu-x86_64) uses \"" 'err "translates it for the processor"'
kill "$waits"
[ -n "${TEST_ALL:-}" ] || { finish; exit 0; }

# --- random places of this system's programs, under load ---

cd - >/dev/null || exit 70
ROUNDS=${ROUNDS:-2} PROGRAMS=12 . tests/fuzz/probed_programs.sh
if command -v valgrind >/dev/null; then
  valgrind -q ./harm waits >ready3 2>&1 & waits=$!
  until_true '[ -s ready3 ]'
  run record --probes probes.yaml -- ./harm
  refused "Valgrind is seen" "err \"process $waits (\"" 'err "translates it for the processor"'
  kill -9 $waits
fi
finish
