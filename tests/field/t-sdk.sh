#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Traces that OpenTelemetry's SDK for Node.js writes, of services whose waits are known (sdk/services.js): who has which share
# of the critical paths, in JSON and in protocol buffers; a draft of them is proved and holds.
. "$(dirname "$0")/../cli/tap.sh"
sh tests/field/install.sh "$BUILD" || { echo "not ok 1 - the packages of tests/field are not there: see above"; exit 69; }
case $BUILD in /*) field=$BUILD/field ;; *) field=$PWD/$BUILD/field ;; esac
cp tests/field/sdk/services.js "$scratch"
cd "$scratch" || exit 70
ln -s "$field/node_modules" node_modules

# A service's share of all latency, in percent: the least and the greatest of both readings of what is undecided.
share() {
  jq -rs --arg service "$1" '([.[] | select(.kind == "part") | .ns | tonumber] | add) as $all |
    map(select(.kind == "part" and .service == $service and .of == "work")) |
    [([.[].ns | tonumber] | add // 0), ([.[].ns_if_free | tonumber] | add // 0)] | sort | map(100 * . / $all) | "\(.[0]) \(.[1])"' path
}
# Rare kinds of requests leave a little open.
decided() { [ "$(share "$1" | jq -s '.[1] - .[0] < 8')" = true ]; }
# Recorded again where another program held these up so long that the order of their calls is open.
for ((tries = 0; tries < 3; tries++)); do
  node services.js 60 shop 2>&1 | sed 's/^/# /'
  run trace path shop.json --json
  cp out path
  if decided auth && decided stock && decided price; then break; fi
done
check "the services are recorded" '[ -s shop.json ]' '[ -s shop.pb ]' '[ "$(jq .requests shop.truth)" = 60 ]'

# The truth lies within 5 points of that: on a busy machine what waits for a processor is on neither side for certain.
holds() {
  local least greatest truth
  read -r least greatest < <(share "$1")
  truth=$(jq "100 * .$1 / .total" shop.truth)
  echo "# $1: $least .. $greatest %, in truth $truth %"
  [ "$(jq -n "$least - 5 <= $truth and $truth <= $greatest + 5")" = true ]
}
for service in auth stock price pay worker; do
  check "$service has its share of the critical paths" "holds $service"
done
check "what is asked for always and in turn is decided, but for little" 'decided auth' 'decided stock' 'decided price'
run trace path shop.pb --json
check "protocol buffers say the same" 'exits 0' 'cmp -s out path'
zstd -q shop.pb -o shop.pb.zst
run trace path shop.pb.zst --json
check "compressed, too" 'exits 0' 'cmp -s out path'

run trace path shop.json --annotate annotated.json
check "the parts of each request add up to its latency" 'exits 0' '[ "$(jq -s "[.. | objects | select(has(\"spanId\")) | .attributes[] |
  select(.key | test(\"^tailproof.critical_path.(network_)?ns$\")) | .value.intValue | tonumber] | add" annotated.json)" = \
  "$(jq -s "map(select(.kind == \"part\") | .ns | tonumber) | add" path)" ]'

run draft shop.json --out draft
check "a protocol is drafted" 'exits 0' '[ -s draft/gateway_get_buy.tp ]'
run verify --infer --write draft/gateway_get_buy.tp
check "its bound is proved" 'exits 0' 'out "reply: proved"'
run replay draft/gateway_get_buy.tp --traces shop.json
check "and holds for the requests it was drafted of" 'exits 0' 'said "bound reply: held"'
finish
