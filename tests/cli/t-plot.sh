#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Pictures: what a reader finds in them. The HTML page is opened in a headless browser, which runs
# its script; SVG must be well-formed, PNG a picture of the right size; and curves must be where the
# percentiles are, never on the wrong side of them.
. "$(dirname "$0")/tap.sh"
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
[ -n "$browser" ] || { echo "not ok 1 - a browser is missing (apt-get install chromium)"; exit 69; }
recorded=$PWD/examples/token_ring/recorded
cd "$scratch" || exit 1
ring=("$specs/lock.tp" --bound full_circle --set n=4 --data "$recorded" --observed "$recorded/round.tph" --exchangeable)

# One ledger for both: where a proof is reused it says when it was made.
run percentiles "${ring[@]}" -p 50,99,99.9 --json --no-cache
cp out plain
percentile() { jq -r "select(.kind == \"percentile\" and .p == \"$1\") | .upper_ns" plain | head -n 1; }

# --- HTML ----------------------------------------------------------------------------------------
run percentiles "${ring[@]}" -p 50,99,99.9 --plot ring.html --json --no-cache
check "a page is written beside the usual output" 'exits 0' 'quiet_err' '[ -s ring.html ]' \
  'json "any(.kind == \"percentile\")"' '[ "$(ls | grep -c ring.html)" -eq 1 ]'
HOME=$scratch timeout 2h "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage \
  --user-data-dir="$scratch/profile" --virtual-time-budget=2000 --dump-dom "file://$scratch/ring.html" >dom 2>browser.err
last="percentiles --plot ring.html, and $browser --dump-dom: $(tail -n 3 browser.err)"
dom() { grep -qF -- "$1" dom; }
check "the browser shows two panels" '[ "$(grep -c "<figure" dom)" -eq 2 ]' \
  'dom "Distribution: how much is done by t"' 'dom "Tail: how much takes longer than t"'
check "both axes have titles, that of time with its unit" \
  '[ "$(grep -cE "<text[^>]*>latency t \((ns|µs|ms|s)(, logarithmic)?\)</text>" dom)" -eq 2 ]' \
  'grep -qE "<text[^>]*>P\(latency ≤ t\)</text>" dom' \
  'grep -qE "<text[^>]*>1 − p = P\(latency &gt; t\), logarithmic</text>" dom'
check "bound and observation are curves with names, in both panels" \
  '[ "$(grep -cE "<polyline class=\"stroke-upper\"[^>]*><title>bound</title>" dom)" -eq 2 ]' \
  '[ "$(grep -cE "<polyline class=\"stroke-observed\"[^>]*><title>observed, 60000 times</title>" dom)" -eq 2 ]'
sed -n '/id="legend-title"/,/<\/svg>/p' dom >legend
check "the legend names them too" 'grep -q ">bound</text>" legend' 'grep -q ">observed, 60000 times</text>" legend'
check "the percentiles are in a table" 'dom "id=\"percentiles\""' 'dom ">p99.9</th>"'
jq -r 'select(.kind == "assumption") | .text' plain | sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g' >lines
sed -n '/id="ledger"/,$p' dom >ledger
missing() { while IFS= read -r line; do grep -qF -- "<dd>$line</dd>" ledger || echo "$line"; done <lines | wc -l; }
check "the ledger is there, every line of it" 'dom "What this rests on"' \
  '[ "$(wc -l <lines)" -ge 5 ]' '[ "$(missing)" -eq 0 ]'
check "the page fetches nothing" '! grep -qE "(src|href)=\"?[^#\"]|@import|url\(" ring.html' \
  'grep -q "default-src .none." ring.html'
check "its parts are well-formed" \
  'awk "/^<svg/ { n++; keep = n <= 2 } keep { print > (\"panel\" n \".svg\") } /^<\/svg>/ { keep = 0 }" ring.html' \
  'xmllint --noout panel1.svg panel2.svg'

# --- what it says: the verdicts, and how it was made -------------------------------------------------
slo=(--slo 'p99<250us' --slo 'p99.9<2ms' --slo 'p50<100us')
run percentiles "${ring[@]}" -p 50,99 "${slo[@]}" --json
jq -r 'select(.kind == "slo") | "\(.slo): \({met: "met", broken: "BROKEN", undecided: "NOT DECIDABLE with these samples"}[.state]): \(.reason)."' out >states
SOURCE_DATE_EPOCH=86400 run percentiles "${ring[@]}" -p 50,99 "${slo[@]}" --plot verdicts.html
said=$(sed -nE 's/<p class="verdict ([a-z]+)">(.*)<\/p>/\2/p' verdicts.html | sed 's/<[^>]*>//g; s/&lt;/</g; s/&gt;/>/g')
check "the page has the verdict on each objective, and on the observation" 'exits 1' '[ "$(wc -l <states)" -eq 3 ]' \
  '[ "$said" = "$(echo "the 60000 observations: within chance: p99 does not contradict the bound"; cat states)" ]'
check "good, open and bad ones differ" '[ "$(sed -nE "s/<p class=\"verdict ([a-z]+)\">.*/\1/p" verdicts.html | tr "\n" " ")" = "good good open bad " ]'
made="1970-01-02 00:00 UTC, $(hostname), tailproof $(cat "$specs/../VERSION"): tailproof percentiles $specs/lock.tp --bound full_circle"
check "when, where and by which command" 'grep -qF "<code>$made " verdicts.html' 'grep -qF -- "--slo &#39;p99&lt;250us&#39;" verdicts.html || grep -qF -- "--slo '"'"'p99&lt;250us'"'"'" verdicts.html'
check "the samples of each component" '[ "$(sed -n "/id=\"samples\"/,/<\/table>/p" verdicts.html | sed -nE "s/<tr><th scope=.row. class=.left.>([A-Za-z]+)<\/th><td>([0-9]+)<.*/\1 \2/p" | sort | tr "\n" ,)" = "Accept 240000,Grant 240000,d 240000," ]'
{ echo latency_us; for i in $(seq 500); do echo 9000; done; } >slow.csv
run percentiles "$specs/lock.tp" --bound full_circle --set n=4 --data "$recorded" --exchangeable --observed slow.csv -p 50,99 --plot slow.svg
check "a picture has them too" 'exits 1' 'grep -qE ">the 500 observations: not dominated: at p[0-9.]+ it exceeds the bound</text>" slow.svg' \
  'grep -qE ">[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2} UTC, [^:]+: tailproof percentiles " slow.svg' 'grep -qE ">samples: .*Grant 240000.*</text>" slow.svg' \
  'grep -q "<desc.* the 500 observations: not dominated. Made .*--plot slow.svg</desc>" slow.svg' 'xmllint --noout slow.svg'
run percentiles "$specs/lock.tp" --bound full_circle --set n=4 --data "$recorded" -p 50,99 --plot plain.html
check "without a question there is no verdict" 'exits 0' '! grep -q "class=\"verdict" plain.html'

# --- what is below: the chain, the components, the curves as numbers ------------------------------------
part() { sed -n "/id=\"$2\"/,/<\/section>/p" "$1"; }
awk 'BEGIN { print "Grant_ns,d_ns,Accept_ns"; for (i = 1; i <= 200; i++) print 1000 + i "," (i == 199 ? 5000 : 300) "," 700 }' | shuffled 3 >rows.csv
sed -i '1s/.*/Grant.0_ns,d.Transfer.1_ns,Accept.0_ns/' rows.csv
run percentiles "$specs/lock.tp" --bound full_circle --set n=1 --set hops=0 --joint rows.csv -p 99.9 --plot rows.html
at=$(grep -n '^1199,' rows.csv | cut -d: -f1)
check "the request at the percentile, link by link" 'exits 0' 'part rows.html chain | grep -q "row $((at - 1)) of rows.csv"' \
  '[ "$(part rows.html chain | sed -nE "s/.*<desc[^>]*>(.*)<\/desc>.*/\1/p")" = "Grant[0] 1.199 µs, then d(Transfer(1)) 5.000 µs, then Accept[0] 700 ns" ]'
check "a bar for each, one after the other" \
  '[ "$(part rows.html chain | sed -nE "s/.*<polygon class=\"fill-upper\".* points=\"([0-9.]+),[0-9.]+ ([0-9.]+),.*/\1 \2/p" |
    awk "NR > 1 && (\$1 - last > 1 || last - \$1 > 1) { bad++ } { last = \$2; n++ } END { print n, bad + 0 }")" = "3 0" ]'
check "without requests it is of medians, and said to be" 'part ring.html chain | grep -q "takes its median: no percentile"' \
  '[ "$(part ring.html chain | grep -c "<polygon class=\"fill-upper\"")" -eq 12 ]'
check "each component has its curve" '[ "$(part ring.html components | grep -c "^<div class=\"small\">\|<svg")" -ge 3 ]' \
  '[ "$(part ring.html components | grep -oE "<title>(Grant|Accept|d)</title></polyline>" | sort -u | wc -l)" -eq 3 ]'
curve_cell() { part ring.html curve-table | grep ">p$1<" | sed -E 's/<t[hd][^>]*>/\n/g; s/<[^>]*>//g' | sed -n "$2p"; }
check "the curves are a table, too" '[ "$(part ring.html curve-table | grep -c "<tr>")" -eq 16 ]' '[ "$(curve_cell 99 3)" != "" ]' \
  'part ring.html curve-table | head -n 4 | grep -q ">bound, lower side</th>"' 'curve_cell 99.999 3 | grep -q infinite'

# --- without a pointer ------------------------------------------------------------------------------------
{
  cat ring.html
  echo '<script>const figure = document.querySelectorAll("figure")[1], said = [];
    const press = (key, shiftKey) => { figure.dispatchEvent(new KeyboardEvent("keydown", {key, shiftKey}));
      said.push(figure.querySelector("output").textContent.replaceAll("\n", "; ")); };
    figure.focus(); press("Home"); press("ArrowRight"); press("ArrowRight", true); press("ArrowLeft"); press("End"); press("ArrowRight");
    said.push(document.activeElement === figure, getComputedStyle(figure.querySelector("output")).display);
    figure.blur(); said.push(getComputedStyle(figure.querySelector("output")).display);
    document.body.append(Object.assign(document.createElement("pre"), {id: "said", textContent: said.join("\n")}));</script>'
} >keys.html
HOME=$scratch timeout 2h "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage \
  --user-data-dir="$scratch/profile" --virtual-time-budget=2000 --dump-dom "file://$scratch/keys.html" 2>browser.err |
  sed -n '/<pre id="said">/,/<\/pre>/p' | sed 's/.*<pre id="said">//; s/<[^>]*>//g' >said
times() { sed -nE 's/^t = ([0-9.e+]+) .*/\1/p' said; }
check "arrow keys go along the curves, and what they are there is said" '[ "$(times | wc -l)" -eq 6 ]' 'sed -n 2p said | grep -q "; bound: "' 'sed -n 5p said | grep -q "; bound: "' \
  '[ "$(times | awk "NR == 1 { a = \$1 } NR == 2 { b = \$1 } NR == 3 { c = \$1 } NR == 4 { d = \$1 } NR == 5 { e = \$1 } NR == 6 { f = \$1 }
    END { print (a < b && b < c && d < c && d > b && e > c && e == f) }")" = 1 ]' 'sed -n 2p said | grep -q "observed, 60000 times: "'
check "the figure takes the focus, and what is said goes with it" '[ "$(sed -n "7,9p" said | tr "\n" " ")" = "true block none " ]' \
  'grep -q "<output aria-live=\"polite\">" ring.html' '[ "$(grep -c "<figure tabindex=\"0\" aria-label=\"[^\"]*arrow keys" ring.html)" -eq 2 ]'

# --- where curves are ----------------------------------------------------------------------------
# The tail panel says how pixels become times and shares. The curve holds at all points together, as the law that is
# saved does: it must not be left of any percentile of that, nor far to the right of it. A percentile that was printed
# holds by itself, so it is no further right.
run percentiles "${ring[@]}" -p 50 --save ring.law
run compare ring.law ring.law -p 50,99,99.9 --json
cp out saved
on_curve() { jq -r "select(.kind == \"compared\" and .p == \"$1\") | .a_upper_ns" saved; }
cat >where.jq <<'END'
def axis($a; $pixel): (($pixel - $a[3]) / ($a[4] - $a[3])) as $x |
  if $a[0] == 1 then $a[1] * pow($a[2] / $a[1]; $x) else $a[1] + $x * ($a[2] - $a[1]) end;
[.points[] | {t: axis($time; .[0]), s: axis($share; .[1])}] as $curve |
first($curve[] | select(.s <= $tail)) | [.t, $ns] | .[0] >= .[1] * (1 - 1e-9) and .[0] <= .[1] * 1.03
END
numbers() { sed -nE "s/.* data-$1=\"([^\"]*)\".*/[\1]/p" ring.html | tail -n 1 | tr ' ' ','; }
points=$(awk '/<figure/ { n++ } n == 2 && /class="stroke-upper"/ && /<title>bound</' ring.html |
  sed -E 's/.* points="([^"]*)".*/[[\1]]/; s/ /],[/g')
for p in 50 99 99.9; do
  tail=$(jq -n "1 - $p / 100 + 1e-12")
  last="the curve at p$p, $(on_curve $p) ns"
  check "the drawn bound passes p$p where the calculated one does" \
    '[ "$(jq -n --argjson points "$points" "{points: \$points}" | jq --argjson time "$(numbers time)" \
       --argjson share "$(numbers share)" --argjson tail "$tail" --argjson ns "$(on_curve $p)" -f where.jq)" = true ]' '[ "$(percentile $p)" -le "$(on_curve $p)" ]'
done
check "a few thousand points at most" '[ "$(grep -oE "points=\"[^\"]*\"" ring.html | awk "{ if (NF > most) most = NF } END { print most }")" -le 4000 ]'

cells() { sed -n '/id="percentiles"/,/<\/table>/p' "$1" | grep "<tr" | sed -E 's/<t[hd][ >]/\n&/g' | awk '/<tr/ { if (n) print n; n = 0 } /<t[hd][ >]/ { n++ } END { print n }' | sort -u; }
check "each row of the table has as many cells, and no heading is empty" '[ "$(cells ring.html)" = 6 ]' '! grep -qE "<th[^>]*></th" ring.html'

# --- SVG and PNG ---------------------------------------------------------------------------------
run percentiles "${ring[@]}" -p 50,99,99.9 --plot ring.svg --json
check "SVG is well-formed, with title, description and text" 'exits 0' 'xmllint --noout ring.svg' \
  'grep -q "<title id=" ring.svg' 'grep -q "<desc id=" ring.svg' 'grep -q ">latency t (" ring.svg' \
  'grep -q "<title>bound</title>" ring.svg' 'grep -q ">p99.9</text>" ring.svg'
# The box under the label of the chosen percentile, and the curves' lines that come into it.
hidden() {
  awk -F'points="' '
    /class="fill-paper".*fill-opacity="0.8"/ { split($2, p, /[ ,"]/); left = p[1]; top = p[2]; right = p[3]; bottom = p[6]; boxes++ }
    /<polyline class="stroke-(upper|lower|observed|unknown)/ { lines[++n] = $2 }
    END {
      for (i = 1; i <= n; i++) {
        sub(/".*/, "", lines[i])
        count = split(lines[i], at, /[ ,]/)
        for (k = 3; k < count; k += 2)
          if ((at[k] >= left || at[k - 2] >= left) && (at[k] <= right || at[k - 2] <= right) &&
              (at[k + 1] >= top || at[k - 1] >= top) && (at[k + 1] <= bottom || at[k - 1] <= bottom)) { found++; break }
      }
      print boxes + 0, (n > 4 ? found + 0 : "no curves")
    }' "$1"
}
check "the label of the percentile hides no curve" '[ "$(hidden ring.svg)" = "1 0" ]'
run percentiles "${ring[@]}" -p 50,99,99.9 --plot ring.png --json
png_size() { od -An -tu1 -j16 -N8 ring.png | awk '{ print ($3 * 256 + $4) "x" ($7 * 256 + $8) }'; }
height=$(sed -nE 's/.*viewBox="0 0 1240 ([0-9]+)".*/\1/p' ring.svg | head -n 1)
check "PNG is a picture of the same sheet, two pixels for one" 'exits 0' \
  '[ "$(od -An -tx1 -N8 ring.png | tr -d " ")" = 89504e470d0a1a0a ]' '[ "$(png_size)" = "2480x$((2 * height))" ]'

# PNG alone needs another program. Without it, or with one that fails, there is a remedy and no half of a file.
mkdir bin
ln -s "$(command -v sh)" bin/sh
run_with_path() { # PATH, arguments...
  last="PATH=$1 ${*:2}"
  PATH=$1 "$program" "${@:2}" >out 2>err </dev/null
  status=$?
}
kept() { [ "$(cat kept.png)" = before ] && [ "$(find . -maxdepth 1 -name '*kept*' | wc -l)" -eq 1 ]; }
echo before >kept.png
run_with_path "$scratch/bin" percentiles "${ring[@]}" -p 50 --plot kept.png
check "without what draws PNG: the package that has it, before anything is computed" 'exits 69' 'quiet_out' \
  '[ "$(wc -l <err)" -eq 1 ]' 'err "apt-get install librsvg2-bin"' 'err ".svg or .html"' kept
for kind in svg html; do
  run_with_path "$scratch/bin" percentiles "${ring[@]}" -p 50 --plot "without.$kind"
  check "$kind is drawn without it" 'exits 0' '[ -s "without.$kind" ]'
done
printf '#!/bin/sh\n[ "$1" = --version ] || { echo "out of paint"; echo "and more"; exit 1; }\n' >bin/rsvg-convert
chmod +x bin/rsvg-convert
run_with_path "$scratch/bin" percentiles "${ring[@]}" -p 50 --plot kept.png
check "one that fails: what it says" 'exits 70' 'err "rsvg-convert said: out of paint"' '! err "and more"' kept
printf '#!/bin/sh\nexit 0\n' >bin/rsvg-convert
run_with_path "$scratch/bin" percentiles "${ring[@]}" -p 50 --plot kept.png
check "one that writes nothing" 'exits 70' 'err "rsvg-convert made no image"' kept
TMPDIR=$scratch/nowhere run percentiles "${ring[@]}" -p 50 --plot kept.png
check "no place for a temporary file" 'exits 70' 'err "nowhere/tailproof-"' kept
# A sanitized program brings libraries of its own.
[ -n "${SANITIZED:-}" ] || check "who draws no PNG needs no library that draws" \
  '[ "$(ldd "$program" | grep -cE "libgmp|libc\.so")" -eq 2 ]' '! ldd "$program" | grep -E "cairo|X11|xcb|freetype|fontconfig|png"'

# --- other dependence, a modelled tail, no observation, odd names ----------------------------------
run percentiles "${ring[@]}" -p 50,99 --dependence both --plot both.html --json
check "the bound for any dependence is a curve and a column" 'exits 0' \
  '[ "$(grep -cE "<polyline class=\"stroke-unknown\".*<title>bound for any dependence</title>" both.html)" -eq 2 ]' \
  'tr "\n" " " <both.html | grep -q ">any dependence at most</th>"'
check "each component contributes" \
  '[ "$(part both.html drops | grep -oE ">(Grant|Accept|d)</text>" | sort -u | wc -l)" -eq 3 ]' 'part both.html drops | grep -qE "<desc[^>]*>.*Grant drops it by [0-9.]+ µs"'
mkdir tails
seed=0
for name in Grant Accept d; do
  awk 'BEGIN { print "latency_ns"; for (i = 0; i < 20000; i++) print int(100000 - 20000 * log((i + 0.5) / 20000)) }' |
    shuffled $((seed += 1)) >tails/$name.csv
done
run percentiles "$specs/lock.tp" --bound full_circle --set n=4 --data tails -p 50,99.99 --tail gpd --plot model.svg --json
check "what rests on a model is dotted and marked" 'exits 0' \
  'grep -qE "stroke-dasharray=\"1.5 2.5\".*<title>model-based, not proved</title>" model.svg' \
  '[ "$(grep -c ">model-based</text>" model.svg)" -eq 1 ]' 'grep -q ">model-based: .at most. rests on a fitted tail and is not" model.svg'
run percentiles "$specs/lock.tp" --bound full_circle --set n=4 --data tails -p 50,99.99 --tail gpd --plot model.html --json
check "and in the page" 'grep -q ">model-based</td>" model.html' 'grep -q "is not proved" model.html'
run percentiles "$specs/lock.tp" --bound full_circle --set n=4 --data tails -p 50,99.99 --plot plain.svg --json
check "without a model nothing is" '! grep -q "model-based" plain.svg'
mkdir 'a&b<"c">'
printf 'latency_us\n%s\n' "$(seq 100 199)" | tee 'a&b<"c">/Grant.csv' 'a&b<"c">/Accept.csv' >'a&b<"c">/d.csv'
run percentiles "$specs/lock.tp" --bound full_circle --set n=4 --data 'a&b<"c">' --confidence 0 --plot odd.svg --json
check "names are escaped" 'exits 0' 'xmllint --noout odd.svg'
run percentiles "$specs/lock.tp" --bound full_circle --set n=4 --data 'a&b<"c">' --confidence 0 --plot odd.html --json
check "in the page, too" 'exits 0' 'grep -qF "a&amp;b&lt;&quot;c&quot;&gt;/Grant.csv" odd.html' '! grep -qF "a&b<" odd.html'
run percentiles "$specs/lock.tp" --bound full_circle --set n=4 --data 'a&b<"c">' --plot few.svg --json
check "a law that is infinite nearly everywhere is drawn, and said to be" 'exits 0' 'xmllint --noout few.svg' \
  'grep -qE "infinite (beyond p|at every percentile)" few.svg'
for name in Grant Accept d; do printf 'latency_ns\n0\n' >'a&b<"c">'/$name.csv; done
run percentiles "$specs/lock.tp" --bound full_circle --set n=4 --data 'a&b<"c">' --confidence 0 --plot zero.svg --json
check "so is the constant 0" 'exits 0' 'xmllint --noout zero.svg' '! grep -qiE "nan|inf[\", ]" zero.svg'

# --- names of any length ----------------------------------------------------------------------------
long=$(printf 'AVeryLongName%.0s' {1..8})
sed "s/\bGrant\b/$long/g" "$specs/lock.tp" >long.tp
mkdir long
cp "$recorded/Accept.tph" "$recorded/d.tph" long
sed "s/Grant/$long/" "$recorded/Grant.tph" >"long/$long.tph"
run percentiles long.tp --bound full_circle --set n=4 --data long --exchangeable --observed "$recorded/round.tph" -p 50,90,99 --slo 'p99<250us' --plot long.svg
check "no text lies on another, whatever its length" 'exits 0' '[ "$(grep -c "AVeryLongName" long.svg)" -ge 4 ]' '[ -z "$(overlaps long.svg)" ]' \
  '[ -z "$(overlaps ring.svg)" ]' '[ -z "$(overlaps model.svg)" ]' 'xmllint --noout long.svg'

# --- mistakes ------------------------------------------------------------------------------------
run percentiles "${ring[@]}" --plot ring.pdf
check "a picture of no known kind" 'exits 64' 'quiet_out' 'err "ring.pdf"' 'err ".svg, .png or .html"' '[ "$(wc -l <err)" -eq 1 ]'
run percentiles "${ring[@]}" --plot one.svg --plot two.html
check "two pictures of one run: neither takes the other's place unheard" 'exits 64' 'quiet_out' 'err "--plot is given twice"' '[ ! -e one.svg ]' '[ ! -e two.html ]'
run percentiles "${ring[@]}" --plot nowhere/ring.svg
check "a folder that is not there" 'exits 70' 'err "nowhere/ring.svg: cannot be written"'
finish
