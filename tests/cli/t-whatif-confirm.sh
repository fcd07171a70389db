#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# whatif latency --confirm: what cannot be measured is refused with one line; what can is measured on three services, which
# are gone afterwards. How good the measurement is is told elsewhere (examples/storefront/confirm.py).
. "$(dirname "$0")/tap.sh"
storefront=${program%/*}/examples/storefront/storefront
[ -x "$storefront" ] || { echo "not ok 1 - $storefront is not built"; exit 69; }
repository=$PWD
cd "$scratch" || exit 1
printf 'latency_ms\n4\n' >four.csv
"$storefront" --out traces.json --metered --requests 60 --mean-us 500

plan() { # services of a plan, a line each
  printf 'entry: front\nservices:\n%s\nwindow: 300ms\nwarmup: 100ms\nbudget: 1s\n' "$1" >plan.yaml
}
confirm() { run whatif latency traces.json --change "$1" --confirm plan.yaml "${@:2}"; }
one_line='[ "$(wc -l <err)" -eq 1 ]'
plan '  - {name: cart, command: "false"}
  - {name: front, command: "false"}'

# --- what is refused, before anything runs ---------------------------------------------------------
for change in 'cart: *2' 'cart: *1' 'cart: *0.01' 'cart: + 3 ms' 'cart: - 1 ms' 'limit price=1' 'cart = four.csv'; do
  confirm "$change"
  check "no speed-up by a factor: $change" 'exits 64' 'quiet_out' "$one_line"
done
confirm 'cart/get: *0.5'
check "a part of a service" 'exits 64' 'quiet_out' "$one_line" 'err "does not name one whole service"' 'err "write SERVICE: *0.5"'
confirm 'car*: *0.5'
check "any service" 'exits 64' 'err "does not name one whole service"'
confirm 'cart: *0.5' --change 'price: *0.5'
check "two changes" 'exits 64' "$one_line" 'err "measures one change, not 2"'
run whatif latency traces.json --confirm plan.yaml
check "no change" 'exits 64' "$one_line" 'err "measures one change, not 0"'
confirm 'price: *0.5'
check "a service that the plan lacks" 'exits 64' 'quiet_out' "$one_line" 'err "there is no service price"'
run whatif latency traces.json --change 'cart: *0.5' --confirm nowhere.yaml
check "no plan" 'exits 66' "$one_line" 'err nowhere.yaml'
plan '  - {name: cart, command: "false", count_pipe: yes, work: 1ms, workers: 1}
  - {name: front, command: "false"}'
confirm 'cart: *0.5'
check "requests whose end nobody counts" 'exits 64' "$one_line" 'err "service cart is counted by a pipe"'
plan '  - {name: cart, command: "false"}
  - {name: front, poker: "127.0.0.1:1"}'
confirm 'cart: *0.5'
check "an entry whose requests nobody writes down" 'exits 64' "$one_line" 'err "the poker of the entry, front"'
plan '  - {name: front, command: "false"}'
confirm 'front: *0.5'
check "nobody to pause" 'exits 64' "$one_line" 'err "no service beside front"'

# --- what does not run -------------------------------------------------------------------------------
plan '  - {name: cart, poker: "127.0.0.1:1"}
  - {name: front, command: "sleep 60"}'
confirm 'cart: *0.5'
check "a poker that nobody reaches" 'exits 69' 'quiet_out' "$one_line" 'err "127.0.0.1:1"'
plan '  - {name: cart, command: ./nowhere}
  - {name: front, command: "sleep 60"}'
confirm 'cart: *0.5'
check "a service that does not run" 'exits 69' 'quiet_out' 'err "service cart"'

# --- measured ---------------------------------------------------------------------------------------
measure() { # the change, options; again when a port is taken, or the machine too busy for the load
  for ((try = 0; try < 50; try++)); do
    port=$(free_ports 2)
    serve="$storefront --metered --mean-us 500 --port $port --serve"
    plan "  - {name: cart, command: $serve cart}
  - {name: price, command: $serve price}
  - {name: front, command: $serve front}"
    confirm "$@"
    [ "$status" -eq 69 ] || return 0
  done
}
measured='[.[] | select(.kind == \"measured\")][0]'
confirmed='[.[] | select(.kind == \"confirmed\")]'
measure 'cart: *0.5' -p 50,90 --dependence independent --json
check "a service that others wait for" '[ "$status" -le 2 ]' 'json_lines' \
  'json "'"$measured"' | .service == \"cart\" and .saved == 0.5 and .requests_now > 0 and .requests_changed > 0 and .pauses > 0 and .blocks >= 1"' \
  'json "'"$measured"' | (.pause_ns | tonumber) - ([[(.work_ns | tonumber) * .saved / 4, 500000] | max, 2000000] | min) | fabs <= 1"' \
  'json "'"$confirmed"' | length == 2 and all(.verdict | IN(\"agrees\", \"disagrees\", \"cannot tell\"))"' \
  'json "'"$confirmed"' | all((.changed.ns | tonumber) > 0 and (.now.lower_ns | tonumber) <= (.now.ns | tonumber))"'
check "its exit code is that of the worst verdict" \
  'json "'"$confirmed"' | (if any(.verdict == \"disagrees\") then 1 elif any(.verdict == \"cannot tell\") then 2 else 0 end) == '"$status"'"'
# The keys of both kinds of line are in the manual's table.
jq -r 'select(.kind == "confirmed" or .kind == "measured") | .kind as $kind | [paths | .[-1] | strings] | unique | .[] | "\($kind) \(.)"' out |
  sort -u | while read -r kind key; do
  grep -E "^\| \`$kind\` " "$repository/docs/manual.md" | grep -qE "\b($key)\b" || [ "$key" = kind ] || echo "$kind $key"
done >unknown
check "the manual has the keys of both" '[ ! -s unknown ]' 'grep -q "\"measured\"" out'
check "nothing is left running" 'until_true "! pgrep -f -- \"--port $port --serve\" >left"'
measure 'front: *0.8' -p 50 --dependence independent
check "the entry itself, as text" '[ "$status" -le 2 ]' 'out "Measured, not predicted: while front worked"' 'out "as if changed"' \
  'grep -Eq "^  p50 .* (agrees|disagrees|cannot tell)$" out'

# --- interrupted ---------------------------------------------------------------------------------------
sed -i 's/budget: 1s/budget: 60s/' plan.yaml
"$program" whatif latency traces.json --change 'cart: *0.5' --confirm plan.yaml >out 2>err &
asked=$!
running() { pgrep -f -- "--port $port --serve $1" >left; }
check "it starts the services" 'until_true "running front || ! kill -0 $asked"' 'running front'
kill -TERM "$asked"
wait "$asked"
status=$?
check "an interrupt ends what was started" 'exits 130' 'quiet_out' 'until_true "! running \"\""'
