#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Traces that OpenTelemetry's SDK for Go prints, of services whose waits are known (sdk/services.go): who has which share of
# the critical paths, to the answer and to the last consumer, which a link in a trace of its own leads to; which part makes
# slow requests slow; a draft of them is proved, holds, and dominates. With TEST_ALL alone, as Debian's packages are large.
. "$(dirname "$0")/../cli/tap.sh"
if [ -z "${TEST_ALL:-}" ]; then
  echo "ok 1 - left out: traces of Go's SDK (TEST_ALL=1, or make test-all)"
  echo 1..1
  exit 0
fi
go=/usr/share/gocode
if ! command -v go >/dev/null || [ ! -d $go/src/go.opentelemetry.io/otel ]; then
  echo "not ok 1 - Go's SDK is missing (apt-get install golang-go golang-opentelemetry-otel-dev)"
  exit 69
fi
case $BUILD in /*) field=$BUILD/field ;; *) field=$PWD/$BUILD/field ;; esac
mkdir -p "$field"
cp tests/field/sdk/services.go "$scratch"
cd "$scratch" || exit 70
GO111MODULE=off GOPATH=$go GOCACHE=$field/go go build -o services services.go 2>&1 | sed 's/^/# /'

requests=300
mkdir shop
TZ=Asia/Kolkata ./services $requests shop 2>&1 | sed 's/^/# /'
check "the services are recorded" '[ "$(wc -l <shop.truth)" = $requests ]' '[ -s shop/mailer.json ]' 'grep -q "+05:30" shop/front.json'

# What was so, in percent of what KEYS are together: share KEY KEYS...
truth() { jq -s --arg key "$1" --arg all "$2" 'def sum($keys): map(. as $of | $keys | split(" ") | map($of[.]) | add) | add;
  100 * sum($key) / sum($all)' shop.truth; }
# What `path` says, in percent: of what a jq condition chooses, in the reading "ns" or "ns_if_free".
share() { jq -s '(map(select(.kind == "part") | .ns | tonumber) | add) as $all | 100 *
  (map(select(.kind == "part" and ('"$1"')) | .'"$2"' | tonumber) | add // 0) / $all' path; }
# near CONDITION READING KEY: both are within two points.
near() {
  local said so
  said=$(share "$1" "$2") so=$(truth "$3" "$all")
  echo "# $1, $2: $said %, in truth $so %"
  [ "$(jq -n "$said - $so | fabs < 2")" = true ]
}
work() { echo ".of == \"work\" and .service == \"$1\""; }

run trace path shop --root 'front/GET /buy' --json
cp out path
all="front after store pay gave_up network"
check "store has its share of the critical paths" 'exits 0' 'near "$(work store)" ns store'
check "front, too" 'near "$(work front)" ns "front after"'
check "pay has what it was waited for, and what it was given up after" 'near "$(work pay)" ns "pay gave_up"'
check "what is on the network is on the network" 'near ".of == \"network\"" ns network'
check "nothing is in a queue" '[ "$(share ".of == \"queue\"" ns)" = 0 ]'

run trace path shop --follow messages --json
cp out path
all="front store pay gave_up network queue mailer"
check "each request lasts until its message is consumed" 'exits 0' \
  '[ "$(jq -s "map(select(.kind == \"part\") | .requests | tonumber) | max" path)" = $requests ]'
check "which has its share" 'near "$(work mailer)" ns mailer' 'near ".of == \"queue\"" ns queue'
for reading in ns ns_if_free; do
  check "the others have theirs ($reading)" 'near "$(work store)" $reading store' 'near ".of == \"network\"" $reading network' \
    'near "$(work mailer)" $reading mailer'
done
check "whether pay is waited for when it is given up is left open" 'near "$(work pay)" ns "pay gave_up"' \
  'near "$(work pay)" ns_if_free pay' 'near "$(work front)" ns front' 'near "$(work front)" ns_if_free "front gave_up"'
run trace path shop --follow messages
check "and that is said" 'exits 0' "said 'Does the end of front/GET #2 wait for pay/GET /pay?'" \
  "said '$requests requests last until their $requests messages are consumed, $requests of these in other traces'"

run tail shop --root 'front/GET /buy' --above p90 --json
check "what makes slow requests slow is the query that is slow" 'exits 0' \
  'json "[.[] | select(.kind == \"cause\" and .significant)] | max_by(.difference_ns).name == \"store/SELECT prices\""'

run draft shop --root 'front/GET /buy' --out draft
check "a protocol is drafted" 'exits 0' '[ -s draft/front_get_buy.tp ]'
run verify --infer --write draft/front_get_buy.tp
check "its bound is proved, and has the slow query" 'exits 0' 'out "reply: proved"' 'said "Work_store_select_prices"'
run replay draft/front_get_buy.tp --traces shop
drafted=$(($(wc -l <draft/front_get_buy.csv) - 1))
check "and holds for all requests it was drafted of" 'exits 0' 'said "$drafted of $drafted requests with its calls follow it"' \
  'said "bound reply: held $drafted times"'
# Each tenth request is slow, so their order means nothing; that of a machine's load would, if there is any.
run percentiles draft/front_get_buy.tp --joint draft/front_get_buy.csv --observed request --exchangeable -p 50,90 --json
check "its percentiles dominate what was observed" 'exits 0' \
  'json "[.[] | select(.kind == \"percentile\").observation] == [\"dominated\", \"dominated\"]"' \
  'json "[.[] | select(.kind == \"comparison\")][0] | .requests_above == 0 and .observations == $drafted"'
finish
