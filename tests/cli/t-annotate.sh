#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `trace path --annotate` writes traces back with what each span has of its request's critical path: nothing else of the
# file changes, and the parts of a request add up to its latency.
. "$(dirname "$0")/tap.sh"

shop=$PWD/examples/traces/shop.json.gz
cd "$scratch" || exit 1
zcat "$shop" >shop.json
ours='"tailproof.critical_path.'
# Every span of a file without our attributes; lists that are empty then are gone. Rows are the same as those of FILE.
bare='walk(if type == "object" then with_entries(select(.value != null) |
  if (.key == "tags" or .key == "attributes") and (.value | type == "array")
  then .value |= map(select((.key | tostring | startswith("tailproof.")) | not)) else . end) |
  with_entries(select((.key != "tags" and .key != "attributes") or .value != [])) else . end)'
same() { jq "$bare" "$1" >bare.a && jq "$bare" "$2" >bare.b && [ -s bare.a ] && cmp -s bare.a bare.b; }
# Sums of our numbers by request, in ns.
sums() {
  jq -c '[.. | objects | select(has("spanID") or has("spanId")) |
    {t: (.traceID // .traceId), v: [(.tags // .attributes // [])[] | select(.key | test("^tailproof.critical_path.(network_)?ns$")) |
      .value | if type == "object" then .intValue | tonumber else . end] | add}] |
    group_by(.t) | map({key: .[0].t, value: (map(.v // 0) | add)}) | from_entries' "$1"
}

run trace path shop.json --annotate out.json
check "a file is written, and else nothing changes" 'exits 0' 'same shop.json out.json' 'grep -qF "$ours" out.json'
check "the parts of each request add up to its latency" \
  '[ "$(sums out.json)" = "$(jq -c "[.data[] | {key: .traceID, value: (.spans[0].duration * 1000)}] | from_entries" shop.json)" ]'
run trace path shop.json
cp out before
run trace path out.json
check "what was written is read as what was recorded" 'exits 0' 'cmp -s out before'
check "a span off the path gets nothing" \
  '[ "$(jq "[.data[].spans[] | select(.operationName == \"log\") | .tags // [] | length] | add" out.json)" = 0 ]'

run trace path out.json --annotate twice.json
check "what is annotated already is refused" 'exits 65' 'err "has attributes \"tailproof...\" already"' '[ ! -e twice.json ]'

run trace path shop.json --annotate some.json --from 2023-11-14T22:13:24Z
check "requests that were left out are written as they were" 'exits 0' 'same shop.json some.json' \
  '[ "$(sums some.json | jq "map(select(. > 0)) | length")" = 20 ]'

# Spans of OTLP, ids in base64 beside hexadecimal digits, lists that are empty or missing, documents one after the other.
cat >otlp.jsonl <<'END'
{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"a"}}]},"scopeSpans":[{"spans":[
 {"traceId":"0123456789abcdef0123456789abcdef","spanId":"00000000000000a1","name":"one","kind":2,"startTimeUnixNano":"1000000","endTimeUnixNano":"2000007","attributes":[ ]},
 {"traceId":"0123456789ABCDEF0123456789ABCDEF","spanId":"00000000000000A2","parentSpanId":"00000000000000a1","name":"x \"spans\": [{ ü","kind":1,"startTimeUnixNano":"1100000","endTimeUnixNano":"1900000"}]}]}]}

{"resourceSpans":[{"resource":{},"scopeSpans":[{"spans":[{"traceId":"ASNFZ4mrze8BI0VniavN8A==","spanId":"AAAAAAAAALE=","name":"two","startTimeUnixNano":3000000,"endTimeUnixNano":3000500,"attributes":[{"key":"k","value":{"arrayValue":{"values":[{"stringValue":"spans"}]}}}]}]}]}]}
END
run trace path otlp.jsonl --annotate otlp.out
check "OTLP, documents one after the other" 'exits 0' 'same otlp.jsonl otlp.out' \
  '[ "$(sums otlp.out | jq -s -c "[.[] | .[]] | sort")" = "[500,200007,800000]" ]' \
  '[ "$(wc -l <otlp.out)" = "$(wc -l <otlp.jsonl)" ]'

mkdir several more && cp shop.json several/b.json && cp "$shop" several/c.json.gz && echo text >several/README
run trace path several --annotate folder
check "of a folder a folder is made" 'exits 0' 'same shop.json folder/b.json' 'same shop.json folder/c.json' '[ ! -e folder/README ]'
run trace path several --annotate folder
check "a folder that is there is not written into" 'exits 70' 'err "folder: cannot be written: File exists"'
cp shop.json more/b.json
run trace path several/b.json more/b.json --annotate other
check "files of one name are refused" 'exits 64' 'err "have one name"' '[ ! -e other ]'

echo kept >old.json
echo '[{"traceId":"1","id":"1","name":"a","timestamp":1,"duration":5}]' >zipkin.json
run trace path zipkin.json --annotate old.json
check "other formats are refused, and an older file stays" 'exits 65' 'err "this is Zipkin v2"' '[ "$(cat old.json)" = kept ]'
"$program" trace path - --annotate old.json <shop.json >out 2>err
status=$? last="trace path - --annotate old.json"
check "standard input is read once" 'exits 64' 'err "standard input cannot be annotated"' '[ "$(cat old.json)" = kept ]'
run trace fold shop.json --out sum.fold
run trace path sum.fold --annotate old.json
check "summaries have no spans" 'exits 64' 'err "summaries of traces have no spans"'
run trace path shop.json --annotate no/such/file
check "a place that cannot be written" 'exits 70' 'err "no/such/file: cannot be written"'
run trace path shop.json --annotate /dev/full
check "a full disk" 'exits 70' 'err "/dev/full: cannot be written"'
finish
