#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Writes what Node.js would write with --trace-event-categories node.async_hooks,node.http,v8 of a
# server whose waits are known: GET /page reads a folder, then three files at once, and answers when
# the last of them is there; GET /report computes 30 ms without a pause. The clock and the requests
# are made up (seeded), the loop is a queue: whoever is ready first runs first.
# Usage: examples/traces/node.py [REQUESTS] >node_trace.1.log
import heapq
import json
import random
import sys

requests = int(sys.argv[1]) if len(sys.argv) > 1 else 200
chance = random.Random(7)
events, ready, ids = [], [], iter(range(100, 10**9))
clock = 1_000_000  # us


def event(ph, name, id, args, cat='node,node.async_hooks', at=None, **more):
    events.append({'pid': 1, 'tid': 1, 'ts': clock if at is None else at, 'ph': ph, 'cat': cat, 'name': name,
                   **({} if id is None else {'id': hex(id)}), **more, 'args': args})


def run(us):
    global clock
    clock += us


def read(then, by, us):
    """Asks for a file within the callback of `by`; `then(id)` runs when the loop comes to it."""
    id = next(ids)
    event('b', 'FSREQCALLBACK', id, {'data': {'executionAsyncId': by, 'triggerAsyncId': by}})
    heapq.heappush(ready, (clock + us, id, 'FSREQCALLBACK', then))


def page(request, by):
    left = [3]

    def one(id):
        run(chance.randrange(40, 90))
        left[0] -= 1
        if left[0] == 0:
            answer(request, '/page/%d' % request)

    def folder(id):
        run(50)
        for _ in range(3):
            read(one, id, chance.randrange(300, 1500))
            run(20)

    run(100)
    read(folder, by, chance.randrange(200, 800))


def report(request, by):
    run(30_000)
    answer(request, '/report?full=1')


def answer(request, url):
    event('e', 'http.server.request', request, {'data': {'url': url, 'statusCode': 200}}, cat='node,node.http')
    run(15)


def arrive(request):
    parser = next(ids)
    event('b', 'HTTPINCOMINGMESSAGE', parser, {'data': {'executionAsyncId': 2, 'triggerAsyncId': 2}}, at=1_000_000)

    def notice(id):
        event('b', 'http.server.request', request, {}, cat='node,node.http')
        (report if request % 25 == 0 else page)(request, id)

    heapq.heappush(ready, (1_000_000 + request * 4_000 + chance.randrange(3_000), parser, 'HTTPINCOMINGMESSAGE', notice))


event('b', 'TCPSERVERWRAP', 2, {'data': {'executionAsyncId': 1, 'triggerAsyncId': 1}})
for request in range(1, requests + 1):
    arrive(request)
while ready:
    at, id, name, then = heapq.heappop(ready)
    clock = max(clock, at) + 5
    event('b', name + '_CALLBACK', id, {})
    if chance.random() < 0.02:
        pause = chance.randrange(1_000, 4_000)
        event('X', 'V8.GCScavenger', None, {}, cat='v8', dur=pause)
        run(pause)
    then(id)
    event('e', name + '_CALLBACK', id, {})
    event('e', name, id, {})
events.sort(key=lambda e: e['ts'])  # stable: as they happened
print('{"traceEvents":[')
print(',\n'.join(json.dumps(e, separators=(',', ':')) for e in events))
print(']}')
