#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Probes at random places of this system's programs, while they work: each must print and return what it does without.
#
#   make fuzz-probes SECONDS=3600 [SEED=N]
#
# Of each round a program gets probes at 80 instructions of its file, and one at both ends of 40 functions of its libraries.
# Also sourced by tests/cli/t-outside-harm.sh, for ROUNDS rounds of the first PROGRAMS programs.
# shellcheck shell=bash
[ -n "${program:-}" ] || . "$(dirname "$0")/../cli/tap.sh"
cd "$scratch" || exit 70

# One a line, without quotes: words are split at blanks, and `\ ` is one. All read `big`.
programs='sort -k4 -n -r
grep -c 99.*fox
sed s/fox/cat/;5q
gzip -c
awk {s+=$1}END{print(s)}
perl -ne $s+=length;END{print$s}
openssl sha256
xz -1 -c
tar -cf - --mtime=@0 big
sha256sum
bash -c for((i=0;i<3000;i++));do\ :;done;echo\ $i
python3 -c import\ sys,json,re,hashlib,threading;t=sys.stdin.read();print(len(json.dumps(t)),len(re.findall("f.x",t)),hashlib.md5(t.encode()).hexdigest())
dash -c i=0;while\ [\ $i\ -lt\ 3000\ ];do\ i=$((i+1));done;echo\ $i
xz -T2 --block-size=65536 -1 -c
sort --parallel=2 -S1M -u
zstd -q -T2 -c
bzip2 -c
tr a-z A-Z
cut -d\  -f2-3
uniq -c
wc
od -An -tx1
base64
md5sum
cksum
b2sum
fold -w 30
fmt -w 60
expand
rev
tac
nl
shuf --random-source=big
numfmt --field=1 --to=iec
factor 600851475143 1000000016000000063
split -n l/3/7 big
diff big other
cmp -l big other
find / -maxdepth 2 -name *a*
ls -lR /etc/default
stat -c %n%s /etc/passwd /bin/bash
date -u -d @0
m4
make -pqrR -f /dev/null
gcc -O2 -S -o - hot.c
objdump -d /bin/true
nm -D /bin/bash
readelf -aW /bin/true
strings -n 8 /bin/true
git hash-object --stdin
git diff --no-index --stat big other
node -e let\ n=0;for(const\ l\ of\ require("fs").readFileSync(0,"latin1").split("\n"))n+=l.length;console.log(n)
jq -R length
gojq -R length
sqlite3 :memory: create\ table\ t(x);with\ recursive\ c(i)\ as(select\ 1\ union\ all\ select\ i+1\ from\ c\ where\ i<20000)insert\ into\ t\ select\ i*7919%10007\ from\ c;select\ count(distinct\ x),sum(x)from\ t;
bc -l
gawk {a[$3]++}END{for(k\ in\ a)print(k,a[k])}
mawk {n+=length($0)}END{print(n)}
file -b /bin/bash /etc/passwd
iconv -f latin1 -t utf16le
xxd
etcdctl --help
redis-cli --help
busybox sha1sum
tput -T xterm longname
python3 -c import\ threading,queue;q=queue.Queue();t=[threading.Thread(target=lambda:q.put(sum(range(20000))))for\ i\ in\ range(8)];[x.start()for\ x\ in\ t];[x.join()for\ x\ in\ t];print(sum(q.get()for\ x\ in\ t))'

random_places() { # SEED FILE: a probe file of its instructions
  local build_id
  build_id=$(readelf -n "$2" 2>/dev/null | sed -n 's/.*Build ID: //p')
  objdump -d --no-show-raw-insn "$2" | sed -n 's/^ *\([0-9a-f]*\):\t.*/\1/p' >places
  objdump -h "$2" | awk '$2 ~ /^[.](text|plt|init|fini)/ { print $3, $4, $6 }' >sections
  python3 - "$1" "$2" "$build_id" <<'END_PY'
import random, sys
random.seed(int(sys.argv[1]))
sections = [[int(x, 16) for x in line.split()] for line in open("sections")]
places = [int(x, 16) for x in open("places")]
print("probes:")
for i, x in enumerate(random.sample(places, min(90, len(places)))):
    for size, address, offset in sections:
        if address <= x < address + size:
            print(f'  p{i}: {{uprobe: "{sys.argv[2]}+{x - address + offset:#x} build-id={sys.argv[3]}"}}')
END_PY
}

random_functions() { # SEED FILE: a probe file of functions that it takes from its libraries, and what they are called with
  local library libraries
  libraries=$(ldd "$2" 2>/dev/null | awk '$3 ~ /^\// { print $3 }')
  # shellcheck disable=SC2086
  nm -D --undefined-only "$2" $libraries 2>/dev/null | awk '$1 == "U" { sub(/@.*/, "", $2); print $2 }' | sort -u >taken
  echo probes:
  for library in $libraries; do
    nm -D --defined-only "$library" | awk -v library="$(readlink -f "$library")" '
      NR == FNR { taken[$1] = 1; next }
      $2 ~ /^[TW]$/ && $3 !~ /[^@]@[^@]/ { sub(/@@.*/, "", $3); if ($3 in taken) print library ":" $3 }' taken -
  done | shuf --random-source=<(yes "$1") -n 60 | awk -v seed="$1" '{
    reads = (NR + seed) % 3 == 0 ? "" : (NR + seed) % 3 == 1 ? ", read: {a: arg1, b: \"*(arg2)\"}" : ", read: {a: arg3, s: \"string(arg1, 16)\"}"
    printf "  a%d: {uprobe: \"%s\", children: no%s}\n", NR, $1, reads
    printf "  b%d: {uretprobe: \"%s\", children: no, read: {r: ret%s}}\n", NR, $1, (NR + seed) % 2 ? ", a: arg1" : "" }'
}

# held NAME COMMAND...: what it prints is the same with the probes of fuzz.yaml
held() {
  local name=$1 line usual passed
  shift
  while :; do
    run record --probes fuzz.yaml --dry-run
    [ "$status" -eq 65 ] || break
    line=$(sed -n 's/.*probe \([abp][0-9]*\) .*/\1/p' err)
    [ -n "$line" ] || break
    sed -i "/^  $line:/d" fuzz.yaml
  done
  [ "$(wc -l <fuzz.yaml)" -gt 1 ] || return 0
  "$@" <big >usual 2>&1
  usual=$?
  "$@" <big >again 2>&1
  cmp -s usual again || return 0 # it never prints the same
  # shellcheck disable=SC2016
  "$program" record --probes fuzz.yaml --keep-events events --json -- env sh -c 'exec "$@" <big >said 2>&1' sh "$@" >out 2>err
  status=$? last="fuzz $name: $*"
  if [ "$status" -eq 65 ] && grep -q "returns: each\|switches stacks" err; then
    check "$name: refused" '[ "$(wc -l <err)" -eq 1 ]'
    return 0
  fi
  passed=$(grep -c '^[0-9]' events)
  check "$name: $(($(wc -l <fuzz.yaml) - 1)) places, $passed passages" '[ "$status" -eq "$usual" ]' 'cmp -s said usual'
  [ "$status" -eq "$usual" ] && cmp -s said usual || cp fuzz.yaml "${KEEP:-/tmp}/probed_programs.$count.yaml"
}

seq 1 20000 | sed 's/.*/& the quick brown fox & jumps/' >big
sed 's/1999 the/1999 a/' big >other
printf 'int f(int x) { return x * 3; }\nint main(void) { return f(2); }\n' >hot.c
seed=${SEED:-$RANDOM}
begun=$SECONDS
for ((round = 1; round <= ${ROUNDS:-1000000}; round++)); do
  for ((number = 1; number <= ${PROGRAMS:-1000}; number++)); do
    line=$(sed -n "${number}p" <<<"$programs")
    [ -n "$line" ] || break
    [ $((SECONDS - begun)) -lt "${FUZZ_PROBES:-86400}" ] || break 2
    eval "words=($(sed 's/[][(){};$<>*&|"'\'']/\\&/g' <<<"$line"))"
    file=$(readlink -f "$(type -P "${words[0]}")")
    readelf -n "$file" 2>/dev/null | grep -q 'Build ID' || continue # a script, or not there
    random_places $((seed + round)) "$file" >fuzz.yaml
    held "${words[0]}, seed $((seed + round)), its places" "${words[@]}"
    random_functions $((seed + round)) "$file" >fuzz.yaml
    held "${words[0]}, seed $((seed + round)), functions of its libraries" "${words[@]}"
  done
  random_places $((seed + round)) "$(readlink -f "$(ldd /bin/bash | awk '/libc.so/ { print $3 }')")" >fuzz.yaml
  held "the C library, seed $((seed + round))" bash -c 'ls / | sort | wc -l; grep -c fox big'
done
[ "${0##*/}" != probed_programs.sh ] || finish
