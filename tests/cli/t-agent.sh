#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The network agent: agents on loopback that ask each other, with garbage, strangers, a peer that is
# killed and comes back, configurations that change and that are wrong; what they show is read by
# promtool, by a Prometheus and by this program, and what they recorded is imported.
. "$(dirname "$0")/tap.sh"
trap 'kill -KILL $(jobs -p) 2>/dev/null; umount "$scratch/small" 2>/dev/null; rm -rf "$scratch"' EXIT
for tool in promtool prometheus; do
  command -v $tool >/dev/null || { echo "not ok 1 - $tool is missing (apt-get install prometheus)"; exit 69; }
done
cd "$scratch" || exit 1
: >out

declare -A port page
first=$(free_ports 6)
for name in a b c; do
  port[$name]=$first
  page[$name]=$((first + 1))
  first=$((first + 2))
done

config() { # node, peers
  local node=$1 peer
  shift
  printf 'node: %s\nlisten: 127.0.0.1\nport: %s\nprobes_per_second: 50\ntimeout_ms: 250\n' "$node" "${port[$node]}"
  printf 'drift_ppm: 0\nstore: store-%s\nmetrics:\n  port: %s\npeers:\n' "$node" "${page[$node]}"
  for peer in "$@"; do
    printf '  - name: %s\n    address: 127.0.0.1\n    port: %s\n' "$peer" "${port[$peer]}"
  done
}
start() { # node
  "$program" agent "$1.yaml" 2>>"$1.err" </dev/null &
  pid[$1]=$!
}
get() { # node, path
  exec 3<>"/dev/tcp/127.0.0.1/${page[$1]}" || return 1
  printf 'GET %s HTTP/1.0\r\n\r\n' "$2" >&3
  sed '1,/^\r$/d' <&3
  exec 3<&- 3>&-
}
# The value of a counter; labels as on the page: peer="b"
value() { # node, metric, part of the labels
  get "$1" /metrics 2>/dev/null | awk -v name="tailproof_agent_$2{" -v label="$3" 'index($0, name) == 1 && index($0, label) { print $2; exit }'
}
at_least() { # node, metric, labels, number
  local now
  now=$(value "$1" "$2" "$3")
  [ "${now:-0}" -ge "$4" ]
}
declare -A pid

# --- two agents, then three --------------------------------------------------------------------
config a a b >a.yaml # an agent passes over itself
config b a >b.yaml
start a
start b
last="agent a.yaml, agent b.yaml" status=0
# Of a busy machine an answer may be late, and the peer down until the next one.
until_true 'at_least a answered_total peer=\"b\" 20 && at_least b answered_total peer=\"a\" 20 && up=$(value a peer_up peer=\"b\") && [ "$up" = 1 ]'
check "two agents ask and answer each other" 'at_least a answered_total peer=\"b\" 20' 'at_least b answered_total peer=\"a\" 20' \
  'at_least a questions_total peer=\"b\" 15' '[ "$up" = 1 ]' '! grep -q peer=\"a\" <(get a /metrics)' \
  'grep -q "a on 127.0.0.1 port ${port[a]}; peers: 1, each asked 50 times a second" a.err'
get a /metrics >a.page
promtool check metrics <a.page >out 2>err
status=$?
check "promtool has nothing against the page" 'exits 0' 'quiet_out' 'quiet_err'
check "buckets grow, and the last is the count" \
  'awk -F"[ ]" "/delay_seconds_bucket/ { if (\$2 < last) bad = 1; last = \$2; n++ } /delay_seconds_count/ { if (\$2 != last) bad = 1 } END { exit bad || n != 26 }" a.page'
check "all in the histogram is answered or lost" \
  '[ "$(awk "/answered_total\{|lost_total\{/ { n += \$2 } END { print n }" a.page)" = "$(awk "/^tailproof_agent_roundtrip_seconds_count/ { print \$2 }" a.page)" ]'
check "on one clock its difference to itself is 0" 'awk "/offset_low_seconds\{/ { low = \$2 } /offset_high_seconds\{/ { high = \$2 } END { exit !(low <= 0 && 0 <= high && high - low < 0.25) }" a.page'

kill -STOP "${pid[b]}" # nothing changes while two pages are read
sleep 0.5
get a '/metrics?name[]=tailproof_agent_roundtrip_seconds' >rtt.prom
get a '/metrics?name[]=tailproof_agent_delay_seconds&peer=b' >d.prom
kill -CONT "${pid[b]}"
check "one metric of one peer" '[ "$(grep -vc "^#" d.prom)" -eq 28 ]' '[ "$(grep -c "^#" d.prom)" -eq 2 ]' 'grep -q "_bucket{node=\"a\",peer=\"b\",le=\"0.001\"}" d.prom'
run compare --full d.prom d.prom
check "which this program reads as measurements" '[ $status -le 3 ]' 'said "A: $(awk "/_count/ { print \$2 }" d.prom) observations"'
check "no delay is bounded above its round trip" \
  'paste <(grep _bucket d.prom) <(grep _bucket rtt.prom) | awk "{ n++ } \$2 < \$4 { bad = 1 } END { exit bad || n != 26 }"'
check "what there is not" 'get a "/metrics?peer=z" | grep -q "no peer"' 'get a "/metrics?name[]=z" | grep -q "no metric"' 'get a "/metrics?z=1" | grep -q "arguments are"' \
  'get a /z | grep -q "metrics are at /metrics"' 'get a / | grep -q /metrics'

for size in 0 1 15 17 40 2000; do
  head -c $size /dev/zero | tr '\0' T >/dev/udp/127.0.0.1/"${port[a]}"
done
printf 'TP\002\001\000\000\000\001\000\000\000\000\000\000\000\001' >/dev/udp/127.0.0.1/"${port[a]}" # another version
printf 'TP\001\001\000\000\000\001\000\000\000\000\000\000\000\001' >/dev/udp/127.0.0.1/"${port[a]}"
printf 'TP\001\002\000\000\000\001\000\000\000\000\000\000\000\001' >/dev/udp/127.0.0.1/"${port[a]}"
until_true 'at_least a strangers_total node 2'
check "garbage and strangers are counted, said once and not answered" 'at_least a garbage_total node 6' 'at_least a strangers_total node 2' \
  '[ "$(grep -c "is no probe" a.err)" -eq 1 ]' '[ "$(grep -c "no peer'"'"'s address" a.err)" -eq 1 ]' '[ "$(value a answered_strangers_total node)" = 0 ]'

# --- Prometheus ---------------------------------------------------------------------------------
collector=$(free_ports 1)
cat >prometheus.yml <<END
global: {scrape_interval: 500ms, scrape_timeout: 500ms}
scrape_configs:
  - job_name: tailproof
    static_configs:
      - targets: ['127.0.0.1:${page[a]}', '127.0.0.1:${page[b]}']
END
prometheus --config.file=prometheus.yml --storage.tsdb.path=tsdb --web.listen-address=127.0.0.1:"$collector" >prometheus.log 2>&1 </dev/null &
prometheus=$!
query() { # PromQL; its first value
  exec 4<>"/dev/tcp/127.0.0.1/$collector" || return 1
  printf 'GET /api/v1/query?query=%s HTTP/1.0\r\n\r\n' "$(jq -rn --arg q "$1" '$q | @uri')" >&4
  sed '1,/^\r$/d' <&4 | jq -r '.data.result[0].value[1]'
  exec 4<&- 4>&-
}
last=prometheus
# Over what it has collected so far: on a busy machine a page may be late, and the next is not.
until_true '[ "$(query "sum(max_over_time(tailproof_agent_peer_up[1h]))")" = 2 ] && [ "$(query "min(max_over_time(tailproof_agent_answered_total[1h]))")" -ge 20 ]'
check "a Prometheus collects both agents" '[ "$(query "sum(max_over_time(up[1h]))")" = 2 ]' '[ "$(query "min(max_over_time(tailproof_agent_answered_total[1h]))")" -ge 20 ]' \
  '[ "$(query "count(last_over_time(tailproof_agent_delay_seconds_bucket{node=\"a\",peer=\"b\"}[1h]))")" = 26 ]' \
  '[ "$(query "histogram_quantile(0.5, last_over_time(tailproof_agent_roundtrip_seconds_bucket{node=\"b\"}[1h])) < bool 60")" = 1 ]'
kill -KILL $prometheus
wait $prometheus 2>/dev/null

# --- a peer that is killed and comes back; configurations that change ---------------------------
kill -KILL "${pid[b]}"
wait "${pid[b]}" 2>/dev/null
until_true '[ "$(value a peer_up peer=\"b\")" = 0 ] && at_least a lost_total peer=\"b\" 10'
check "a peer that disappears: lost, counted, said once, and the agent goes on" 'at_least a lost_total peer=\"b\" 10' '[ "$(grep -c "peer b .* does not answer" a.err)" -ge 1 ]' \
  '[ "$(value a peer_up peer=\"b\")" = 0 ]' 'kill -0 ${pid[a]}'
run import --out killed store-b
check "what the killed one recorded is there" 'exits 0' '[ -s killed/d.a.tph ]' '[ -s killed/rtt.a.tph ]'
start b
until_true 'up=$(value a peer_up peer=\"b\") && [ "$up" = 1 ]'
check "it is back" '[ "$up" = 1 ]' 'grep -q "peer b answers again, after" a.err'

echo 'node: [' >a.yaml
kill -HUP "${pid[a]}"
until_true '[ "$(value a bad_reloads_total node)" = 1 ]'
check "a bad file keeps the old configuration" '[ "$(value a bad_reloads_total node)" = 1 ]' 'grep -q "^tailproof agent: a.yaml: .*the old configuration stays" a.err' 'kill -0 ${pid[a]}'
config a b | sed "s/^port: .*/port: $(free_ports 1)/" >a.yaml
kill -HUP "${pid[a]}"
until_true '[ "$(value a bad_reloads_total node)" = 2 ]'
check "so does one that takes a new start" 'grep -q "port is another one: that takes a new start; the old" a.err'
config c a b >c.yaml
config b a c >b.yaml
config a a b c >a.yaml
before=$(value a answered_total peer=\"b\")
start c
kill -HUP "${pid[a]}" "${pid[b]}"
kill -USR1 "${pid[a]}"
until_true 'at_least a answered_total peer=\"c\" 10 && at_least b answered_total peer=\"c\" 10 && at_least c answered_total peer=\"a\" 10 && at_least c answered_total peer=\"b\" 10'
check "a third one joins; what was measured of the second stays" 'at_least a answered_total peer=\"c\" 10' 'at_least b answered_total peer=\"c\" 10' \
  'at_least c answered_total peer=\"b\" 10' 'at_least a answered_total peer=\"b\" "$before"' 'grep -q "a.yaml was read again; peers: 2" a.err'
config a c >a.yaml
kill -HUP "${pid[a]}"
until_true '! get a /metrics | grep -q peer=\"b\"'
check "one leaves" '! get a /metrics | grep -q peer=\"b\"' 'at_least a answered_total peer=\"c\" 10'

# --- other clocks, other addresses --------------------------------------------------------------
# A namespace whose CLOCK_MONOTONIC is another one stands for a host that was started earlier.
kill -KILL "${pid[c]}"
wait "${pid[c]}" 2>/dev/null
if unshare --time --monotonic 100000 true 2>/dev/null; then
  : >c.err
  unshare --time --monotonic 100000 "$program" agent c.yaml 2>>c.err </dev/null &
  pid[c]=$!
  until_true 'awk "{ exit !(\$2 > 99999.9 && \$2 <= 100000) }" <(get a /metrics | grep "offset_low_seconds{.*peer=\"c\"")'
  low=$(value a clock_offset_low_seconds peer=\"c\") high=$(value a clock_offset_high_seconds peer=\"c\")
  jumps=$(value a clock_jumps_total peer=\"c\")
  last="unshare --time agent c.yaml, difference of clocks $low to $high, jumps $jumps"
  check "a clock that is ahead: its difference is bounded on both sides, the change was noticed" \
    'awk "BEGIN { exit !($low <= 100000 && 100000 <= $high && $high - $low < 0.25) }"' '[ "$jumps" -eq 1 ]' 'grep -q "peer c: its clock jumped" a.err'
  kill -KILL "${pid[c]}"
  wait "${pid[c]}" 2>/dev/null
else
  echo "# skip: no time namespaces here (root is needed); a clock that is ahead is in t-agent-peer.c"
fi
[ -e /proc/net/if_inet6 ] && [ -s /proc/net/if_inet6 ] && listen=:: || listen=0.0.0.0
config c a b | sed "s/^listen: .*/listen: '$listen'/; s/^answer.*//" >c.yaml
rm -rf store-c
: >c.err
start c
until_true 'at_least c answered_total peer=\"a\" 10 && up=$(value a peer_up peer=\"c\") && [ "$up" = 1 ]'
check "an agent on all addresses, $listen, asks IPv4 peers" 'at_least c answered_total peer=\"a\" 10' '[ "$up" = 1 ]'

# --- the end ------------------------------------------------------------------------------------
kill -TERM "${pid[a]}"
wait "${pid[a]}"
status=$? last="agent a.yaml, SIGTERM"
check "SIGTERM: 0" 'exits 0' 'tail -1 a.err | grep -q "^tailproof agent: ends; questions sent: "'
kill -INT "${pid[b]}"
wait "${pid[b]}"
status=$? last="agent b.yaml, SIGINT"
check "SIGINT: 130" 'exits 130' 'tail -1 b.err | grep -q "^tailproof agent: ends; "'
kill -TERM "${pid[c]}"
wait "${pid[c]}"
run import --out imported store-c
ended() { tail -1 c.err | sed -E "s/.*$1: ([0-9]+).*/\1/"; }
of_both() { sed -n "s/^$1 //p" imported/"$2".a.tph imported/"$2".b.tph | awk '{ n += $1 } END { print n + 0 }'; }
check "every question that was asked is in the store, answered or infinite" 'exits 0' '[ "$(ended sent)" -eq $(($(ended answered) + $(ended lost))) ]' \
  '[ "$(of_both total d)" -eq "$(ended sent)" ]' '[ "$(of_both saturated d)" -eq "$(ended lost)" ]' \
  '[ "$(of_both total rtt)" -eq "$(ended sent)" ]' '[ "$(of_both saturated rtt)" -eq "$(ended lost)" ]'
check "a delay of the agent is marked as an upper bound, a round trip is not" 'grep -q "^note upper bounds of delays" imported/d.a.tph' '! grep -q "upper bounds" imported/rtt.a.tph'
run merge --out merged imported
check "it can be merged with those of other hosts" 'exits 0' '[ -s merged/d.a.tph ]'

# --- what cannot begin --------------------------------------------------------------------------
config a b >good.yaml
refused() { # title, exit code, words of the message; bad.yaml is there
  run agent bad.yaml
  check "refused: $1" "exits $2" 'quiet_out' '[ "$(wc -l <err)" -eq 1 ]' 'err "bad.yaml: "' "err '$3'"
}
changed() { # title, words, sed expression on the good file
  sed -E "$3" good.yaml >bad.yaml
  refused "$1" 65 "$2"
}
changed 'an unknown key' "Unexpected key: prot, in line $(grep -n '^port' good.yaml | cut -d: -f1);" 's/^port/prot/'
changed 'an unknown key of a peer' "Unexpected key: adress, in line $(grep -n '^    address' good.yaml | head -1 | cut -d: -f1);" 's/^    address/    adress/'
changed 'a key that is missing' 'field: node, in' '/^node/d'
changed 'a key of a peer that is missing' 'field: address, in what ends at line' '/^    address/d'
changed 'a tab' 'indent with blanks' 's/^    address/\taddress/'
changed 'a key twice' 'give each key once' '1p'
changed 'a list where a name belongs' 'line: 1' 's/^node: .*/node: [a, b]/'
changed 'a name that is none' 'letters, digits' 's/^node: .*/node: a-b/'
changed 'a port that is none' 'from 1 to 65535' 's/^port: .*/port: 65536/'
changed 'a port in octal and more' 'from 1 to 65535' 's/^port: .*/port: 0x10/'
changed 'a rate with a unit' 'from 0.01 to 100' 's/^(probes_per_second): .*/\1: 10\/s/'
changed 'a rate of nothing' 'from 0.01 to 100' 's/^(probes_per_second): .*/\1: 0/'
changed 'a negative timeout' 'from 1 to 60000' 's/^(timeout_ms): .*/\1: -1/'
changed 'more under way than the window has' 'questions under way' 's/^(timeout_ms): .*/\1: 2000/'
changed 'an address that is none' 'an address such as' 's/^    address: .*/    address: "a b"/'
changed 'a port of a peer' 'entry 1, port' 's/^    port: .*/    port: none/'
changed 'somebody else to answer' 'peers or everybody' '1s/$/\nanswer: nobody/'
changed 'an alias' 'instead of an alias' 's/^node: .*/node: \&x a/; s/^listen: .*/listen: *x/'
changed 'quotes left open' 'close quotes' 's/^node: .*/node: "a/'
changed 'two documents' 'one document' '$s/$/\n---\nnode: b/'
{ cat good.yaml && sed -n '/^  - name/,$p' good.yaml; } >bad.yaml
refused 'a name twice' 65 'give each peer its own'
{ cat good.yaml && sed -n '/^  - name/,$p' good.yaml | sed 's/: b$/: z/'; } >bad.yaml
refused 'an address twice' 65 'same address'
: >bad.yaml
refused 'an empty file' 65 'is empty'
{ cat good.yaml && awk 'BEGIN { for (i = 1; i <= 300; i++) printf "  - {name: n%d, address: 127.0.0.2, port: %d}\n", i, i }'; } >bad.yaml
refused 'too many peers' 65 'more than 255'
sed 's/^listen: .*/listen: 999.1.1.1/' good.yaml >bad.yaml
refused 'an address that is nowhere' 70 'listen: 999.1.1.1: '
sed 's|^store: .*|store: /proc/none|' good.yaml >bad.yaml
refused 'a store that cannot be made' 70 'make it, or name another folder'
rm bad.yaml
refused 'no file' 66 'cannot be read'
mkdir bad.yaml
refused 'a folder' 66 'cannot be read'
run agent
check "no configuration named" 'exits 64' 'quiet_out' '[ "$(wc -l <err)" -eq 1 ]'

machine() { # title, words, sed expression
  sed -E "$3" good.yaml >good2.yaml
  run agent good2.yaml
  check "the machine: $1" 'exits 70' 'quiet_out' '[ "$(wc -l <err)" -eq 1 ]' "err '$2'"
}
machine 'an address of no interface' 'one of its own' 's/^listen: .*/listen: 192.0.2.1/'
machine 'a folder that cannot be made' 'store: ' 's/^store: .*/store: good.yaml/'
if mkdir small && mount -t tmpfs -o size=64k none small 2>/dev/null; then
  machine 'a full disk' 'store: ' 's/^store: .*/store: small/'
  check "and nothing is left behind" '[ -z "$(ls small)" ]'
  umount small
else
  echo "# skip: no file system can be mounted here (root is needed): a full disk"
fi
config a b >a.yaml
start a
until_true 'get a / >/dev/null'
run agent a.yaml
check "the machine: a port that is taken" 'exits 70' '[ "$(wc -l <err)" -eq 1 ]' 'err "another program has it"'
kill -TERM "${pid[a]}"
wait "${pid[a]}"
finish
