#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Protocols drafted from recorded requests: proved, held against the requests they came from, and against others.
. "$(dirname "$0")/tap.sh"

cd "$scratch" || exit 1
LIMIT=120

# Traces in Jaeger's form, a request a line: shop works, asks cart and price side by side, each over the network, then
# writes to its database, then twice asks a mail service, one after the other.
requests() { # seed, how many, without mail (1), us that the write begins too early in the last request
  awk -v seed="$1" -v n="$2" -v bare="${3:-0}" -v early="${4:-0}" '
    function some(m) { x = x * 16807 % 2147483647; return 1 + x % m }
    function span(id, parent, service, name, kind, from, to) {
      printf "%s{\"traceID\":\"t%d-%d\",\"spanID\":\"%s\",\"operationName\":\"%s\",\"references\":[%s],\"startTime\":%d,\"duration\":%d,", comma, seed, i, id, name,
        (parent == "" ? "" : "{\"refType\":\"CHILD_OF\",\"traceID\":\"t" seed "-" i "\",\"spanID\":\"" parent "\"}"), 1000000 * i + from, to - from
      printf "\"tags\":[{\"key\":\"span.kind\",\"type\":\"string\",\"value\":\"%s\"}],\"processID\":\"%s\"}", kind, service
      comma = ","
    }
    function call(id, service, name, from,   at, end) {
      at = from + some(300); end = at + some(2000)
      span(id "s", id, service, name, "server", at, end)
      end += some(300)
      span(id, "1", "shop", "ask " name, "client", from, end)
      return end
    }
    BEGIN {
      x = 7919 * seed; for (i = 0; i < 9; i++) some(9)
      printf "{\"data\":["
      for (i = 1; i <= n; i++) {
        printf "%s{\"traceID\":\"t%d-%d\",\"processes\":{", (i == 1 ? "" : ","), seed, i
        printf "\"shop\":{\"serviceName\":\"shop\"},\"cart\":{\"serviceName\":\"cart\"},\"price\":{\"serviceName\":\"price\"},\"mail\":{\"serviceName\":\"mail\"}},\"spans\":["
        comma = ""
        cart = call("c", "cart", "get", some(500)); price = call("p", "price", "look up", some(500))
        write = (cart > price ? cart : price) + some(200) - (i == n ? early : 0); done = write + some(900)
        span("w", "1", "shop", "write", "internal", write, done)
        if (!bare) done = call("m2", "mail", "send", call("m1", "mail", "send", done + some(50)) + some(50))
        span("1", "", "shop", "buy", "server", 0, done + some(400))
        printf "]}"
      }
      print "]}"
    }'
}
requests 1 60 >plain.json

run draft plain.json --out draft
check "draft: a protocol of the flow, and what to do next" 'exits 0' 'out "60 requests, 1 flow"' 'out "draft/shop_buy.tp"' \
  'out "tailproof verify --infer --write draft/shop_buy.tp"' '[ "$(ls draft | tr "\n" " ")" = "shop_buy.calls shop_buy.csv shop_buy.tp " ]'
check "the write is a cost of shop, the ways are delays" 'grep -q "Until_shop_write + Work_shop_write + Until_shop_ask_send else 0" draft/shop_buy.tp' \
  'grep -q "^message Call_cart_get : shop_buy -> cart_get$" draft/shop_buy.tp' '! grep -q "role shop_ask" draft/shop_buy.tp' 'grep -q "role mail_send_2" draft/shop_buy.tp'
cp draft/shop_buy.tp formatted.tp
run format --write formatted.tp
check "format has nothing to change" 'exits 0' 'cmp -s formatted.tp draft/shop_buy.tp'
run replay draft/shop_buy.tp --traces plain.json
check "replay needs no proof" 'exits 0' 'out "60 of 60 requests with its calls follow it"'
run verify --infer --write draft/shop_buy.tp
check "verify --infer finds the bound and proves it" 'exits 0' 'said "1 proved, 0 refuted, 0 unknown"' 'said "max(net(Call_cart_get) + Work_cart_get"'
run percentiles draft/shop_buy.tp --joint draft/shop_buy.csv --observed request -p 50,90
check "its percentiles dominate what was observed" 'exits 0' 'said "Each of the 60 requests took no longer than the bound"' \
  '[ "$(grep -cE "^  p[0-9]+ .*dominated$" out)" = 2 ]'
run replay draft/shop_buy.tp --traces plain.json --json
check "every request follows it, and takes the bound exactly" 'exits 0' json_lines \
  'json "[.[] | select(.kind == \"followed\")][0] | .follows and .fitting == 60 and .misfits == 0 and .strangers == 0 and .bounds[0].happened == 60 and .bounds[0].closest_ns == .bounds[0].allowed_ns"'

requests 2 20 >other.json
requests 3 4 1 >bare.json
requests 4 5 0 3000 >early.json
run replay draft/shop_buy.tp --traces other.json
check "requests of another day follow it too" 'exits 0' 'out "20 of 20 requests"'
run replay draft/shop_buy.tp --traces other.json bare.json
check "those with other calls are named" 'exits 0' 'out "20 of 20 requests"' 'said "4 requests make other calls, of which the protocol says nothing: t3-1 t3-2 t3-3 t3-4"'
run replay draft/shop_buy.tp --traces bare.json
check "no request with its calls: cannot tell" 'exits 2'
run replay draft/shop_buy.tp --traces early.json
check "one that does not wait is named, with the calls" 'exits 1' 'out "4 of 5 requests"' 'said "t4-5: shop/write begins"' 'said "has ended, which it waits for"'

requests 3 50 1 >half.json
run draft plain.json half.json --out both --share 10%
check "two flows, two protocols" 'exits 0' 'out "110 requests, 2 flows"' '[ -f both/shop_buy.tp ]' '[ -f both/shop_buy_2.tp ]'
run draft plain.json bare.json --out one --share 10% --json
check "a rare flow is named, not drafted" 'exits 0' json_lines \
  'json "[.[] | select(.kind == \"draft\")][0].flows | length == 2 and .[0].name == \"shop_buy\" and .[1].name == null and .[1].reason == \"fewer than 10 % of the requests\""'
run draft bare.json --out few
check "few requests: open orders are listed" 'exits 0' 'grep -q "^# The requests leave these orders open" few/shop_buy.tp' 'grep -q "Each is taken" few/shop_buy.tp' 'said "orders open, which the draft takes for waits"'
run draft bare.json --out free --undecided free
check "or none of them is a wait" 'exits 0' 'grep -q "None is taken" free/shop_buy.tp'
run verify --infer --write free/shop_buy.tp
check "which is proved, too" 'exits 0'
run replay free/shop_buy.tp --traces bare.json
check "and followed" 'exits 0' 'out "4 of 4 requests"'

# A loop: auth, then an item for each of 0 to 9 things, then pay. With `ids` each item has a name of its own.
loops() { # how many, ids (1)
  awk -v n="$1" -v ids="${2:-0}" '
    function some(m) { x = x * 16807 % 2147483647; return 1 + x % m }
    function span(id, service, name, from, to) {
      printf ",{\"traceID\":\"t%d\",\"spanID\":\"%s\",\"operationName\":\"%s\",\"references\":[{\"refType\":\"CHILD_OF\",\"traceID\":\"t%d\",\"spanID\":\"1\"}],\"startTime\":%d,\"duration\":%d,\"tags\":[],\"processID\":\"%s\"}", i, id, name, i, 1000000 * i + 137 + from, to - from, service
      return to
    }
    BEGIN {
      x = 104729; for (i = 0; i < 9; i++) some(9)
      printf "{\"data\":["
      for (i = 1; i <= n; i++) {
        printf "%s{\"traceID\":\"t%d\",\"processes\":{\"web\":{\"serviceName\":\"web\"},\"auth\":{\"serviceName\":\"auth\"},\"item\":{\"serviceName\":\"item\"},\"pay\":{\"serviceName\":\"pay\"}},\"spans\":[", (i == 1 ? "" : ","), i
        rounds = (i * 7) % 10
        at = some(300); end = at + some(900); all = ""
        printf "{\"traceID\":\"t%d\",\"spanID\":\"1\",\"operationName\":\"buy\",\"references\":[],\"startTime\":%d,\"duration\":%d,\"tags\":[],\"processID\":\"web\"}", i, 1000000 * i + 137, 90000
        now = span("a", "auth", "check", at, end)
        for (k = 1; k <= rounds; k++) { at = now + some(300); now = span("i" k, "item", ids ? "GET /items/" some(400) : "get", at, at + some(2000)) }
        at = now + some(300); span("p", "pay", "pay", at, at + some(1000))
        printf "]}"
      }
      print "]}"
    }'
}
loops 300 >loops.json
run draft loops.json --out loops
check "a loop is one protocol, with a count" 'exits 0' 'out "300 requests, 1 flow"' 'out "3 .. 12"' 'out "--set N_item_get=9"' \
  'grep -q "^param N_item_get : int >= 0$" loops/web_buy.tp' 'grep -q "cost sum k in 1..N_item_get (" loops/web_buy.tp'
run replay loops/web_buy.tp --traces loops.json --set N_item_get=9
check "each request follows it, whatever its count" 'exits 0' 'out "300 of 300 requests"'
run replay loops/web_buy.tp --traces loops.json --set N_item_get=5
check "but for those with more rounds than it has" 'exits 1' 'out "180 of 300 requests"'
run replay loops/web_buy.tp --traces loops.json
check "the count has to be said" 'exits 64' 'err "N_item_get"'
run verify --infer --write loops/web_buy.tp
check "it is proved for any number of rounds" 'exits 0' 'said "sum k in 1..N_item_get (Until_item_get[k] + Work_item_get[k])"'
run percentiles loops/web_buy.tp --joint loops/web_buy.csv --observed request --set N_item_get=9 -p 50,90
check "and dominates" 'exits 0' 'said "Each of the 300 requests took no longer than the bound"' '[ "$(grep -cE "^  p[0-9]+ .*dominated$" out)" = 2 ]'
run trace path loops.json
check "trace path shows one way, with its range" 'exits 0' 'said "in 1 way:"' 'said "item/get 0 to 9 times"'
loops 300 1 >ids.json
run trace path ids.json
check "names with ids in them are told" 'exits 0' 'said "differ in numbers or ids alone"' 'said "fold-names takes them for 1"'
run draft ids.json --fold-names --out ids
check "and folded" 'exits 0' 'out "300 requests, 1 flow"' 'out "--fold-names --set N_item_get_items_id=9"'
run replay ids/web_buy.tp --traces ids.json --fold-names --set N_item_get_items_id=9
check "in what is replayed, too" 'exits 0' 'out "300 of 300 requests"'

run trace fold ids.json --out ids.fold
run trace path ids.fold --fold-names
check "a summary has counted them already" 'exits 64' 'err "comes too late"'

before=$(cksum <draft/shop_buy.tp)
run draft plain.json --out draft
check "a folder that holds something is left alone" 'exits 64' 'err "draft: holds something already"' '[ "$(cksum <draft/shop_buy.tp)" = "$before" ]'
run draft plain.json
check "no folder" 'exits 64' 'err "--out DIR"'
run draft --out new
check "no traces" 'exits 64' 'err "name a file of traces"' '[ ! -e new ]'
run draft plain.json --out new --share many
check "a share that is none" 'exits 64' 'err "--share many"' '[ ! -e new ]'
run draft nothing.json --out new
check "a file that is not there" 'exits 66' 'err "nothing.json"' '[ ! -e new ]'
run draft plain.json --out plain.json/new
check "a folder that cannot be made" 'exits 70' 'err "plain.json/new: cannot be made"'
cp draft/shop_buy.tp alone.tp
run replay alone.tp --traces plain.json
check "replay --traces of a protocol of another origin" 'exits 66' 'err "alone.calls"' 'err "tailproof draft"'
head -c 300 draft/shop_buy.calls >alone.calls
run replay alone.tp --traces plain.json
check "a list of calls that is cut off" 'exits 65' 'err "alone.calls: "'
cp draft/shop_buy.calls alone.calls
sed -i 's/\bWork_cart_get\b/Cart/g' alone.tp
run replay alone.tp --traces plain.json
check "a protocol whose names were changed" 'exits 65' 'err "alone.tp: has no component Work_cart_get"' 'err "draft anew"'
run replay draft/shop_buy.tp --traces plain.json --out x.csv
check "options of stores are refused" 'exits 64' 'err "--out is for stores"'
finish
