#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Recorded requests as pictures: the waterfall of one with its critical path, and what waits for
# what. The critical path must be drawn where it was and as long as it was, names of any length lie
# on nothing else, and all of it can be read without a pointer.
. "$(dirname "$0")/tap.sh"
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
[ -n "$browser" ] || { echo "not ok 1 - a browser is missing (apt-get install chromium)"; exit 69; }
cd "$scratch" || exit 1

# Requests of `shop`, which calls `cart` and `price` together, then `pay`, times in us; and of one
# span, of many in a sequence or at once, and of long names with markup.
cat >make.py <<'END'
import json, random, sys
random.seed(5)
def span(trace, number, parent, name, start, duration):
    refs = [] if parent is None else [{"refType": "CHILD_OF", "traceID": trace, "spanID": f"s{parent}"}]
    return {"traceID": trace, "spanID": f"s{number}", "operationName": name, "references": refs,
            "startTime": start, "duration": duration, "processID": "p"}
def shop(trace):
    cart, price, pay = random.randint(200, 900), random.randint(200, 900), random.randint(300, 600)
    both = 1000100 + max(cart, price)
    return [span(trace, 0, None, "shop", 1000000, both + 50 + pay + 70 - 1000000),
            span(trace, 1, 0, "cart", 1000100, cart), span(trace, 2, 0, "price", 1000100, price),
            span(trace, 3, 0, "pay", both + 50, pay)]
def equal(trace):
    return [span(trace, 0, None, "root", 1000000, 60010)] + [span(trace, i, 0, f"call{i}", 1000000 + 20 * i, 10) for i in range(1, 3000)]
def many(trace, count, at_once, name="call"):
    at, calls, end = 1000050, [], 0
    for number in range(1, count):
        start, took = (1000050 if at_once else at), random.randint(20, 200)
        calls.append(span(trace, number, 0, f"{name}{number}", start, took))
        at += took + 10
        end = max(end, start + took)
    return [span(trace, 0, None, "root", 1000000, max(end, 1000100) + 40 - 1000000)] + calls
kind, requests = sys.argv[1], int(sys.argv[2])
make = {"shop": shop, "equal": equal, "one": lambda t: many(t, 1, False), "sequence": lambda t: many(t, 300, False), "once": lambda t: many(t, 300, True),
        "long": lambda t: many(t, 8, False, "<b>&\"quoted\"'" + "name" * 50)}[kind]
print(json.dumps({"data": [{"traceID": f"t{i}", "spans": make(f"t{i}"), "processes": {"p": {"serviceName": "S"}}} for i in range(requests)]}))
END
for input in shop:60 one:1 sequence:3 once:20 long:4 equal:1; do python3 make.py "${input%:*}" "${input#*:}" >"${input%:*}.json"; done
dump() { # PAGE: what the browser makes of it
  HOME=$scratch timeout 2h "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage \
    --user-data-dir="$scratch/profile" --virtual-time-budget=2000 --dump-dom "file://$scratch/$1" 2>browser.err
}

# --- the page --------------------------------------------------------------------------------------
run trace path shop.json --json
cp out plain
SOURCE_DATE_EPOCH=86400 run trace path shop.json --plot shop.html
check "a page beside the usual output" 'exits 0' 'quiet_err' 'out "The slowest request"' '[ -s shop.html ]'
dump shop.html >dom
id=$(jq -r 'select(.kind == "request") | .id' plain)
latency=$(jq -r 'select(.kind == "request") | .latency_ns' plain)
check "the browser shows the request and the graph" '[ "$(grep -c "<figure" dom)" -eq 2 ]' "grep -q '<h1>The slowest request, $id, took ' dom" \
  'grep -q "<h2>What waits for what in all requests</h2>" dom' 'grep -q "id=\"parts\"" dom' 'grep -q "id=\"ledger\"" dom'
check "it fetches nothing" '! grep -qE "(src|href)=\"?[^#\"]|@import|url\(" shop.html' 'grep -q "default-src .none." shop.html'
check "its drawings are well-formed" \
  'awk "/^<svg/ { n++; keep = 1 } keep { print > (\"drawing\" n \".svg\") } /^<\/svg>/ { keep = 0 }" shop.html' 'xmllint --noout drawing1.svg drawing2.svg'
check "when, where and by which command" 'grep -qE "<code>1970-01-02 00:00 UTC, [^,]+, tailproof [0-9.]+(-[a-z]+)?: tailproof trace path shop.json --plot shop.html</code>" shop.html'
check "the steps of the path and the parts of all requests are tables" \
  '[ "$(sed -n "/id=\"steps\"/,/<\/table>/p" shop.html | grep -c "<tr><th scope=\"row\"")" -eq "$(jq -s "[.[] | select(.kind == \"step\" and .ns > 0)] | length" plain)" ]' \
  '[ "$(sed -n "/id=\"parts\"/,/<\/table>/p" shop.html | grep -c "<tr><th scope=\"row\"")" -eq "$(jq -s "[.[] | select(.kind == \"part\")] | length" plain)" ]'

# --- the waterfall ---------------------------------------------------------------------------------
check "a bar for each call" '[ "$(grep -c "class=\"fill-group0\".*fill-opacity=\"0.5\".*<title>S/" drawing1.svg)" -eq 4 ]'
# From and to of each part that is marked, and the axis: 0 at the first, the latency at the last.
sed -nE 's/.*class="fill-observed".* points="([0-9.]+),[0-9.]+ ([0-9.]+),.*<title>on the critical path: .*/\1 \2/p' drawing1.svg >marked
jq -r 'select(.kind == "step") | "\(.from_ns) \(.from_ns + .ns)"' plain | paste -d' ' marked - >both
placed() { awk -v latency="$latency" 'function off(x, ns) { d = x - (left + ns * scale); return d < 0 ? -d : d }
  { x[NR] = $1; y[NR] = $2; from[NR] = $3; to[NR] = $4 }
  END { left = x[1]; scale = (y[NR] - x[1]) / latency
    for (i = 1; i <= NR; i++) { if (off(x[i], from[i]) > 0.6 || (off(y[i], to[i]) > 0.6 && y[i] - x[i] > 1.01)) bad++; if (i > 1 && from[i] != to[i - 1]) bad++ }
    print NR, bad + 0 }' both; }
check "the critical path is marked where it was, from the start of the request to its end" \
  '[ "$(placed)" = "$(jq -s "[.[] | select(.kind == \"step\")] | length" plain) 0" ]' '[ "$(sed -n "\$p" both | cut -d" " -f4)" = "$latency" ]'
run trace path shop.json --request t7 --plot t7.svg
check "of the request that is asked for" 'exits 0' 'grep -q ">Request t7 took " t7.svg' 'grep -q "<desc.*Request t7 took .*On its critical path: S/shop: until it calls " t7.svg'
check "where all is decided nothing is dashed" '! grep -q "stroke-dasharray" drawing1.svg'
python3 make.py shop 2 >two.json
run trace path two.json --plot two.html
check "an undecided wait is dashed, and listed" 'exits 0' 'grep -qE "class=\"stroke-unknown\".*stroke-dasharray=.*<title>undecided: whether S/" two.html' \
  'sed -n "/id=\"undecided\"/,/<\/section>/p" two.html | grep -q "<li>Does .* wait for .* would decide it"'

# --- the graph -------------------------------------------------------------------------------------
check "pay waits for both, and stands behind them" '[ "$(grep -c "class=\"stroke-muted\".*<title>S/pay waits for" drawing2.svg)" -eq 2 ]' \
  'grep -q "<title>S/pay waits for all that lead to it, as S/cart; supported: 60 requests agree" drawing2.svg'
box() { sed -nE "s/.*points=\"([0-9.]+),[0-9.]+ ([0-9.]+),.*<title>S\/$1; own work.*/\1 \2/p" drawing2.svg; }
check "calls stand in the order of waiting" \
  '[ "$(echo "$(box cart) $(box price) $(box pay) $(box shop)" | awk "{ print (\$5 > \$2 && \$5 > \$4 && \$1 == \$3 && \$8 > \$6) }")" = 1 ]'
jq -c '.data |= (to_entries | map(if .key % 3 == 0 then .value.spans |= .[:3] else . end | .value))' shop.json >ways.json
run trace path ways.json --plot ways.html
check "each way to make calls has its graph, with its share" 'exits 0' \
  'grep -qE "<h2>What waits for what in 66.7 % of the requests \(53.3 to 78.3 %\)</h2>" ways.html' 'grep -qE "<h2>What waits for what in 33.3 % of the requests" ways.html' \
  '[ "$(grep -c "<figure" ways.html)" -eq 3 ]' 'grep -q "id=\"flows\"" ways.html'

# --- any size, any name ----------------------------------------------------------------------------
for input in shop one sequence once long two; do
  run trace path $input.json --plot $input.svg
  check "no text lies on another, or outside: $input" 'exits 0' 'xmllint --noout $input.svg' '[ -z "$(overlaps $input.svg)" ]' '! grep -qiE "nan|inf[\", ]" $input.svg'
done
check "a request of one span" '[ "$(grep -c "class=\"fill-group0\".*<title>S/root: " one.svg)" -eq 1 ]'
check "of 300 spans those off the path are folded" 'grep -q ">240 more calls, the first: S/call[0-9]*</text>" once.svg' \
  '[ "$(grep -c "class=\"fill-group0\".*<title>S/" once.svg)" -eq 60 ]' '[ "$(sed -nE "s/.*viewBox=\"0 0 1240 ([0-9]+)\".*/\1/p" once.svg | head -n 1)" -lt 1500 ]'
run trace path long.json --plot long.html
check "markup in names is text" 'exits 0' '! grep -qE "<b>|quoted\"" long.html' 'grep -q "S/&lt;b&gt;&amp;&quot;quoted&quot;&#39;name" long.html' \
  'grep -qE "<text[^>]*>S/…[a-z0-9]*name3</text>" long.html'
for input in one sequence once; do
  run trace path $input.json --plot $input.html
  check "a page of it: $input" 'exits 0' '[ "$(grep -c "^</svg>" $input.html)" -eq 2 ]' '! grep -qiE "\"[^\"]*\b(nan|inf)\b" $input.html'
done

run trace path equal.json --plot equal.html
check "of thousands of steps that took as long a report lists as many as are asked for" 'exits 0' '[ "$(grep -c "until it calls\|own work" out)" -le 40 ]' \
  'said "shorter steps: "' '[ "$(stat -c %s equal.html)" -lt 1000000 ]' 'grep -q ">2940 more calls, the first: S/call" equal.html'

# --- without a pointer -----------------------------------------------------------------------------
{
  cat shop.html
  echo '<script>const figure = document.querySelector("figure"), said = [];
    const press = (key, shiftKey) => { figure.dispatchEvent(new KeyboardEvent("keydown", {key, shiftKey}));
      const say = figure.querySelector("output"), box = say.getBoundingClientRect();
      said.push(getComputedStyle(say).display + " " + figure.querySelectorAll(".here").length + " " + say.textContent); };
    figure.focus(); press("Home"); press("ArrowDown"); press("ArrowUp"); press("ArrowUp"); press("End"); press("ArrowRight"); press("Escape");
    press("Home"); said.push(document.activeElement === figure); figure.dispatchEvent(new FocusEvent("blur")); said.push(getComputedStyle(figure.querySelector("output")).display);
    figure.querySelector("polygon:has(title)").dispatchEvent(new PointerEvent("pointerdown", {bubbles: true}));
    said.push(figure.querySelector("output").textContent);
    document.body.append(Object.assign(document.createElement("pre"), {id: "said", textContent: said.join("\n")}));</script>'
} >keys.html
dump keys.html | sed -n '/<pre id="said">/,/<\/pre>/p' | sed 's/.*<pre id="said">//; s/<[^>]*>//g' >said
check "arrow keys go from part to part, and each says what it is" 'sed -n 1p said | grep -q "^block 1 S/shop: .*on the critical path"' \
  'sed -n 2p said | grep -q "^block 1 S/"' '[ "$(sed -n 2p said)" != "$(sed -n 1p said)" ]' '[ "$(sed -n 3p said)" = "$(sed -n 1p said)" ]' \
  '[ "$(sed -n 4p said)" = "$(sed -n 1p said)" ]' '[ "$(sed -n 5p said)" = "$(sed -n 6p said)" ]' 'sed -n 5p said | grep -q "^block 1 on the critical path: "' \
  'sed -n 7p said | grep -q "^none 0 "'
check "what is said goes with the focus, and comes with a touch" '[ "$(sed -n "9,10p" said | tr "\n" " ")" = "true none " ]' 'sed -n 11p said | grep -q "^S/shop: "'
check "a figure says how it is read" '[ "$(grep -c "<figure class=\"wide\" tabindex=\"0\" data-walk=\"\" aria-label=\"[^\"]*Arrow keys" shop.html)" -eq 2 ]'

# --- what is looked for, and looked at closer --------------------------------------------------------
# Failed calls and tags of two services, with names that begin and end alike, at a time of day.
python3 - >failed.json <<'END'
import json
names = [("front", "shop.example.org/checkout/" + "orders/" * 12 + "list"), ("back", "shop.example.org/checkout/" + "orders/" * 12 + "list"),
         ("back", "shop.example.org/search/" + "orders/" * 12 + "list")]
spans = [{"traceID": "t", "spanID": f"s{i}", "operationName": name, "references": [{"refType": "CHILD_OF", "traceID": "t", "spanID": "s0"}] if i else [],
          "startTime": 1700000000250000 + 1000 * i, "duration": 10000 if i == 0 else 900, "processID": service,
          "tags": [{"key": "error", "type": "bool", "value": True}, {"key": "db.statement", "type": "string", "value": "SELECT <1>"}] if i == 2 else []}
         for i, (service, name) in enumerate(names)]
print(json.dumps({"data": [{"traceID": "t", "spans": spans, "processes": {s: {"serviceName": s} for s in ("front", "back")}}]}))
END
run trace path failed.json --plot failed.html
check "when it began, what failed, and tags" 'exits 0' 'grep -q "<p>The request began at 2023-11-14T22:13:20.250Z.</p>" failed.html' '[ "$(grep -c "class=\"fill-failed\".*>✗ back/" failed.html)" -eq 1 ]' \
  'grep -qE "<title>✗ back/.*; it failed; .*db.statement=SELECT &lt;1&gt;</title>" failed.html' 'sed -n "/<details id=\"tags\"/,/<\/details>/p" failed.html | grep -q "SELECT &lt;1&gt;"'
check "names that differ are shown different, each service in its colour" \
  '[ "$(sed -n "/waterfall-title/,/<\/svg>/p" failed.html | grep -oE ">(✗ )?(front|back)/[^<]*…[^<]*list" | sort -u | wc -l)" -eq 3 ]' \
  'grep -q "class=\"fill-group0\".*<title>front/" failed.html' 'grep -q "class=\"fill-group1\".*<title>✗ back/" failed.html'
{
  cat failed.html
  echo '<script>const figure = document.querySelector("figure"), input = document.getElementById("search"), said = [];
    const look = word => { input.value = word; input.dispatchEvent(new Event("input")); };
    const shown = () => [...document.querySelectorAll("tbody tr")].filter(r => !r.hidden).length;
    const bars = () => [...figure.querySelectorAll("polygon")].filter(p => p.querySelector("title") && p.style.display !== "none").length;
    const all = shown(); look("select <1>");
    said.push(document.querySelectorAll(".found").length, shown(), document.querySelector("details").open);
    look(""); said.push(document.querySelectorAll(".found").length, shown() === all);
    const before = figure.querySelector("svg").outerHTML, many = bars(), first = figure.querySelector("polygon:has(title)").points;
    const width = first[1].x - first[0].x;
    figure.dispatchEvent(new KeyboardEvent("keydown", {key: "Home"}));
    figure.dispatchEvent(new KeyboardEvent("keydown", {key: "Escape"}));
    for (let i = 0; i < 3; i++) figure.dispatchEvent(new KeyboardEvent("keydown", {key: "+"}));
    const ticks = [...figure.querySelectorAll("text[text-anchor=middle]")].filter(t => t.style.display !== "none").map(t => t.textContent);
    said.push(bars() < many, first[1].x - first[0].x === width, ticks.join(" "));
    figure.dispatchEvent(new KeyboardEvent("keydown", {key: "0"}));
    said.push(bars() === many, [...figure.querySelectorAll("text[text-anchor=middle]")].every(t => t.style.display === ""), document.body.scrollWidth <= innerWidth);
    document.body.append(Object.assign(document.createElement("pre"), {id: "said", textContent: said.join("|")}));</script>'
} >look.html
dump look.html | sed -nE 's/.*<pre id="said">(.*)<\/pre>.*/\1/p' >said
check "a search marks what it finds, and opens what is folded" 'grep -q "^1|1|true|0|true|" said'
check "a stretch of time is enlarged, with its own axis, and all is there again" 'grep -qE "\|true\|true\|4\.4 4\.6 [0-9. ]+ 5\.6\|true\|true\|true$" said'

# --- why the slow ones are slow ---------------------------------------------------------------------
slow=$OLDPWD/examples/slow_shop/requests.csv
cp "$slow" calls.csv
run tail calls.csv --above p93 --json
cp out plain
run tail calls.csv --above p93 --plot tail.html
check "a page with two bars for each cause" 'exits 0' 'quiet_err' 'out "db_read"' 'grep -q "<h1>Why 70 of 1000 requests are slow</h1>" tail.html' \
  '[ "$(grep -c "<title>db_read in " tail.html)" -eq 2 ]' 'grep -q "id=\"causes\"" tail.html' 'grep -q "id=\"groups\"" tail.html' 'grep -q ">db_host=db-3</th>" tail.html' \
  'awk "/^<svg/ { keep = 1 } keep { print > \"bars.svg\" } /^<\/svg>/ { keep = 0 }" tail.html' 'xmllint --noout bars.svg'
number() { jq -r "select(.kind == \"cause\" and .name == \"$1\") | .$2" plain; }
# Where the bar of a cause begins and ends, in pixels: of the others, of slow requests.
bars_of() { sed -nE "s/.* points=\"([0-9.]+),[0-9.]+ ([0-9.]+),.*<title>$1 in (the others|slow).*/\1 \2/p" bars.svg | tr '\n' ' '; }
check "their lengths differ by what the cause adds, on one scale" \
  '[ "$(echo "$(bars_of db_read) $(bars_of price_query) $(number db_read difference_ns) $(number price_query difference_ns)" |
    awk "{ a = (\$4 - \$2) / \$9; b = (\$8 - \$6) / \$10; d = a / b - 1; print (a > 0 && d < 0.01 && d > -0.01 && \$1 == \$3 && \$5 == \$7) }")" = 1 ]'
check "the interval of the difference is drawn, and said" 'grep -qE "<title>db_read in slow requests: .* more \(.* to .* with 95 % confidence\), significant; without that [0-9]+ of 70 slow" bars.svg' \
  '[ "$(grep -c "class=\"stroke-text\"" bars.svg)" -ge 9 ]'
check "what is not significant is not coloured" 'grep -q "class=\"fill-muted\".*<title>cart_get in slow requests: .*, not significant" bars.svg'
run tail calls.csv --above p99 --plot few.svg
check "where nothing can be told the picture says so" 'exits 2' 'xmllint --noout few.svg' 'grep -q ">CANNOT TELL: 10 are slow" few.svg' '! grep -q "class=\"fill-observed\".*<title>" few.svg'
run tail shop.json --request t7 --plot one-tail.svg
check "one request against what is usual" 'exits 0' 'grep -q ">Why request t7 takes its time</text>" one-tail.svg' 'grep -q "<title>S/pay here: " one-tail.svg' '[ -z "$(overlaps one-tail.svg)" ]'
run tail long.json --request t1 --plot long-tail.svg
check "names of any length" 'exits 0' 'xmllint --noout long-tail.svg' '[ -z "$(overlaps long-tail.svg)" ]'
run tail calls.csv --above p93 --plot tail.svg
check "no text of it lies on another" '[ -z "$(overlaps tail.svg)" ]' '! grep -qiE "nan|inf[\", ]" tail.svg'

# --- what if -----------------------------------------------------------------------------------------
run whatif latency shop.json --change 'S/pay: *0.5' -p 50,90 --json
cp out plain
run whatif latency shop.json --change 'S/pay: *0.5' -p 50,90 --plot what.html
check "the latencies before and after, in both panels" 'exits 0' 'quiet_err' '[ "$(grep -c "<figure" what.html)" -eq 2 ]' \
  '[ "$(grep -cE "<polyline class=\"stroke-observed\"[^>]*><title>replayed with the change</title>" what.html)" -eq 2 ]' \
  '[ "$(grep -cE "<polyline class=\"stroke-upper\"[^>]*><title>recorded, 60 requests</title>" what.html)" -eq 2 ]' \
  'grep -qE "<li>S/pay: \*0.5 +\(60 calls\)</li>" what.html' 'grep -q "id=\"ledger\"" what.html' '! grep -qE "(src|href)=\"?[^#\"]|@import|url\(" what.html'
cell() { sed -n "/id=\"$1\"/,/<\/table>/p" what.html | grep ">p$2<" | sed -E 's/<t[hd][^>]*>/\n/g; s/<[^>]*>//g' | sed -n "$3p"; }
printed() { jq -r "select(.kind == \"predicted\" and .p == \"$1\") | .$2.ns" plain | awk '{ printf "%.3f ms", $1 / 1e6 }'; }
us() { echo "$1" | awk '{ print $2 == "ms" ? $1 * 1000 : $1 }'; }
near() { awk -v a="$(us "$1")" -v b="$(us "$2")" 'BEGIN { exit !(a - b <= 1 && b - a <= 1 && a > 0) }'; }
for p in 50 90; do
  check "the curves are where p$p is" 'near "$(cell curve-table $p 3)" "$(printed $p replayed)"' 'near "$(cell curve-table $p 4)" "$(printed $p recorded)"' \
    'near "$(cell percentiles $p 3)" "$(printed $p recorded)"' 'near "$(cell percentiles $p 4)" "$(printed $p replayed)"'
done
run whatif latency shop.json --change 'S/pay: *0.5' --observed shop.json -p 50 --plot what.svg
check "and what was really observed" 'exits 1' 'xmllint --noout what.svg' '[ -z "$(overlaps what.svg)" ]' 'grep -q "<title>observed after the real change, 60 requests</title>" what.svg'
run whatif latency one.json -p 50 --plot nothing.svg
check "of one request, with no change" 'xmllint --noout nothing.svg' 'grep -q ">no change</text>" nothing.svg' '! grep -qiE "nan|inf[\", ]" nothing.svg'

# --- mistakes --------------------------------------------------------------------------------------
run trace path nowhere.json --plot x.pdf
check "a picture of no known kind, before anything is read" 'exits 64' 'quiet_out' 'err ".svg, .png or .html"' '[ "$(wc -l <err)" -eq 1 ]'
run tail nowhere.csv --plot x.pdf
check "nor of why requests are slow" 'exits 64' 'quiet_out' 'err "tailproof tail: x.pdf"'
run whatif latency nowhere.json --plot x.pdf
check "nor of what would be" 'exits 64' 'quiet_out' 'err "tailproof whatif latency: x.pdf"'
run trace path shop.json --plot nowhere/x.svg
check "a folder that is not there" 'exits 70' 'err "nowhere/x.svg: cannot be written"'
finish
