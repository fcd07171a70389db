#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A client of gRPC that hedges, k services and a standby, each a process, recorded for grpc_hedge.tp:

    make example NAME=grpc OPTIONS="--services 3 --hedge-ms 10 --requests 2000"

A service has one worker, which takes a little over --work-ms for a request, and --slow-ms for --slow-share of them. The
next request begins when nothing of the last one is under way.
"""
import argparse
import asyncio
import concurrent.futures
import ctypes
import os
import random
import subprocess
import sys
import time

import grpc

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../python"))
import measure  # noqa: E402

METHOD = "/example.Backend/Work"
NUMBERS = 8  # bytes before the stamp: which request, and of which service

RECORDS = 12  # of one request and one service, at most


class Node:
    """What one node of the protocol records: names, a store, and a writer for its one thread."""

    def __init__(self, asked, node, actions, messages, components=()):
        self.library = measure.load()
        self.store = measure.Store()
        most = RECORDS * (asked.services + 1) * asked.requests
        options = measure.Options(
            folder=asked.folder.encode(), node=node.encode(), log_records=1 << max(14, most.bit_length())
        )
        measure.checked(self.library, self.library.tailproof_open(ctypes.byref(self.store), ctypes.byref(options)))
        self.names = {}
        for action, component in actions.items():
            self.names[action] = self.library.tailproof_action(self.store, action.encode(), component)
        for message, delay in messages.items():
            queueing = b"Queuing" if message != "Reply" else None  # nobody waits for the user
            self.names[message] = self.library.tailproof_message(self.store, message.encode(), delay, queueing)
        for component in components:
            self.names[component] = self.library.tailproof_component(self.store, component.encode())
        self.names["reply"] = self.library.tailproof_request(self.store, b"reply")
        for name in self.names.values():
            measure.checked(self.library, name)
        self.writer = measure.checked(self.library, self.library.tailproof_writer_open(self.store))

    def now(self):
        return self.library.tailproof_now(self.writer)

    def event(self, name, request, start, end, arguments):
        event = measure.Event(name=self.names[name], instance=request, start=start, end=end, count=len(arguments))
        for i, argument in enumerate(arguments):
            event.arguments[i] = argument
        return event

    def record(self, name, request, start, end, *arguments):
        event = self.event(name, request, start, end, arguments)
        measure.checked(self.library, self.library.tailproof_record(self.writer, ctypes.byref(event)))

    def send(self, name, request, sent, *arguments):
        """The stamp that the message carries."""
        stamp = measure.Stamp()
        event = self.event(name, request, 0, 0, arguments)
        self.library.tailproof_send_at(self.writer, ctypes.byref(event), sent, stamp)
        return bytes(stamp)

    def arrive(self, name, request, stamp, *arguments):
        """The event of its arrival, which is now."""
        event = self.event(name, request, 0, self.now(), arguments)
        stamp = measure.Stamp.from_buffer_copy(stamp)
        measure.checked(self.library, self.library.tailproof_arrive(self.writer, ctypes.byref(event), stamp))
        return event

    def receive(self, name, request, stamp, *arguments):
        """When it was there; work on it begins at once."""
        event = self.arrive(name, request, stamp, *arguments)
        event.start = event.end
        self.library.tailproof_dequeue_at(self.writer, ctypes.byref(event))
        return event.end

    def close(self):
        measure.checked(self.library, self.library.tailproof_close(self.store))


# --- a service, or the standby ---


def draws(options, seed):
    """How long the requests take, in seconds: the program's own randomness, the same in each run."""
    source = random.Random(seed)
    while True:
        slow = source.random() < options.slow_share
        yield (options.slow_ms if slow else options.work_ms * (1 + source.random() / 4)) / 1000


def serve(options, node, question, answer, action, component):
    work = draws(options, node)
    recorded = Node(options, node, {action: component}, {question: b"d", answer: b"d"})

    def handle(request, _):
        number, service = int.from_bytes(request[:4], "big"), int.from_bytes(request[4:NUMBERS], "big")
        begun = recorded.receive(question, number, request[NUMBERS:], service)
        time.sleep(next(work))
        ended = recorded.now()
        recorded.record(action, number, begun, ended, service)
        return recorded.send(answer, number, ended, service)

    class Handler(grpc.GenericRpcHandler):
        def service(self, _):
            return grpc.unary_unary_rpc_method_handler(handle)

    server = grpc.server(concurrent.futures.ThreadPoolExecutor(max_workers=1))
    server.add_generic_rpc_handlers((Handler(),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    print(port, flush=True)
    sys.stdin.read()  # until the client closes it, or is gone
    server.stop(None).wait()
    recorded.close()


def start(options, role):
    command = [sys.executable, os.path.abspath(__file__), "--role", role, "--folder", options.folder]
    for name in ("services", "requests", "work_ms", "slow_ms", "slow_share"):
        command += ["--" + name.replace("_", "-"), str(getattr(options, name))]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    port = process.stdout.readline().strip().decode()
    if not port:
        raise SystemExit(f"main.py: {role} did not start")
    return process, "127.0.0.1:" + port


# --- the client ---


class Request:
    """One request, in the event loop: what is missing, and what is under way."""

    def __init__(self, frontend, number):
        self.frontend, self.number, self.node = frontend, number, frontend.node
        self.missing = set(range(len(frontend.services)))
        self.under_way, self.calls = 0, []
        self.over = asyncio.get_running_loop().create_future()

    def call(self, backend, stamp, service, answer, action):
        self.under_way += 1
        numbers = self.number.to_bytes(4, "big") + service.to_bytes(4, "big")
        self.calls.append(asyncio.create_task(self.wait(backend(numbers + stamp), service, answer, action)))

    def begin(self):
        loop, node, number = asyncio.get_running_loop(), self.node, self.number
        self.start = node.now()
        # The calls begin at the end of the step, which gRPC then goes on to make: that is in their delay.
        ended = node.now()
        node.record("frontend.Begin", number, self.start, ended)
        for service in list(self.missing):
            stamp = node.send("Ask", number, ended, service)
            self.call(self.frontend.services[service], stamp, service, "Answer", "frontend.Answered")
        self.alarm = node.send("Alarm", number, ended)
        self.under_way += 1
        loop.call_later(self.frontend.hedge_s, self.hedge)

    def hedge(self):
        begun = self.node.receive("Alarm", self.number, self.alarm)
        ended = self.node.now() if self.missing else begun
        self.node.record("frontend.Hedge", self.number, begun, ended)
        if self.missing:
            self.node.record("Hedge", self.number, begun, ended)
        for service in list(self.missing):
            stamp = self.node.send("Retry", self.number, ended, service)
            self.call(self.frontend.standby, stamp, service, "Stand", "frontend.Covered")
        self.end_part()

    async def wait(self, call, service, answer, action):
        try:
            self.take(await call, service, answer, action)
        except Exception as error:  # else nobody would hear of it
            self.over.set_exception(error)

    def take(self, stamp, service, answer, action):
        begun = self.node.receive(answer, self.number, stamp, service)
        last = self.missing == {service}
        self.missing.discard(service)
        ended = self.node.now() if last else begun
        self.node.record(action, self.number, begun, ended, service)
        if last:
            self.node.record("Finish", self.number, begun, ended)
            reply = self.node.send("Reply", self.number, ended)
            there = self.frontend.user.arrive("Reply", self.number, reply).end
            self.node.record("reply", self.number, self.start, there)
        self.end_part()

    def end_part(self):
        self.under_way -= 1
        if self.under_way == 0 and not self.over.done():
            self.over.set_result(None)


class Frontend:
    def __init__(self, options, node, user, services, standby):
        self.node, self.user, self.services, self.standby = node, user, services, standby
        self.hedge_s = options.hedge_ms / 1000


async def ask(options, addresses):
    channels = [grpc.aio.insecure_channel(address) for address in addresses]
    *services, standby = [channel.unary_unary(METHOD) for channel in channels]
    for channel in channels:
        await asyncio.wait_for(channel.channel_ready(), 30)
    node = Node(
        options,
        "frontend",
        {"frontend.Begin": b"Begin", "frontend.Hedge": None, "frontend.Answered": None, "frontend.Covered": None},
        {"Ask": b"d", "Answer": b"d", "Alarm": b"alarm", "Retry": b"d", "Stand": b"d", "Reply": b"hand"},
        ("Hedge", "Finish"),
    )
    user = Node(options, "user", {}, {"Reply": b"hand"})
    frontend = Frontend(options, node, user, services, standby)
    for number in range(1, options.requests + 1):
        request = Request(frontend, number)
        request.begin()
        await request.over
    node.close()
    user.close()
    for channel in channels:
        await channel.close()


def run(options):
    options.folder = os.path.join(options.out, "store")
    os.makedirs(options.folder)
    with open(os.path.join(options.out, "run.txt"), "w", encoding="utf-8") as settings:
        settings.write("spec examples/grpc/grpc_hedge.tp\nbound reply\nrequest reply\n")
        settings.write(f"set k={options.services}\n")
    roles = [f"service[{i}]" for i in range(options.services)] + ["standby"]
    started = []
    try:
        for role in roles:
            started.append(start(options, role))
        asyncio.run(ask(options, [address for _, address in started]))
    finally:
        for process, _ in started:
            process.stdin.close()
        for process, _ in started:
            process.wait()


def main():
    parser = argparse.ArgumentParser(description="A client of gRPC that hedges, and what it asks.")
    parser.add_argument("--out", help="folder, to be made: gets store/ and run.txt")
    parser.add_argument("--services", type=int, default=3)
    parser.add_argument("--requests", type=int, default=2000)
    parser.add_argument("--hedge-ms", type=float, default=10)
    parser.add_argument("--work-ms", type=float, default=1)
    parser.add_argument("--slow-ms", type=float, default=40)
    parser.add_argument("--slow-share", type=float, default=0.05)
    parser.add_argument("--role", help=argparse.SUPPRESS)
    parser.add_argument("--folder", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.role == "standby":
        serve(options, "standby", "Retry", "Stand", "standby.Cover", b"Cover")
    elif options.role:
        serve(options, options.role, "Ask", "Answer", "service.Serve", b"Serve")
    elif options.out and options.services >= 1 and options.requests >= 1:
        run(options)
    else:
        parser.error("--out FOLDER, --services and --requests of at least 1")


if __name__ == "__main__":
    main()
