#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# record --probes: what is read at probes is right, what becomes of traced processes is said, and
# they are left as they were. Where BPF is not permitted that is said, and what needs it is not run.
. "$(dirname "$0")/tap.sh"
tools=$(dirname "$program")/tests/tools
[ -x "$tools/probed" ] || { echo "not ok 1 - $tools/probed is not built"; exit 69; }
cp "$tools/probed" "$scratch/probed"
cp "$program" "$scratch/tailproof"
cd "$scratch" || exit 70
chmod 755 . tailproof

cat >probes.yaml <<END
steps: {of: others}
probes:
  serve.begin:
    uprobe: "$scratch/probed:serve_order"
    read: {id: "*(arg1)", kind: "*(arg1+12) be32", two: arg2 i32, seven: arg7, text: "string(arg3, arg4, 64)", key: "string(*(arg1+16), 32)", none: "*(arg5) u8"}
  serve.end: {uretprobe: "$scratch/probed:serve_order", read: {result: ret}}
  write.begin: {syscall: write, read: {size: arg3}}
  write.end: {syscall.exit: write, read: {ret: ret}}
  exit: {tracepoint: "sched:sched_process_exit", read: {pid: pid, comm: "string(comm, 16)"}}
END

# --- without attaching ---

grep -v -e write -e exit: probes.yaml >functions.yaml
run record --probes functions.yaml --dry-run --json
check "what would be attached" 'exits 0' 'json_lines' \
  'json "length == 2 and all(.kind == \"planned_probe\" and (.offsets | startswith(\"0x\")) and .processes == \"none now\")"' \
  'json ".[0].at == \"serve_order\" and .[1].at == \"serve_order, at its return\""'
build_id=$(jq -r .build_id out | head -n 1) offset=$(jq -r .offsets out | head -n 1)
printf 'probes: {a: {uprobe: "%s/probed+%s build-id=%s"}}\n' "$scratch" "$offset" "$build_id" >place.yaml
run record --probes place.yaml --dry-run
check "a place by offset and build-id" 'exits 0' 'out "+$offset"'
sed 's/build-id=[0-9a-f]*/build-id=0123abcd/' place.yaml >other.yaml
run record --probes other.yaml --dry-run
check "another build" 'exits 65' 'err "probe a (line 1): "' 'err "this is another build"' '[ "$(wc -l <err)" -eq 1 ]' 'quiet_out'
sed 's/serve_order/serve_odrer/' functions.yaml >wrong.yaml
run record --probes wrong.yaml --dry-run
check "no such function" 'exits 65' 'err "no function serve_odrer; the nearest name is serve_order"' '[ "$(wc -l <err)" -eq 1 ]'
printf 'probes:\n  a: {uprobe: "/x:f", read: {x: ret}}\n' >bad.yaml
run record --probes bad.yaml -- true
check "a mistake in the file" 'exits 65' 'err "tailproof: bad.yaml, line 2: "' '[ "$(wc -l <err)" -eq 1 ]'
run record --probes no.yaml
check "no file" 'exits 66' 'err "no.yaml: No such file"' '[ "$(wc -l <err)" -eq 1 ]'
run record --pid 1
check "a process without probes" 'exits 64' 'err "name a probe file with --probes"'
run record --probes probes.yaml --out x -- true
check "a store of events that mean nothing" 'exits 65' 'err "probes.yaml: line 1: places: a section of 1 to 64 is needed"' '[ ! -e x ]'

# --- permission ---

if [ "$(id -u)" -eq 0 ]; then
  last="record --probes, as another user"
  setpriv --reuid 65534 --regid 65534 --clear-groups -- ./tailproof record --probes functions.yaml -- ./probed 1 >out 2>err
  status=$?
  check "without the right to attach" 'exits 69' 'err "is not permitted: run this as root, or with CAP_BPF and CAP_PERFMON"' \
    '[ "$(wc -l <err)" -eq 1 ]' 'quiet_out'
fi
run record --probes functions.yaml --keep-events events -- ./probed 3
if [ "$status" -eq 69 ]; then
  check "this machine does not permit it: one line says so" '[ "$(wc -l <err)" -eq 1 ]'
  echo "# left out: everything that attaches probes, as this machine does not permit it"
  finish
fi

# --- what is read ---

check "values" 'exits 0' 'out "3 0"' \
  '[ "$(grep -c " serve.begin .* id=[012] kind=67305985 two=-3 seven=1 text=\"hello\" key=\"key-[012]\"\$" events)" -eq 3 ]' \
  '[ "$(grep " serve.end " events | sed "s/.*result=//" | paste -sd " ")" = "-1 1 3" ]' \
  'grep -v "^[#a-z]" events | sort -nc' 'grep -q "^start [0-9]" events' 'grep -q "^end [0-9]" events'
run record --probes probes.yaml --keep-events events --json -- ./probed 20000
check "counts: every time that it was there, and no other" 'exits 0' 'json_lines' \
  'json "map({(.name // .kind): .}) | add | .[\"serve.begin\"].hits == 20000 and .[\"serve.begin\"].unread == 20000 and .[\"serve.end\"].hits == 20000 and .[\"write.begin\"].hits == 20001 and .[\"write.end\"].hits == 20001 and .exit.hits == 1 and .recorded.exit == 0"' \
  'json "all((.lost // 0) == 0) and (.[0].cost_ns > 0)"' \
  '[ "$(./probed 20000)" = "$(cat err)" ]' 'grep -q " exit .* comm=\"probed\"" events'
run record --probes functions.yaml -- sh -c 'exit 7'
check "the exit code of the program" 'exits 7' 'err "never come by"'
run record --probes functions.yaml -- ./no-such-program
check "no such program" 'exits 69' 'err "no-such-program: cannot be run"' '[ "$(wc -l <err)" -eq 1 ]'
run record --probes functions.yaml --keep-events no/such/file -- true
check "a file that cannot be written" 'exits 70' 'err "no/such/file: cannot be written"'

# Waits until the recorder $tracer says into "ready" that all is attached, or has ended.
attached() { until_true '[ -s ready ] || ! kill -0 $tracer'; rm -f ready; }

# --- when it begins ---

./probed 100000000 1000 >/dev/null & served=$!
until_true '[ "$(readlink /proc/$served/exe)" = "$scratch/probed" ]'
run record --probes functions.yaml --pid $served --ready-file ready --keep-events events --json -- ./probed 5 20000
check "a process that runs, and a program that is its client: the recording ends with that" 'exits 0' 'kill -0 $served' '[ "$(cat ready)" = ready ]' \
  '[ "$(sed -n "s/^[0-9]* serve.begin \([0-9]*\) .*/\1/p" events | sort | uniq -c | wc -l)" -eq 2 ]' '! err "recording: "'
rm -f ready
"$program" record --probes functions.yaml --pid $served --seconds 1 --ready-fd 7 7>told >out 2>err
status=$? last="record --ready-fd"
check "and told otherwise, when all probes are in place" 'exits 0' '[ "$(cat told)" = ready ]' 'err "recording: 2 probes are in place"'
run record --probes functions.yaml --pid $served --ready-file no/such/file
check "whom it cannot tell" 'exits 64' 'err "no/such/file: No such file"'

# --- what the recorder may do, once all is in place ---

rights() { sed -n 's/^\(Cap[IPEA].*\|NoNewPrivs\|SigIgn\|SigBlk\):\t/\1 /p' "$1" | tr '\n' ' '; }
given_up() { # FOLDER
  (cd "$1" && exec "$program" record --probes ../functions.yaml --pid $served --keep-events events --out store --ready-file ../ready >../out 2>../err) & tracer=$!
  attached
  now=$(rights /proc/$tracer/status | sed 's/Sig[^ ]* [^ ]* //g')
  kill -INT $tracer
  wait $tracer
  status=$? last="record --probes in $1"
}
mkdir mine others
sed 's/^probes:/places: {one: probed}\nmoments:\n  begun: {probe: serve.begin, at: one}\n  ended: {probe: serve.end, at: one, where: thread == begun.thread}\nrequest: {name: serve, node: one, from: begun, to: ended}\nsteps:\n  one.Serve: {from: begun, to: ended, component: Serve}\nprobes:/; /^steps: /d' functions.yaml >whole.yaml
cp functions.yaml plain.yaml && cp whole.yaml functions.yaml
given_up mine
check "the recorder has no capabilities, and gains none" '[ "$now" = "CapInh 0000000000000000 CapPrm 0000000000000000 CapEff 0000000000000000 CapAmb 0000000000000000 NoNewPrivs 1 " ]' \
  'exits 0' '[ -s mine/events ]' '[ -d mine/store ]'
if [ "$(id -u)" = 0 ] && chown nobody others; then
  given_up others
  check "but to write into the folder of somebody else" '[ "$now" = "CapInh 0000000000000000 CapPrm 000000000000000a CapEff 000000000000000a CapAmb 0000000000000000 NoNewPrivs 1 " ]' \
    'exits 0' '[ -s others/events ]' '[ -d others/store ]'
fi
cp plain.yaml functions.yaml
# shellcheck disable=SC2016
printf 'cat /proc/self/status; ls /proc/self/fd; ulimit -a; umask; nice\n' >tells.sh
"$program" record --probes functions.yaml --ready-fd 7 -- sh tells.sh >out 2>err 7>told
status=$? last="record -- sh tells.sh"
sh tells.sh >bare
check "what it runs may do what it may, and has nothing of it open" 'exits 0' '[ "$(rights out)" = "$(rights bare)" ]' \
  '[ "$(sed "1,/^nonvol/d" out)" = "$(sed "1,/^nonvol/d" bare)" ]'
kill $served
wait $served 2>/dev/null

# --- files that a process sees alone ---

mkdir inner
cat >within.sh <<'END'
mount -t tmpfs none "$1/inner" && cp "$1/probed" "$1/inner/only" && exec "$1/inner/only" 100000000 1000
END
unshare --mount bash within.sh "$scratch" >/dev/null 2>&1 & within=$!
until_true '[ "$(readlink /proc/$within/exe)" = "$scratch/inner/only" ] || ! kill -0 $within'
if kill -0 $within 2>/dev/null; then
  printf 'probes:\n  a: {uprobe: "%s/inner/only:serve_order"}\n' "$scratch" >within.yaml
  run_until 'json "map(select(.name == \"a\"))[0].hits > 0"' record --probes within.yaml --pid $within --json
  check "of a process in a container the path is looked up there" 'exits 0' 'json "map(select(.name == \"a\"))[0].hits > 0"' '! err "replaced"'
  run record --probes within.yaml --dry-run
  check "without it the way there is said" 'exits 66' 'err "/proc/PID/root/PATH"'
  cp /bin/true inner/only
  run_until 'json "map(select(.name == \"a\"))[0].hits > 0"' record --probes within.yaml --pid $within --json
  check "also where another file has the path here" 'exits 0' 'json "map(select(.name == \"a\"))[0].hits > 0"' '! err "replaced"'
  kill $within
else
  echo "# left out: a process that sees other files, as mounts are not permitted here"
fi
wait $within 2>/dev/null
rm -rf inner
printf 'probes:\n  a: {uprobe: "%s/probed:serve_order"}\n  b: {uretprobe: "%s/probed:serve_order"}\n' "$scratch" "$scratch" >plain.yaml
wrong=''
for most in 6 7 8 9 10 11 12 13 14 16 20; do
  for means in bpf perf; do
    (ulimit -n $most; exec "$program" record --probes plain.yaml --with $means -- true) >out 2>err
    status=$? last="record --probes --with $means, $most descriptors"
    [ "$status" -eq 0 ] || { grep -qE "Too many open files|ulimit -n" err && ! grep -qE "defect|this kernel cannot" err && [ "$(wc -l <err)" -eq 1 ]; } ||
      wrong="$wrong $means:$most:$(head -c 200 err)"
  done
done
check "too few descriptors are no defect, and no fault of the kernel" '[ -z "$wrong" ] || ! echo "# $wrong"'

# --- what a probe file asks for ---

cat >pairs.yaml <<END
$(grep -v -e write -e exit: -e steps: probes.yaml)
places: {one: 'probed 40 ', two: 'probed 41 '}
moments:
  begun: {probe: serve.begin, at: one}
  ended: {probe: serve.end, at: one, where: thread == begun.thread}
request: {name: serve, node: one, from: begun, to: ended}
steps:
  one.Serve: {from: begun, to: ended, component: Serve}
END
./probed 40 1000 wait >/dev/null & one=$!
./probed 41 1000 wait >/dev/null & two=$!
until_true '[ "$(cat /proc/$one/cmdline /proc/$two/cmdline | tr -c 0-9a-z "\n" | grep -c probed)" -ge 2 ]'
last="record --probes --out, two places"
"$program" record --probes pairs.yaml --pid $one --pid $two --out pairs --ready-file ready --json >out 2>err & tracer=$!
attached
touch go
wait $tracer
status=$?
rm -f go
check "of places that no moment looks at nothing is recorded" 'exits 0' \
  'json "map(select(.name == \"serve.begin\"))[0] | .hits > 0 and .hits <= 40 and .aside > 0 and .aside <= 41"' \
  'json "map(select(.requests)) | length == 1 and .[0].paired >= 19"'

# The byte at the probed function in the process: cc where a probe is.
first_byte() { # PROCESS
  python3 - "$1" "$offset" <<'END'
import sys
pid, offset = sys.argv[1], int(sys.argv[2], 16)
for line in open(f"/proc/{pid}/maps"):
    place, _, at, _, _, *path = line.split()
    start, end = (int(x, 16) for x in place.split("-"))
    if path and path[0].endswith("/probed") and int(at, 16) <= offset < int(at, 16) + end - start:
        with open(f"/proc/{pid}/mem", "rb") as memory:
            memory.seek(start + offset - int(at, 16))
            print(memory.read(1).hex())
END
}
named() { sed -e 's/^\( *\)\(uprobe: .*\)/\1\2\n\1children: no/' -e 's/\(uretprobe: "[^"]*"\)/\1, children: no/' "$1"; }
cat >become.sh <<'END'
#!/bin/bash
exec ./probed 20
END
chmod +x become.sh
# Where the kernel has links for many places, and as where it has not.
for links in yes no; do
  export TAILPROOF_PROBE_LINKS=$links
  named pairs.yaml >named.yaml
  ./probed 40 1000 wait >/dev/null & one=$!
  ./probed 41 1000 wait >/dev/null & two=$!
  until_true '[ "$(cat /proc/$one/cmdline /proc/$two/cmdline | tr -c 0-9a-z "\n" | grep -c probed)" -ge 2 ]'
  last="record --probes --out, children: no, links: $links"
  rm -rf named
  "$program" record --probes named.yaml --pid $one --pid $two --out named --ready-file ready --json >out 2>err & tracer=$!
  attached
  in_one=$(first_byte $one) in_two=$(first_byte $two)
  held=$(readlink /proc/$tracer/fd/* | sed -n 's/.*\[\(perf_event\|bpf_link\)\]/\1/p; s/.*:\(bpf_link\|bpf-link\)/\1/p' | sort | uniq -c | tr -s ' \n' ' ')
  touch go
  wait $tracer
  status=$?
  rm -f go
  check "children: no puts a probe only where a moment looks for it; held by:$held" 'exits 0' '[ "$in_one" = cc ]' '[ "$in_two" != cc ]' \
    'json "map(select(.name == \"serve.begin\"))[0] | .hits > 0 and .hits <= 40 and .aside == 0"' \
    'json "map(select(.requests)) | length == 1 and .[0].paired >= 19"'
  [ $links = yes ] || check "... without links by an event for each place" '[[ $held != *link* ]]' '[ "$(cut -d" " -f2 <<<"$held")" -ge 5 ]'
  named functions.yaml >named.yaml
  touch go
  run record --probes named.yaml --keep-events events -- ./probed 20 0 fork
  check "children: no leaves out what others start" 'exits 0' \
    '[ "$(grep -c " serve.begin " events)" -eq 20 ]' '[ "$(grep -c " serve.end " events)" -eq 20 ]'
  run record --probes named.yaml --keep-events events -- ./become.sh
  check "children: no stays with a process that becomes another program" 'exits 0' \
    '[ "$(grep -c " serve.begin " events)" -eq 20 ]'
  rm -f go
  run record --probes probes.yaml --keep-events events.$links --json -- ./probed 500
  check "each probe has its own program" 'exits 0' 'json "map({(.name // .kind): .}) | add | .[\"serve.begin\"].hits == 500 and .[\"serve.end\"].hits == 500 and .[\"write.end\"].hits == 501"'
done
unset TAILPROOF_PROBE_LINKS
seen() { sed -n 's/^[0-9]* \([a-z.]*\) [0-9]* [0-9]*/\1/p' "$1" | grep "^serve"; }
check "and reads the same" '[ "$(seen events.yes)" = "$(seen events.no)" ]' '[ "$(seen events.yes | wc -l)" -eq 1000 ]'

# --- by perf_event_open alone ---

cat >registers.yaml <<END
probes:
  serve.begin: {uprobe: "$scratch/probed:serve_order", read: {two: arg2 i32, big: arg2 be32, six: arg6}}
  serve.end: {uretprobe: "$scratch/probed:serve_order", read: {result: ret}}
END
sed 1d probes.yaml | grep -e write -e exit: | cat registers.yaml - >both.yaml
seen() { grep -v '^[0-9a-z]* *[0-9a-f]*$' "$1" | grep -v -e '^[a-z#]' | sed -E -e 's/^[0-9]+ //' -e 's/ [0-9]+ [0-9]+/ WHO/' -e 's/pid=[0-9]+/pid=N/'; }
run record --probes both.yaml --with bpf --keep-events by.bpf -- ./probed 40
run record --probes both.yaml --with perf --keep-events by.perf --json -- ./probed 40
check "the same events, read the same, as by BPF" 'exits 0' 'json_lines' \
  '[ "$(seen by.bpf)" = "$(seen by.perf)" ]' '[ "$(seen by.perf | wc -l)" -eq 163 ]' 'json "all((.lost // 0) == 0)"' \
  'grep -v "^[#a-z]" by.perf | sort -nc'
run record --probes probes.yaml --with perf --keep-events events -- ./probed 1
check "memory is read by BPF alone" 'exits 65' '[ "$(wc -l <err)" -eq 1 ]' 'quiet_out' \
  'err "probe serve.begin (line 4): id is read from memory, which only BPF can: record with --with bpf"'
run record --probes probes.yaml --with perf --dry-run
check "--dry-run says so, too" 'exits 65' '[ "$(wc -l <err)" -eq 1 ]' 'quiet_out' 'err "id is read from memory"'
run record --probes registers.yaml --with perf --dry-run
check "--dry-run says how" 'exits 0' 'out "attached by perf_event_open"'
run record --probes registers.yaml --dry-run --json
check "and what it would be by itself" 'exits 0' 'json_lines' 'json "all(.with == \"any\")"'
touch go
run record --probes registers.yaml --with perf --keep-events events -- ./probed 20 0 fork
check "children are traced as well" 'exits 0' '[ "$(grep -c " serve.begin " events)" -eq 29 ]' \
  '[ "$(grep " serve.begin " events | cut -d " " -f 3 | sort -u | wc -l)" -eq 2 ]'
rm -f go
run record --probes registers.yaml --with ftrace -- true
check "no such way to attach" 'exits 64' 'err "give bpf or perf"' '[ "$(wc -l <err)" -eq 1 ]'
cat >without_bpf.py <<'END'
# runs a program that the kernel answers EPERM to bpf(2): a filter of seccomp(2), x86-64
import ctypes, os, struct, sys
BPF, EPERM, ALLOW = 321, 0x00050001, 0x7FFF0000
rows = [(0x20, 0, 0, 0), (0x15, 0, 1, BPF), (0x06, 0, 0, EPERM), (0x06, 0, 0, ALLOW)]
code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *row) for row in rows))
program = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(rows), ctypes.addressof(code)))
libc = ctypes.CDLL(None, use_errno=True)
if libc.prctl(38, 1, 0, 0, 0) != 0 or libc.prctl(22, 2, program, 0, 0) != 0:
    sys.exit(os.strerror(ctypes.get_errno()))
os.execv(sys.argv[1], sys.argv[1:])
END
last="record --probes, where bpf(2) is not permitted"
python3 without_bpf.py ./tailproof record --probes both.yaml --keep-events events -- ./probed 40 >out 2>err
status=$?
check "where BPF is not permitted, perf_event_open takes its place" 'exits 0' \
  'err "BPF is not permitted here: the probes are attached by perf_event_open alone"' '[ "$(seen events)" = "$(seen by.bpf)" ]'
# A program at a tracepoint that returns 0 keeps its events from perf_event_open, and from its counts. What records by BPF does
# not; of others that do it is said.
grep -e ^probes: -e write -e exit: both.yaml >shared.yaml
# And so may another test, at the same time.
others_have='grep -qE "^tailproof: warning: others have programs of BPF at the tracepoint of probe write.begin \([1-9][0-9]*\): " err'
./tailproof record --probes shared.yaml --with bpf --ready-file ready -- sleep 1000 >beside.log 2>&1 & tracer=$!
attached
run record --probes both.yaml --with perf --keep-events events -- ./probed 40
check "beside what is recorded by BPF nothing is missing, and it is said that it is there" 'exits 0' '[ "$(seen events)" = "$(seen by.bpf)" ]' \
  "$others_have"
kill -INT $tracer && wait $tracer
cat >holds_back.py <<'END'
# a program that holds back what comes by the tracepoint of write(2), until its input ends; x86-64
import ctypes, fcntl, struct, subprocess, sys
libc = ctypes.CDLL(None, use_errno=True)
number = int(sys.argv[1])
code = ctypes.create_string_buffer(struct.pack("BBhiBBhi", 0xB7, 0, 0, 0, 0x95, 0, 0, 0), 16)
rights = ctypes.create_string_buffer(b"GPL")
load = ctypes.create_string_buffer(struct.pack("IIQQ", 5, 2, ctypes.addressof(code), ctypes.addressof(rights)), 128)
program = libc.syscall(321, 5, load, 128)
about = ctypes.create_string_buffer(struct.pack("IIQ", 2, 112, number), 112)
event = libc.syscall(298, about, -1, 0, -1, 0)
fcntl.ioctl(event, 0x40042408, program)
open("holds", "w").close()
sys.stdin.read()
END
mkfifo until
unshare --mount sh -c 'mount -t tracefs none /sys/kernel/tracing && exec python3 holds_back.py "$(cat /sys/kernel/tracing/events/syscalls/sys_enter_write/id)"' \
  <until >holds.log 2>&1 & holds=$!
exec 8>until
until_true '[ -e holds ] || ! kill -0 $holds'
if [ -e holds ]; then
  run record --probes both.yaml --with perf --json -- ./probed 40
  check "where others hold events back, that is said" 'exits 0' 'json "map({(.name // .kind): .}) | add | .[\"write.begin\"].hits == 0 and .exit.hits == 1"' \
    "$others_have"
else
  echo "# left out: a program of others, as tracefs cannot be mounted here: $(tail -n 1 holds.log)"
fi
exec 8>&-
wait $holds 2>/dev/null
python3 without_bpf.py ./tailproof record --probes both.yaml --with bpf -- ./probed 1 >out 2>err
status=$?
check "unless BPF was asked for" 'exits 69' 'err "tracing by BPF is not permitted"' '[ "$(wc -l <err)" -eq 1 ]' 'quiet_out'
python3 without_bpf.py ./tailproof record --probes probes.yaml -- ./probed 1 >out 2>err
status=$?
check "or memory is read" 'exits 69' 'err "tracing by BPF is not permitted"' 'err "and without BPF: probe serve.begin (line 4): id is read"' \
  '[ "$(wc -l <err)" -eq 1 ]' 'quiet_out'
if [ "$(id -u)" -eq 0 ]; then
  last="record --probes, without capabilities"
  for means in bpf perf; do
    setpriv --bounding-set -bpf,-perfmon,-sys_admin -- ./tailproof record --probes registers.yaml --with $means -- ./probed 1 >out 2>err
    status=$?
    check "neither is permitted: $means" 'exits 69' 'err "is not permitted: run this as root, or with CAP_BPF and CAP_PERFMON"' \
      '[ "$(wc -l <err)" -eq 1 ]' 'quiet_out'
  done
fi

# --- sockets ---

cat >talk.py <<'END'
import os, socket, threading, time
def serve(listener, size):
    peer, _ = listener.accept()
    while peer.recv(1000):
        peer.sendall(b"y" * size)
servers = [(socket.create_server(("127.0.0.1", 0)), size) for size in (300, 5)]
with open("port.new", "w") as file:
    print(servers[0][0].getsockname()[1], file=file)
os.rename("port.new", "port")
while not os.path.exists("go"):
    time.sleep(0.01)
for server, size in servers:
    threading.Thread(target=serve, args=(server, size), daemon=True).start()
    with socket.create_connection(server.getsockname()) as client:
        for i in range(10):
            client.sendall(b"x" * (7 + i))
            client.recv(1, socket.MSG_PEEK)
            got = 0
            while got < size:
                got += len(client.recv(100))
END
python3 talk.py & target=$!
until_true '[ -s port ]'
port=$(cat port)
cat >sockets.yaml <<END
probes:
  sent: {socket.send: $port, read: {local: local, remote: remote, bytes: bytes, from: begins, to: ends}}
  got: {socket.receive: $port, read: {local: local, remote: remote, bytes: bytes, from: begins, to: ends}}
END
run record --probes sockets.yaml --dry-run
if [ "$status" -eq 69 ]; then
  check "sockets: this kernel does not describe them, and one line says so" 'err "this kernel does not"' '[ "$(wc -l <err)" -eq 1 ]'
  kill $target
else
  last="record --probes, sockets"
  "$program" record --probes sockets.yaml --pid $target --keep-events events --ready-file ready >out 2>err & tracer=$!
  attached
  touch go
  wait $tracer
  status=$?
  cat >check.py <<'END'
import re, sys
port, streams, begun, times = int(sys.argv[1]), {}, {}, []
for line in open("events"):
    found = re.match(r"(\d+) (\w+) \d+ \d+ local=(\d+) remote=(\d+) bytes=(\d+) from=(\d+) to=(\d+)(?: begun=(\d+))?$", line)
    if not found:
        continue
    what, (own, other, size, begin, end) = found[2], map(int, found.groups()[2:7])
    if what == "sent":
        assert begun.get((own, other, end)) is None and int(found[8]) < int(found[1]), line
        begun[own, other, end] = int(found[8])
    else:
        times.append((int(found[1]), (other, own, end)))
    assert port in (own, other) and (begin + (size << 32)) % 2**64 == end, line
    streams.setdefault((own, other) if what == "sent" else (other, own), {"sent": [], "got": []})[what].append((begin, end))
assert len(streams) == 2, streams
assert all(begun[sent] < time for time, sent in times if sent in begun) and sum(sent in begun for _, sent in times) == 20
for (sender, _), stream in streams.items():
    sent, got = stream["sent"], stream["got"]
    assert len(sent) == 10, sent
    assert [end for _, end in sent] == [end for _, end in got if end in {e for _, e in sent}], stream
    assert sent[0][0] == got[0][0] and len(got) == (30 if sender == port else 10), stream
END
  check "sockets: what is sent is received, byte by byte, of the port alone" 'exits 0' 'python3 check.py $port'
fi
rm -f go

# --- what becomes of processes ---

begin() { rm -f go; ./probed "$@" >said & target=$!; until_true 'grep -q probed /proc/$target/maps'; }
# Records a process from before the middle of its calls on. A recorder that gave up is not waited for.
record_from() { # MODE...
  begin 200 1000 "$@"
  last="record --probes --pid, probed $*"
  "$program" record --probes functions.yaml --pid $target --keep-events events >out 2>err &
  tracer=$!
  until_true '[ "$(first_byte $target)" = cc ] || ! kill -0 $tracer'
  touch go
}
record_from wait
wait $tracer
status=$?
wait $target
check "a process that ends" 'exits 0' 'err "process $target has ended"' '[ "$(cat said)" = "39600 0" ]' \
  'grep -q " serve.end $target " events'
record_from fork
wait $tracer
status=$?
wait $target
check "a process that forks" 'exits 0' 'err "process $target has started process"' \
  '[ "$(cut -d" " -f3 events | grep "^[0-9]" | sort -u | wc -l)" -eq 2 ]'
record_from exec /bin/sleep
until_true 'grep -q exec err'
kill $target
wait $tracer
status=$?
check "a process that becomes another" 'exits 0' 'err "process $target has become another program (exec)"'
begin 1000000 1000
kill -STOP $target
run record --probes functions.yaml --pid $target --seconds 1
check "a process that is stopped" 'exits 0' 'err "process $target (probed) is stopped"' 'err "kill -CONT $target"'
kill -CONT $target
cp probed fresh && mv fresh probed
run record --probes functions.yaml --pid $target --seconds 1
check "a program that was replaced" 'exits 0' 'err "process $target runs another $scratch/probed than is there now"' 'err "restart it"'
sed "s#$scratch/probed#/proc/$target/exe#" functions.yaml >exe.yaml
run_until 'json ".[0].hits > 0"' record --probes exe.yaml --pid $target --json
check "which is named by its process" 'exits 0' 'json ".[0].hits > 0"'
run record --probes functions.yaml --pid $$ --seconds 1
check "a process that runs something else" 'exits 0' 'err "which does not use $scratch/probed"'
kill $target
run record --probes functions.yaml --pid $target
check "a process that is not there" 'exits 66' 'err "there is no process $target"' '[ "$(wc -l <err)" -eq 1 ]'

# --- nothing stays behind ---

begin 1000000 1000
before=$(first_byte $target)
for means in bpf perf; do
  "$program" record --probes registers.yaml --with $means --pid $target >out 2>err &
  tracer=$!
  until_true '[ "$(first_byte $target)" = cc ] || ! kill -0 $tracer'
  attached=$(first_byte $target)
  kill -9 $tracer
  wait $tracer 2>/dev/null
  last="record --probes --with $means, killed"
  check "kill -9 leaves no probe behind, and the process goes on: $means" '[ "$attached" = cc ]' \
    'until_true "[ \"\$(first_byte $target)\" = $before ]"' '[ "$before" != cc ]' 'kill -0 $target'
done
kill $target
wait 2>/dev/null
finish
