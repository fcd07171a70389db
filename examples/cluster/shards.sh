#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Writes shards of traces to try the recipes of docs/cluster.md with: N files of Jaeger JSON with M
# requests each into a folder. Each request of `shop` asks `cart` and then `price`; in one of 200
# requests they run side by side.
#
#   examples/cluster/shards.sh FOLDER N M
set -eu
[ $# -eq 3 ] || { echo "usage: shards.sh FOLDER N M" >&2; exit 64; }
mkdir -p "$1"
shard=0
while [ "$shard" -lt "$2" ]; do
  awk -v shard="$shard" -v requests="$3" '
    function draw(n) { x = x * 16807 % 2147483647; return x % n }
    function span(id, service, name, parent, from, took) {
      printf "%s{\"traceID\":\"%s\",\"spanID\":\"%s\",\"operationName\":\"%s\",", id == 1 ? "" : ",", trace, id, name
      if (parent)
        printf "\"references\":[{\"refType\":\"CHILD_OF\",\"traceID\":\"%s\",\"spanID\":\"%s\"}],", trace, parent
      printf "\"startTime\":%.0f,\"duration\":%d,\"processID\":\"%s\"}", start + from, took, service
    }
    BEGIN {
      x = 12345 + 7919 * shard
      for (i = 0; i < 20; i++) draw(2)
      printf "{\"data\":["
      for (r = 0; r < requests; r++) {
        trace = sprintf("%08x%08x", shard + 1, r)
        start = 1700000000000000 + (shard * requests + r) * 20000
        cart = 1000 + draw(4000); price = 500 + draw(1000) * draw(6)
        asked = draw(200) == 0 ? 120 : 110 + cart + draw(50)
        ended = asked + price > 100 + cart ? asked + price : 100 + cart
        printf "%s{\"traceID\":\"%s\",\"spans\":[", r ? "," : "", trace
        span(1, "p1", "GET /", 0, 0, ended + 300)
        span(2, "p2", "get", 1, 100, cart)
        span(3, "p3", "price", 1, asked, price)
        printf "],\"processes\":{\"p1\":{\"serviceName\":\"shop\"},\"p2\":{\"serviceName\":\"cart\"},\"p3\":{\"serviceName\":\"price\"}}}\n"
      }
      print "]}"
    }' >"$1/shard-$shard.json"
  shard=$((shard + 1))
done
