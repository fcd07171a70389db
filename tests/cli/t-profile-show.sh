#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Files of sampled stacks: shown, drawn, written in the forms of other programs, merged by any tree of partial merges, and
# held against each other. Names of any bytes reach every form escaped.
tools=$(cd "$(dirname "$0")/../tools" && pwd)
. "$(dirname "$0")/tap.sh"
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
[ -n "$browser" ] || { echo "not ok 1 - a browser is missing (apt-get install chromium)"; exit 69; }
command -v promtool >/dev/null || { echo "not ok 1 - promtool is missing (apt-get install prometheus)"; exit 69; }
cd "$scratch" || exit 70

printf 'main;parse 5\nmain;work 10\nmain;work;hash 80\nmain;work;sort_[k] 5\n' >one.txt
cat >perf.txt <<'END'
# recorded by hand
server 7/8 [000] 10.000001: 250000 cpu-clock: 
	4f10 hash+0x1 (/usr/bin/server)
	4f20 work(int) (/usr/bin/server)
	4f30 main (/usr/bin/server)

server 7/9 [001] 10.000002: 250000 cpu-clock: 
	ffff copy ([kernel.kallsyms])
	1234 [unknown] (/usr/lib/libx.so)

END
run profile show one.txt
check "the hot functions" 'exits 0' 'quiet_err' 'out "80.00 %"' 'out "100 samples, 5 functions"' 'said "95.00 % work"' 'said "100.00 % main"'
run profile show one.txt --weight samples --json
check "JSON" 'exits 0' 'json_lines' 'json ".[0].samples == 100 and .[1].name == \"hash\" and .[1].self_share == 0.8 and .[1].self_share_lower < 0.8"'
run profile show perf.txt --json
check "text of perf script" 'exits 0' 'json ".[0].unit == \"ns of processor time\" and .[0].weight == 500000 and .[0].threads == 2"' \
  'json "[.[] | .name] | contains([\"copy_[k]\", \"[libx.so]\", \"work\"])"'
run profile show perf.txt --format folded --first thread
check "stacks of each thread" 'exits 0' 'out "server-7/8;main;work;hash 250000"' 'out "server-7/9;[libx.so];copy_[k] 250000"'
gzip -k one.txt
run profile show one.txt.gz --format folded
check "compressed; folded stacks are what was read" 'exits 0' 'grep -v "^#" out | cmp - one.txt'

# --- pprof, decoded by another program ---
run profile show perf.txt --format pprof --out perf.pb.gz
check "pprof is written" 'exits 0' 'quiet_out' 'gzip -t perf.pb.gz'
python3 "$tools/pprof.py" perf.pb.gz >decoded 2>&1
check "another decoder reads the same" 'grep -qx "server;main;work;hash 1 250000" decoded' 'grep -qx "server;/usr/lib/libx.so@0;copy 1 250000" decoded' \
  'grep -qx "# type cpu nanoseconds" decoded' 'grep -qx "# labels time=10000001000 process=7 thread=8 command=server" decoded'
run profile show perf.pb.gz --format folded
cp out back
run profile show perf.txt --format folded
check "and so is what is read back" 'cmp out back'

# --- hostile names ---
python3 - <<'END'
names = [b"a b c", b"x\"y'z\\w", b"</script><b>&amp;", b"\xff\xfe\x80bad", b"long" * 16384, "schön→".encode(), b"{le=\"1\"} 5", b"y=\"@1@"]
open("hostile.txt", "wb").write(b"".join(b"main;" + name + b" %d\n" % (10 + i) for i, name in enumerate(names)))
open("hostile.perf", "wb").write(b"".join(b"prog 1/1 [000] 1.0: cycles:\n\t1 " + name + b";semi (/a)\n\n" for name in names))
END
for file in hostile.txt hostile.perf; do
  run profile show $file --format prometheus --top 20
  check "$file as metrics" 'exits 0' 'promtool check metrics <out 2>lint || ! grep -v "no help text\|non-histogram" lint' \
    '[ "$(grep -c "^tailproof_profile_function_weight{" out)" -eq 8 ]' '[ "$(awk "length > 400" out | wc -l)" -eq 0 ]' 'iconv -f UTF-8 -t UTF-8 out >/dev/null'
  run profile show $file --format speedscope --out speedscope.json
  check "$file in speedscope's form" 'exits 0' 'jq -e ".profiles[0] | (.samples | length) == 8 and (.weights | add) == .endValue" speedscope.json >/dev/null' \
    'jq -e "([.profiles[0].samples[][]] | max) < (.shared.frames | length)" speedscope.json >/dev/null' '! grep -q "</script" speedscope.json' 'iconv -f UTF-8 -t UTF-8 speedscope.json >/dev/null'
  run profile show $file --format pprof --out hostile.pb
  check "$file as pprof" 'exits 0' 'python3 "$tools/pprof.py" hostile.pb >decoded' '[ "$(grep -vc "^#" decoded)" -eq 8 ]'
  run profile show $file --plot hostile.html
  check "$file as a page" 'exits 0' 'iconv -f UTF-8 -t UTF-8 hostile.html >/dev/null' '[ "$(grep -o "</script>" hostile.html | wc -l)" -eq 1 ]' '! grep -q "<b>" hostile.html'
  run profile show $file --plot hostile.svg
  check "$file as a drawing" 'exits 0' 'xmllint --noout --huge hostile.svg'
done
run profile show one.txt --format prometheus --top 2
check "as many functions as asked for, and the rest" 'exits 0' '[ "$(grep -c "^tailproof_profile_function_share{" out)" -eq 2 ]' 'out "tailproof_profile_other_weight 10"' \
  'out "tailproof_profile_function_share{function=\"hash\"} 0.8"'

# --- the page ---
SOURCE_DATE_EPOCH=86400 run profile show one.txt --plot flame.html
cat >>flame.html <<'END'
<script>
const say = (id, text) => { const p = document.createElement('p'); p.id = id; p.textContent = text; document.body.append(p); };
const input = document.getElementById('search');
input.value = 'HASH'; input.dispatchEvent(new Event('input'));
say('searched', document.getElementById('share').textContent);
input.value = 'work'; input.dispatchEvent(new Event('input'));
say('again', document.getElementById('share').textContent);
const svg = document.getElementById('flame');
const box = name => [...svg.querySelectorAll('g')].find(g => g.querySelector('title').textContent.startsWith(name));
const part = name => (box(name).querySelector('rect').getAttribute('width') / svg.viewBox.baseVal.width).toFixed(4);
const key = name => svg.dispatchEvent(new KeyboardEvent('keydown', {key: name, bubbles: true}));
input.value = '/^(HA|so)/'; input.dispatchEvent(new Event('input'));
say('pattern', document.getElementById('share').textContent);
say('narrow', part('hash') + ' ' + part('main'));
box('hash').dispatchEvent(new MouseEvent('click', {bubbles: true}));
say('wide', part('hash') + ' ' + box('parse').classList.contains('hidden') + ' ' + box('main').classList.contains('hidden'));
key('Escape'); key('ArrowUp'); key('ArrowUp'); key('ArrowRight');
say('walked', document.getElementById('box').textContent);
key('Enter');
say('entered', part('work') + ' ' + box('parse').classList.contains('hidden'));
key('c');
say('callers', document.getElementById('calls-of').textContent + ': ' +
  [...document.querySelectorAll('#calls-box title')].map(t => t.textContent).join(' | '));
say('root', svg.querySelector('rect').getAttribute('y') > 0);
document.getElementById('turn').click();
say('turned', svg.querySelector('rect').getAttribute('y') + ' ' + document.querySelector('.flame-box').scrollTop);
</script>
END
HOME=$scratch timeout 2h "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$scratch/profile" \
  --virtual-time-budget=2000 --dump-dom "file://$scratch/flame.html" >dom 2>browser.err
check "the page searches and enlarges" 'grep -q "<p id=\"searched\">80.00 % in 1 box</p>" dom' 'grep -q "<p id=\"again\">95.00 % in 1 box</p>" dom' \
  'grep -q "<p id=\"narrow\">0.8000 1.0000</p>" dom' 'grep -q "<p id=\"wide\">1.0000 true false</p>" dom' \
  'grep -q "<p id=\"pattern\">85.00 % in 2 boxes</p>" dom'
check "boxes are reached by keys" 'grep -q "<p id=\"walked\">work, 95.00 %, weight 95</p>" dom' 'grep -q "<p id=\"entered\">1.0000 true</p>" dom'
check "it says who calls a function, and whom it calls" 'grep -q "<p id=\"callers\">work: 95.00 %; its callers are above it, what it calls below: work, 95.00 % | hash, 80.00 % | sort_\[k\], 5.00 % | main, 95.00 %</p>" dom'
check "the root is below, or at the top" 'grep -q "<p id=\"root\">true</p>" dom' 'grep -q "<p id=\"turned\">0 0</p>" dom'
check "it fetches nothing" '! grep -qE "(src|href)=\"?[^#\"]|@import|url\(" flame.html' 'grep -q "default-src .none." flame.html'

# --- merging ---
printf 'main;work;hash 15\nmain;idle 85\n' >node1.txt
printf 'main;work;hash 1\nmain;idle 99\n' >node2.txt
printf 'main;idle 10\nother;x 7\n' >node3.txt
run merge --out fleet.txt node1.txt node2.txt
check "15 % of one and 1 % of another are 8 % of both" 'exits 0' 'grep -qx "main;work;hash 16" fleet.txt' 'out "fleet.txt: 2 profiles, of 200 samples in all"'
run profile show fleet.txt --json
check "exactly" 'json "[.[] | select(.name == \"hash\")][0].self_share == 0.08"'
run merge --out all.pb.gz node1.txt node2.txt node3.txt
for tree in '1 2 3' '3 1 2' '2 3 1'; do
  set -- $tree
  "$program" merge --out part.pb.gz "node$1.txt" "node$2.txt" >/dev/null
  "$program" merge --out tree.pb.gz "node$3.txt" part.pb.gz >/dev/null
  cmp all.pb.gz tree.pb.gz || echo differs
done >compared
check "any tree of merges writes the same bytes" '[ ! -s compared ]'
run merge --out rated.txt --rate node1.txt=50 --rate node2.txt=100 --machines node2.txt=3 node1.txt node2.txt
check "weights by rate and by machine" 'exits 0' 'grep -qx "main;work;hash 330000000" rated.txt'
run merge --out wrong.txt --rate node1.txt=50 node1.txt node2.txt
check "samples and times are not added" 'exits 65' 'err "node2.txt: its weights are samples, and those before ns of processor time; give --rate"' '[ ! -e wrong.txt ]'
run merge --out wrong.txt --rate node9.txt=50 node1.txt
check "a rate of no file" 'exits 64' 'err "no such file is merged"'
run merge --out wrong.txt --by node node1.txt
check "profiles have no --by" 'exits 64' 'err "profiles have no --by"'

# rates that files hold: a second at 999 a second is a second at 99
printf '# unit=samples samples=999 heaviest=1 rate=999\nmain;one 999\n' >fast.txt
printf '# unit=samples samples=99 heaviest=1 rate=99\nmain;two 99\n' >slow.txt
run merge --out seconds.txt fast.txt slow.txt
check "rates of files are used" 'exits 0' 'out "ns of processor time"' 'grep -q "main;one 1000000000" seconds.txt' 'grep -q "main;two 1000000000" seconds.txt' \
  'grep -q "^# unit=ns samples=1098 heaviest=10101010$" seconds.txt'
run profile show seconds.txt --json
check "and a sample of the slow one is worth no less than it is" 'json "[.[] | select(.name == \"one\")][0].self_share_lower < 0.4"'
run merge --out seconds.txt fast.txt slow.txt --rate slow.txt=99
check "saying the same is no mistake" 'exits 0' 'grep -q "main;two 1000000000" seconds.txt'
run merge --out wrong.txt fast.txt slow.txt --rate slow.txt=999
check "but something else is" 'exits 64' 'err "slow.txt=999: the file says that it was sampled 99 times a second"' '[ ! -e wrong.txt ]'
for order in "fast.txt null.txt" "null.txt fast.txt"; do
  printf 'main;two 98\nmain 1\n' >null.txt
  run merge --out wrong.txt $order
  check "a rate that only one says: $order" 'exits 65' 'err "give --rate to all that are samples"' '[ ! -e wrong.txt ]'
done
run merge --out seconds.txt fast.txt null.txt --rate null.txt=99
check "is given to the other" 'exits 0' 'out "2000000000 ns"'

# --- differences ---
printf 'main;work;hash 150\nmain;idle 850\nmain;new 20\n' >after.txt
run profile diff node1.txt after.txt --weight samples
check "no difference but chance" 'exits 0' 'said "If samples are independent: no function of 3 has a significantly different share."' 'said "taken for independent"'
printf 'main;work;hash 450\nmain;idle 550\n' >after.txt
run profile diff node1.txt after.txt --weight samples --json --plot diff.html
check "a difference" 'exits 1' 'json_lines' 'json "[.[] | select(.kind == \"changed_function\" and .significant) | .name] | sort == [\"hash\", \"idle\"]"' 'grep -q "more than before" diff.html' \
  'grep -q "+30.00 percentage points" diff.html' 'json "[.[] | select(.kind == \"difference\")][0].verdict == \"more\""' \
  'grep -q "<title>main, .*not significant" diff.html || grep -q "<title>main, 100.00 %, weight 1000, +0.00 percentage points</title>" diff.html'
# what is gone is in the picture, in grey what may be chance
printf 'main;old 900\nmain;idle 80\nmain;rare 20\n' >gone.1
printf 'main;idle 980\nmain;rare 20\n' >gone.2
run profile diff gone.1 gone.2 --weight samples --plot gone.html
check "what is gone is drawn" 'exits 1' 'grep -q "id=\"flame-before\"" gone.html' 'grep -q "<title>old, 90.00 %, weight 900, -90.00 percentage points; the function itself -90.00, significant</title><rect[^>]*fill=\"#7d7df0\"" gone.html' \
  'grep -q "<title>rare, 2.00 %, weight 20, +0.00 percentage points; the function itself +0.00, not significant</title><rect[^>]*fill=\"#cfd2d6\"" gone.html'
run profile diff gone.1 gone.2 --weight samples --plot gone.svg
check "also in a drawing" 'xmllint --noout gone.svg' 'grep -q ">Before</text>" gone.svg' 'grep -q "not significant, or it cannot be told</text>" gone.svg'
# a margin: codes and words as those of compare
printf 'main;f 3000\nmain;g 7000\n' >margin.1
printf 'main;f 3100\nmain;g 6900\n' >margin.2
for one in '1%:2:not decidable' '10%:0:within the margin'; do
  IFS=: read -r margin code words <<<"$one"
  run profile diff margin.1 margin.2 --weight samples --margin $margin --json
  check "a margin of $margin" "exits $code" 'json_lines' "json \"[.[] | select(.kind == \\\"difference\\\")][0].verdict == \\\"$words\\\"\""
done
run profile diff node1.txt after.txt --weight samples --margin 5%
check "more than the margin" 'exits 1' 'out "1 of 2 functions is over the margin of 5 % of the time."' 'said "more hash"'
printf 'main;work;hash 451\nmain;idle 549\n' >odd.txt
printf 'main;work;hash 151\nmain;idle 850\n' >odd1.txt
run profile diff odd1.txt odd.txt --margin 5%
check "of numbers that may be samples" 'exits 3' 'said "If the numbers of the files are samples, which is not said: 1 of 2 functions is over"'
run profile diff after.txt node1.txt --weight samples
check "the one has less and the other more: that is what it is" 'exits 1' 'said "2 of 2 functions have"'
run profile diff node1.txt after.txt --margin 101%
check "a margin that is none" 'exits 64' 'err "--margin 101%: give a share"'
run profile diff node1.txt node1.txt --weight samples --json
check "a profile and itself" 'exits 0' 'json "[.[] | select(.kind == \"changed_function\") | .chance] | all(. == 1)"'

# --- what numbers of folded stacks are ---
# a function that the compiler puts into one caller and not into another is one function
printf 'main;caller;hot_[i] 31\nmain;other;hot 29\nmain;slow 40\n' >inlined.1
printf 'main;caller;hot 31\nmain;other;hot_[i] 29\nmain;slow 40\n' >inlined.2
run profile show inlined.1 --json
check "inlined here and called there" 'exits 0' 'json "[.[] | select(.name? and (.name | startswith(\"hot\")))] | length == 1 and .[0].self == 60 and .[0].total == 60"'
run profile show inlined.1 --format folded
check "stacks say where" 'exits 0' 'out "main;caller;hot_[i] 31"' 'out "main;other;hot 29"'
run profile diff inlined.1 inlined.2 --weight samples --json
check "what another compiler inlines has not changed" 'exits 0' 'json "[.[] | select(.kind == \"changed_function\") | .chance] | length == 2 and all(. == 1)"'

# 500 samples of one law each, drawn twice, that weigh 1, 1001 (a time) or 10101010 (periods at 99 a second)
for weight in 1 1001 10101010; do
  for seed in 1 2; do
    awk -v seed=$seed -v w=$weight 'function draw() { return (x = x * 16807 % 2147483647) / 2147483647 }
      BEGIN { x = seed * 7919; for (i = 0; i < 500; i++) n[int(20 * draw() * draw())]++
      for (f in n) printf "main;f%d %.0f\n", f, n[f] * w }' >null$weight.$seed
  done
done
run profile diff null1.1 null1.2
check "numbers that may be samples: with the condition" 'exits 3' 'said "If the numbers of the files are samples, which is not said, and these independent: no function of"' \
  'said "null1.1, null1.2: the numbers are taken for numbers of samples, which nothing says"'
run profile show null1.1
check "and intervals, too" 'exits 0' 'said "If the numbers of the file are samples, which it does not say:"' 'said "99 % interval"'
for weight in 1001 10101010; do
  LIMIT=5 run profile diff null$weight.1 null$weight.2
  check "multiples of $weight are no samples: cannot tell" 'exits 2' 'said "Cannot tell which of"' 'said "say it with --weight"' '! said " yes "'
  run profile show null$weight.1
  check "and have no interval" 'exits 0' '! said "interval self"' '! said "99 % interval"' 'said "units of an unknown kind"'
  run profile diff null$weight.1 null$weight.2 --weight $weight
  check "unless it is said what one weighs" 'exits 0' 'said "If samples are independent: no function of"'
  LIMIT=5 run profile diff null$weight.1 null$weight.2 --weight samples
  check "or that they are, however many" 'exits 1' 'said "functions have a significantly different share"'
done
run profile show null1001.1 --weight ns
check "a time has no interval either" 'exits 0' 'said "500500 ns of processor time"' '! said "99 % interval"'
run profile show null1001.1 --weight 1000
check "a weight that does not fit" 'exits 65' 'err "is no multiple of 1000, which --weight says is one sample"'
run profile show null1001.1 --weight hours
check "a weight that is none" 'exits 64' 'err "--weight hours: give samples"'
run merge --out sum.folded null1001.1 null1001.2
check "sums of what nobody names are conditional" 'exits 3' 'out "nobody says what the numbers of these files are"' 'grep -qx "# unit=unknown" sum.folded'
run merge --out wrong.txt null1001.1 null1.1
check "and are not added to samples" 'exits 65' 'err "units of an unknown kind"' 'err "--weight"' '[ ! -e wrong.txt ]'
run merge --out wrong.txt null1.1 null1001.1
check "in no order" 'exits 65' 'err "--weight"' '[ ! -e wrong.txt ]'

# what is known of the unit goes with our own folded text
run profile show perf.txt --json
cp out known
run profile show perf.txt --format folded --out perf.folded
run profile show perf.folded --json
check "folded text of ours says its unit" 'grep -q "^# unit=ns samples=2 heaviest=250000 event=cpu-clock$" perf.folded' \
  'json ".[0].samples == 2 and .[0].unit == \"ns of processor time\" and .[1].self_share_upper > 0.99"' \
  'cmp <(jq -c "select(.kind == \"function\") | del(.module)" known | sort) <(jq -c "select(.kind == \"function\") | del(.module)" out | sort)' \
  'jq -se "[.[] | select(.name == \"hash\")][0].module == \"server\"" known >/dev/null'
cat perf.folded perf.folded >twice.folded
run profile show twice.folded --json
check "also of two files in one" 'json ".[0].samples == 4"'
cat one.txt perf.folded >mixed.folded
run profile show mixed.folded
check "but not of a part" 'exits 65' 'err "mixed.folded:5: this comment says of what the numbers are, and those before it"'
run merge --out again.pb.gz null1.1 null1.2
run profile show again.pb.gz --json
check "an assumption stays one in other forms" 'json ".[0].assumed == true"'

# --- mistakes ---
printf 'main;work\n' >bad.txt
run profile show bad.txt
check "no count" 'exits 65' 'err "bad.txt:1: no whole number stands behind the last space"'
head -c 100 hostile.pb >cut.pb
run profile show cut.pb
check "a damaged profile" 'exits 65' 'err "cut.pb: is no profile of pprof, or a damaged one"'
# a difference of two profiles: values of 900, -800 and 100
python3 - <<'END'
import gzip
def number(field, value):
    value &= (1 << 64) - 1
    out = bytes([field << 3])
    while value > 127:
        out, value = out + bytes([value & 127 | 128]), value >> 7
    return out + bytes([value])
def message(field, body):
    return bytes([field << 3 | 2, len(body)]) + body
def profile(name, *values):
    strings = ["", "alloc_space", "bytes", "f1", "f2", "f3", name, "nanoseconds"]
    types = message(1, number(1, 6) + number(2, 7)) if name else message(1, number(1, 1) + number(2, 2))
    out = types + b"".join(message(2, number(1, i + 1) + number(2, v)) for i, v in enumerate(values))
    out += b"".join(message(4, number(1, i) + message(4, number(1, i))) + message(5, number(1, i) + number(2, i + 2)) for i in (1, 2, 3))
    return gzip.compress(out + b"".join(message(6, s.encode()) for s in strings))
open("negative.pb.gz", "wb").write(profile("", 900, -800, 100))
open("wall.pb.gz", "wb").write(profile("wall", 900, 800, 100))
END
run profile show negative.pb.gz
check "negative values have no shares" 'exits 65' 'quiet_out' 'err "negative.pb.gz: has values below 0 (1 of them)"' 'err "profile diff BEFORE AFTER"'
run profile show wall.pb.gz
check "time is of what the profile says" 'exits 0' 'out "1800 ns of wall, 3 functions"'
run merge --out wrong.txt wall.pb.gz perf.pb.gz
check "and added to no other" 'exits 65' 'err "and those before ns of wall"'
printf 'work 1 1.1: 7 a:\n\t 1 f (/w)\n\nwork 1 1.2: 9 b:\n\t 1 g (/w)\n\n' >events.txt
run profile show events.txt
check "several events" 'exits 65' 'err "several events, which are not added up: a (1), b (1); keep one with"'
run profile show events.txt --event b
check "one of them" 'exits 0' 'said "9 b in 1 samples"' 'out "100.00 %"'
run profile show missing.txt
check "no such file" 'exits 66' 'err "missing.txt: cannot be opened"'
run profile show one.txt --plot flame.png
check "a picture of another kind" 'exits 64' 'err "an .svg or an .html file"'
run profile show one.txt --out x.txt
check "--out without a form" 'exits 64' 'err "give --format folded"'
printf 'main;f 10\n' >full.folded
: >empty.folded
run merge --out both.folded full.folded empty.folded
check "a profile without samples is not merged" 'exits 65' 'err "empty.folded: holds no sample"' '[ ! -e both.folded ]'
finish
