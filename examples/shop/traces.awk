# SPDX-License-Identifier: GPL-3.0-or-later
# Made-up traces of a shop, as Jaeger writes them:
#
#     awk -v n=1000 -v busy=0 -f examples/shop/traces.awk >traces.json
#
# A request every 10 ms. web works for 2 ms, calls cart and sql at once, waits for both, and works for 1 ms more. cart
# takes 1 to 5 ms and sql 2 to 8 ms, independently of each other; but in a busy request, which has the chance `busy`, both
# take three times as long. `-v seed=2` draws others, and `-v sql=0.5` is the shop with an sql that takes half as long.
function draw() { # the same numbers with every awk: Park and Miller (1988)
  state = (state * 16807) % 2147483647
  return state / 2147483647
}
function span(id, parent, name, process, start, duration,   reference) {
  reference = parent == "" ? "" : sprintf("{\"refType\":\"CHILD_OF\",\"traceID\":\"%d\",\"spanID\":\"%s\"}", i, parent)
  printf "%s{\"traceID\":\"%d\",\"spanID\":\"%s\",\"operationName\":\"%s\",\"references\":[%s],\"startTime\":%d,", \
    parent == "" ? "" : ",\n", i, id, name, reference, start
  printf "\"duration\":%d,\"processID\":\"%s\"}", duration, process
}
BEGIN {
  n = n == "" ? 1000 : n
  state = seed == "" ? 1 : seed
  factor = sql == "" ? 1 : sql
  printf "{\"data\":["
  for (i = 1; i <= n; i++) {
    slow = draw() < busy ? 3 : 1
    cart = slow * (1000 + int(draw() * 4000))
    query = int(factor * slow * (2000 + int(draw() * 6000)))
    at = 1000000 + i * 10000
    printf "%s{\"traceID\":\"%d\",\"spans\":[", i == 1 ? "" : ",\n", i
    span("w", "", "GET", "p1", at, 3000 + (cart > query ? cart : query))
    span("c", "w", "get", "p2", at + 2000, cart)
    span("s", "w", "query", "p3", at + 2000, query)
    printf "],\n\"processes\":{\"p1\":{\"serviceName\":\"web\"},\"p2\":{\"serviceName\":\"cart\"},\"p3\":{\"serviceName\":\"sql\"}}}"
  }
  print "]}"
}
