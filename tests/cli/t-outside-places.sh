#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# record --probes: a probe is put only where an instruction begins, and a name means one place, the
# right one; what is refused says what to write instead. Of a program of this system a sample of all
# places is tried, against what objdump shows.
. "$(dirname "$0")/tap.sh"
cd "$scratch" || exit 70

# planned KIND PLACE: what --dry-run says of one probe
planned() {
  printf 'probes:\n  a: {%s: "%s"}\n' "$1" "$2" >one.yaml
  run record --probes one.yaml --dry-run --json
}
offset() { printf '%d' "$(jq -r .offsets out)"; }
address() { printf '%d' "0x$(nm "${2:-prog}" | awk -v name="$1" '$3 == name { print $1 }')"; }
refused() { check "$1" 'exits 65' 'quiet_out' '[ "$(wc -l <err)" -eq 1 ]' "${@:2}"; }

# --- one name, several places ---

cat >one.c <<'END_C'
#include <stdio.h>
int twice(int);
__attribute__((noinline, noclone)) static int helper(int x) { __asm__ volatile("" : "+r"(x)); return x + 1; }
__attribute__((noinline)) int add(int x) { __asm__ volatile("" : "+r"(x)); return 3 * x + 5; }
int other_name(int) __attribute__((alias("add")));
__attribute__((noinline)) static int fast(int x) { __asm__ volatile("" : "+r"(x)); return x; }
__attribute__((noinline)) static int slow(int x) { __asm__ volatile("" : "+r"(x)); return x + 0; }
static int (*choose(void))(int) { __builtin_cpu_init(); return __builtin_cpu_supports("avx512f") ? fast : slow; }
int chosen(int) __attribute__((ifunc("choose")));
int main(void) {
  int sum = 0;
  for (int i = 0; i < 10; i++) sum += helper(i) + twice(i) + add(i) + chosen(i);
  return printf("%d\n", sum) < 0;
}
END_C
cat >two.c <<'END_C'
__attribute__((noinline, noclone)) static int helper(int x) { __asm__ volatile("" : "+r"(x)); return x - 7; }
int twice(int x) { return helper(x) * 2; }
END_C
gcc -O2 -fcf-protection=branch -Wl,--build-id -o prog one.c two.c 2>gcc.log || { cat gcc.log; echo "not ok 1 - gcc"; exit 69; }
planned uprobe "$scratch/prog:helper"
places=$(grep -o '+0x[0-9a-f]*' err | sort -u)
refused "two functions of one name are listed" 'err "2 functions have the name helper: +0x"' 'err "of one.c"' 'err "of two.c"' \
  '[ "$(echo "$places" | wc -l)" -eq 2 ]' 'err "name one by its place, as in \"$scratch/prog+0x"'
build_id=$(readelf -n prog | sed -n 's/.*Build ID: //p')
for place in $places; do
  planned uprobe "$scratch/prog$place build-id=$build_id"
  check "each can be named as it says: $place" 'exits 0' '[ "$(offset)" -eq $((${place#+})) ]'
done
planned uretprobe "$scratch/prog:helper"
refused "its return neither" 'err "2 functions have the name helper"'
planned uprobe "$scratch/prog:other_name"
check "two names of one place are no two places" 'exits 0'
planned uprobe "$scratch/prog:chosen"
refused "what chooses a function is not probed" 'err "is chosen when the program starts (IFUNC"' 'err "fast (+0x"' 'err "slow (+0x"'
planned uretprobe "$scratch/prog:chosen"
refused "nor at its return" 'err "(IFUNC"'
planned uprobe "$scratch/prog:printf"
refused "what is only called is in a library" 'err "it calls printf, which is a function of a library: probe it there"'

# In a process it is known which one was chosen: by this processor, or by what the program asked for.
cat >asks.c <<'END_C'
#include <unistd.h>
__attribute__((noinline, noclone)) static int first(int x) { __asm__ volatile("" : "+r"(x)); return x; }
__attribute__((noinline, noclone)) static int second(int x) { __asm__ volatile("" : "+r"(x)); return x + 1; }
static int (*choose(void))(int) { return access("second", F_OK) == 0 ? second : first; }
int chosen(int) __attribute__((ifunc("choose")));
int main(void) { for (volatile int sum = 0;; sum += chosen(sum)) usleep(1000); }
END_C
gcc -O1 -Wl,-z,now -Wl,--build-id -o asks asks.c 2>gcc.log || { cat gcc.log; echo "not ok 1 - gcc"; exit 69; }
for name in first second; do
  [ $name = first ] || touch second
  ./asks &
  asks=$!
  until_true '[ "$(readlink /proc/$asks/exe)" = "$scratch/asks" ] && grep -q libc /proc/$asks/maps && [ "$(cut -d" " -f3 /proc/$asks/stat)" = S ]'
  printf 'probes:\n  a: {uprobe: "%s/asks:chosen"}\n' "$scratch" >one.yaml
  run record --probes one.yaml --dry-run --json --pid $asks
  kill $asks
  wait $asks 2>/dev/null
  check "what an IFUNC is in a process: $name" 'exits 0' '[ "$(offset)" -eq "$(address $name asks)" ]'
done
planned uprobe "$scratch/asks:chosen"
refused "and without a process both are told" 'err "first (+0x"' 'err "second (+0x"'

cat >versions.c <<'END_C'
__asm__(".symver v1, work@LIB_1\n.symver v2, work@@LIB_2\n.symver o1, gone@LIB_1\n.symver o2, gone@LIB_0");
int v1(int x) { return x + 1; }
int v2(int x) { return x * 77; }
int o1(int x) { return x + 2; }
int o2(int x) { return x + 3; }
END_C
printf 'LIB_0 {}; LIB_1 {} LIB_0; LIB_2 {} LIB_1;\n' >versions.map
gcc -O1 -shared -fPIC -Wl,--build-id -Wl,--version-script=versions.map -o libwork.so versions.c 2>gcc.log || cat gcc.log
v1=$(address v1 libwork.so) v2=$(address v2 libwork.so)
for kind in whole stripped; do
  [ $kind = stripped ] && strip libwork.so
  planned uprobe "$scratch/libwork.so:work"
  check "the default version of a name, $kind" 'exits 0' '[ "$(offset)" -eq "$v2" ]'
  planned uprobe "$scratch/libwork.so:work@LIB_1"
  check "a version that is named, $kind" 'exits 0' '[ "$(offset)" -eq "$v1" ]'
  planned uprobe "$scratch/libwork.so:work@@LIB_2"
  check "the default one named, $kind" 'exits 0' '[ "$(offset)" -eq "$v2" ]'
  planned uretprobe "$scratch/libwork.so:work"
  check "its return, $kind" 'exits 0' '[ "$(offset)" -eq "$v2" ]'
  planned uprobe "$scratch/libwork.so:work@LIB_3"
  refused "no such version, $kind" 'err "no version LIB_3 of work; it has work@"' 'err "work@@LIB_2"' 'err "; name one of these"'
  planned uprobe "$scratch/libwork.so:gone"
  refused "two old versions and no default one, $kind" 'err "version LIB_0"' 'err "version LIB_1"' 'err "or by its version, as in gone@LIB_"'
done

# --- places that a file names itself ---

cat >note.s <<'END_S'
  .text
  .globl main
  .type main, @function
main:
  .cfi_startproc
  movl $0x90909090, %eax
good: nop
  xorl %eax, %eax
  ret
  .cfi_endproc
  .size main, . - main
  .macro note name place
  .pushsection .note.stapsdt, "", "note"
  .balign 4
  .4byte 8, 994f - 993f, 3
  .asciz "stapsdt"
993: .8byte \place, 0, 0
  .asciz "prov"
  .asciz "\name"
  .asciz ""
994: .balign 4
  .popsection
  .endm
  note fine good
  note wrong main+2
  .section .note.GNU-stack, "", @progbits
END_S
gcc -no-pie -o note note.s
planned usdt "$scratch/note:prov:fine"
check "a USDT probe" 'exits 0'
planned usdt "$scratch/note:prov:wrong"
refused "a note that leads into an instruction" 'err "no nop, as a USDT probe has"'

# --- a program of this system, without symbols ---

program_here=$(readlink -f /bin/bash)
objdump -d --no-show-raw-insn "$program_here" >shown
readelf --debug-dump=frames "$program_here" 2>/dev/null | sed -n 's/.* FDE .*pc=\([0-9a-f]*\)\.\.\([0-9a-f]*\).*/\1 \2/p' >functions
objdump -h "$program_here" | awk '$2 == ".text" { print $3, $4, $6 }' >text
# a seeded sample of places within functions, each with what objdump shows there; those that the
# kernel puts no probe on and filling are left out
python3 - <<'END_PY'
import random, re
random.seed(5)
size, address, offset = (int(x, 16) for x in open("text").read().split())
shown, shift = {}, address - offset
for line in open("shown"):
    found = re.match(r" *([0-9a-f]+):\t(.*)", line)
    if found:
        shown[int(found[1], 16)] = found[2]
ranges = [tuple(int(x, 16) for x in line.split()) for line in open("functions")]
ranges = [(a, b) for a, b in ranges if address <= a and b <= address + size]
odd = re.compile(r"nop|xchg +%ax,%ax|lock|notrack|cs |ds |data16|hlt|int3|^v|bnd|\(bad\)|\.byte")
inside = [x for a, b in ranges for x in range(a, b)]
begin = [x for x in inside if x in shown and not odd.search(shown[x])]
rest = [x for x in inside if x not in shown]
with open("good.yaml", "w") as good:
    good.write("probes:\n")
    for i, x in enumerate(random.sample(begin, 60)):
        good.write(f'  p{i}: {{uprobe: "FILE+{x - shift:#x} build-id=ID"}}\n')
open("bad", "w").writelines(f"{x - shift:#x}\n" for x in random.sample(rest, 25))
END_PY
build_id=$(readelf -n "$program_here" | sed -n 's/.*Build ID: //p')
sed -i "s|FILE|$program_here|; s|ID\"|$build_id\"|" good.yaml
run record --probes good.yaml --dry-run --json
check "60 places of bash at which objdump shows an instruction" 'exits 0' '[ "$(wc -l <out)" -eq 60 ]'
wrong=
while read -r place; do
  planned uprobe "$program_here+$place build-id=$build_id"
  [ "$status" -eq 65 ] || wrong="$wrong $place"
done <bad
last="places of bash"
check "25 places within instructions are refused: $wrong" '[ -s bad ]' '[ -z "$wrong" ]'
planned uretprobe "$program_here+$(sed -n 's/.*+\(0x[0-9a-f]*\) .*/\1/p' good.yaml | head -n 1) build-id=$build_id"
refused "a return is not waited for in the middle of a function" 'err "is not where a function is entered"'

# --- what is probed goes on ---

add=$(address add)
objdump -d --no-show-raw-insn prog | awk -v RS= '/<add>:/' | sed -n 's/^ *\([0-9a-f]*\):.*/\1/p' >begins
size=$((16#$(nm -S prog | awk '$4 == "add" { print $2 }')))
for means in bpf perf; do
  printf 'probes:\n  a: {uprobe: "%s/prog:add+5"}\n' "$scratch" >one.yaml
  run record --probes one.yaml --with $means -- ./prog
  refused "no probe within an instruction, by $means" 'err "add+5 is inside an instruction, and a probe there would kill the program; it begins at add+4 and the next one at add+"'
done
{
  echo probes:
  for ((i = 1; i < size; i++)); do
    grep -qx "0*$(printf '%x' $((add + i)))" begins && printf '  p%d: {uprobe: "%s/prog:add+%d"}\n' $i "$scratch" $i
  done
  i=0
  for place in $places; do
    printf '  helper%d: {uprobe: "%s/prog%s build-id=%s"}\n' $((i++)) "$scratch" "$place" "$(readelf -n prog | sed -n 's/.*Build ID: //p')"
  done
} >all.yaml
for means in bpf perf; do
  run record --probes all.yaml --with $means --json -- ./prog
  if [ "$status" -eq 69 ]; then
    echo "# left out: probes by $means, as this machine does not permit them"
    continue
  fi
  check "at every other place the program goes on, and each is come by, by $means" 'exits 0' \
    'json "map(select(.hits)) | length >= 4 and all(.hits == 10)"'
done

# --- where exceptions and signals lead ---

cat >caught.cc <<'END_C'
#include <cstdio>
#include <stdexcept>
__attribute__((noinline)) void odd(int x) { if (x % 2) throw std::runtime_error("odd"); __asm__ volatile("" ::: "memory"); }
struct guard { ~guard() { __asm__ volatile("" ::: "memory"); } };
__attribute__((noinline)) int caught(int x) {
  try { guard g; odd(x); return 1; } catch (const std::runtime_error &e) { return e.what()[0] + x; } catch (...) { return -1; }
}
int main() { int sum = 0; for (int i = 0; i < 10; i++) sum += caught(i); return std::printf("%d\n", sum) < 0; }
END_C
g++ -O2 -fno-reorder-blocks-and-partition -Wl,--build-id -o caught caught.cc 2>gcc.log || { cat gcc.log; echo "not ok 1 - g++"; exit 69; }
./caught >usual
build_id=$(readelf -n caught | sed -n 's/.*Build ID: //p')
objdump -d --no-show-raw-insn caught | awk -v RS= '/<_Z6caughti>:/' | sed -n 's/^ *\([0-9a-f]*\):\t*\(.*\)/\1 \2/p' | grep -vE 'nop|xchg|int3' >shown
awk -v path="$scratch/caught" -v id="$build_id" 'BEGIN { print "probes:" } { printf "  p%d: {uprobe: \"%s+0x%s build-id=%s\"}\n", NR, path, $1, id }' shown >pads.yaml
run record --probes pads.yaml --dry-run --json
check "also where an exception goes on" 'exits 0' '[ "$(wc -l <out)" -eq "$(wc -l <shown)" ]' '[ "$(grep -c call shown)" -ge 3 ]'

cat >signals.c <<'END_C'
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
static volatile sig_atomic_t came;
static sigjmp_buf back;
__attribute__((noinline)) int work(int x) { __asm__ volatile("addl $0, (%%rsp)" : "+r"(x) : : "memory"); return 7 * x + 3; }
__attribute__((noinline)) void handler(int number) { came += number != 0; }
__attribute__((noinline)) void leaves(int number) { (void)number; siglongjmp(back, 1); }
int main(void) {
  struct itimerval often = {{0, 200}, {0, 200}};
  volatile int sum = 0;
  signal(SIGALRM, handler);
  signal(SIGUSR1, leaves);
  setitimer(ITIMER_REAL, &often, NULL);
  for (volatile int i = 0; came < 50 || i < 2000; i++) sum += work(i) != 0;
  for (volatile int i = 0; i < 20; i++) if (sigsetjmp(back, 1) == 0) raise(SIGUSR1);
  return printf("%d\n", sum > 0 && came >= 50) < 0;
}
END_C
gcc -O2 -o signals signals.c
{
  echo probes:
  i=0
  for name in work handler leaves; do printf '  at%d: {uprobe: "%s/signals:%s"}\n  of%d: {uretprobe: "%s/signals:%s"}\n' $i "$scratch" $name $((i++)) "$scratch" $name; done
} >signals.yaml
for means in bpf perf; do
  run record --probes pads.yaml --with $means -- ./caught
  if [ "$status" -eq 69 ]; then
    echo "# left out: probes by $means, as this machine does not permit them"
    continue
  fi
  check "a program goes on whose exceptions pass by probes, by $means" 'exits 0' 'grep -qx "$(cat usual)" out'
  run record --probes signals.yaml --with $means --json -- ./signals
  check "and one whose signals do, and leave functions for good, by $means" 'exits 0' 'cat out err | grep -qx 1' \
    'json "map(select(.kind == \"probe\")) | length == 6 and all(if .name == \"of2\" then .hits == 0 else .hits >= 20 end)"'
done
finish
