#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Traces of a shop, as Jaeger exports them, of a program whose waits are known: `web` asks `cart` and `price`
together; when both have answered it asks `pay`, and, not awaited, `audit`. `pay` runs in two versions, of which v2 is
slow now and then, and then the request is.

    examples/traces/make.py [REQUESTS [after]]      prints so many requests; 60 of them are examples/traces/shop.json.gz.
                                                    Of the day after: `price` takes 3 ms more, and asks `tax`"""
import json
import random
import sys

AFTER = len(sys.argv) > 2
random.seed(3 if AFTER else 1)
versions = random.Random(2)
START = 1_700_000_000_000_000 + AFTER * 86_400_000_000


def span(trace, span_id, parent, process, operation, start, end):
    references = [{"refType": "CHILD_OF", "traceID": trace, "spanID": parent}] if parent else []
    return {"traceID": trace, "spanID": span_id, "operationName": operation, "references": references,
            "startTime": START + start, "duration": end - start, "processID": process}


def request(number):
    trace = f"5eed{number + AFTER * 0x1000000:012x}"
    at = number * 100_000
    asked = at + random.randint(300, 500)
    cart = asked + random.randint(2_000, 6_000)
    price = asked + random.randint(1_000, 9_000) + AFTER * 3_000
    paying = max(cart, price) + random.randint(100, 400)
    paid = paying + random.randint(4_000, 7_000)
    slow = random.randint(0, 9) == 0
    paid += slow * random.randint(20_000, 40_000)
    done = paid + random.randint(200, 600)
    audited = paying + random.randint(3_000, 12_000)
    spans = [span(trace, "a0", None, "p1", "checkout", at, done),
             span(trace, "a1", "a0", "p2", "get", asked, cart),
             span(trace, "a2", "a0", "p3", "quote", asked + 20, price),
             span(trace, "a3", "a0", "p4", "charge", paying, paid),
             span(trace, "a4", "a0", "p5", "log", paying + 30, audited)]
    if AFTER:
        spans.append(span(trace, "a5", "a2", "p6", "rate", asked + 520, asked + 1_020))
    names = {"p1": "web", "p2": "cart", "p3": "price", "p4": "pay", "p5": "audit", **({"p6": "tax"} if AFTER else {})}
    processes = {key: {"serviceName": name} for key, name in names.items()}
    version = 2 if slow else versions.randint(1, 2)
    processes["p4"]["tags"] = [{"key": "version", "type": "string", "value": f"v{version}"}]
    return {"traceID": trace, "spans": spans, "processes": processes}


lines = [json.dumps(request(number), separators=(",", ":")) for number in range(int(sys.argv[1]) if len(sys.argv) > 1 else 60)]
print('{"data":[\n' + ",\n".join(lines) + "\n]}")
