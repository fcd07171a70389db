#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""known_log.py FOLDER REQUESTS SEED [PLANT=VALUE]...: the log that a recorder would have written of a
server of which everything is known: each request reads a file; one of 60 (GET /report) holds the loop
for spin=40 ms in a callback of its own; one of 100 handlers has a full collection of gc=25 ms; one of
40 files takes disk=30 ms longer; a report derives a key for pool=12 ms in the only thread of the
pool, which then reads the files, too. Without a plant there is none of these; the draws are the same.
threads=4: the pool has four; said=1: the log says so many (0: it does not say); each=1: each request
is a report.
looks=2: the recorder looks at every second report, and sees one of two functions. use=1: it notes every
half second that the process used a processor for 300 ms and has memory that grows by 1 MB."""
import heapq, os, random, struct, sys

folder, requests, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
plants = {name: float(value) for name, value in (word.split("=") for word in sys.argv[4:])}
UNIT = 1600  # ns; stamps have 16
MS = 1000000 // UNIT
random.seed(seed)

# --- the program: jobs [ready, place in the queue, kind, request, length, pause, children] ---
class Job:
    def __init__(self, kind, request, own, pause=0):
        self.kind, self.request, self.own, self.pause, self.children, self.last = kind, request, own, pause, [], False
        self.ready = self.begin = self.end = self.registered = 0
        self.id = 0

def between(least, most):
    return random.randint(int(least * MS), int(most * MS))

arrivals, now = [], 10 * MS
for number in range(requests):
    report, full, slow = random.randrange(60) == 0 or "each" in plants, random.randrange(100) == 0, random.randrange(40) == 0
    first = Job("HTTPINCOMINGMESSAGE", number, between(0.2, 0.6), int(plants.get("gc", 0) * MS) if full else 0)
    first.ready = now
    file = Job("FSREQCALLBACK", number, between(0.1, 0.3))
    wait = between(1, 2) + (int(plants.get("disk", 0) * MS) if slow else 0)
    first.children.append((first.own * 3 // 4, wait, file))
    last = file
    if report:
        last = Job("Immediate", number, MS // 20 + int(plants.get("spin", 0) * MS))
        file.children.append((file.own // 2, 0, last))
        if "pool" in plants:
            first.children.insert(0, (first.own // 2, int(plants["pool"] * MS), Job("PBKDF2REQUEST", number, MS // 20)))
    last.last = True
    first.report = report
    arrivals.append(first)
    now += random.randint(1, 2 * 1000 * MS // 300)

# --- the loop: the first that is ready is served first ---
queue, order, free, done, ids = [], 0, 0, [], 100
pool = [0] * int(plants.get("threads", 1))  # when each thread is free
for job in arrivals:
    order += 1
    heapq.heappush(queue, (job.ready, order, job))
while queue:
    ready, _, job = heapq.heappop(queue)
    job.begin = max(ready, free)
    free = job.end = job.begin + job.own + job.pause
    done.append(job)
    for at, wait, child in job.children:
        ids += 1
        order += 1
        child.id = ids
        child.registered = job.begin + at + (job.pause if at >= job.own // 2 else 0)
        child.ready = child.registered + wait
        if "pool" in plants and child.kind != "Immediate":  # files and keys wait for a thread
            child.ready = max(child.registered, heapq.heappop(pool)) + wait
            heapq.heappush(pool, child.ready)
        heapq.heappush(queue, (child.ready, order, child))

# --- the log ---
def number(value):
    out = bytearray()
    while value >= 128:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out + bytes([value]))

def signed(value):
    return number(-2 * value - 1 if value < 0 else 2 * value)

class Log:
    def __init__(self):
        self.file = b"TPNODE1\n" + struct.pack("<IIII", 4711, 0, 0, 6) + bytes(24) + struct.pack("<I", int(plants.get("said", plants.get("threads", 1))) if "pool" in plants else 0) + bytes(12) + b"app.js\0\0"
        self.sequence = self.records = 0
        self.open(0)

    def open(self, time):
        self.start = self.time = time
        self.id = self.request = 0
        self.texts, self.body = {}, bytearray()

    def chunk(self, magic, body, rest):
        head = lambda check: magic + struct.pack("<IIIQQQQ", len(body), check, *rest) + bytes(16)
        padded = bytes(body) + bytes(-len(body) % 4)
        check = 0x7470
        for word in struct.unpack(f"<{(len(padded) + 64) // 4}I", head(0) + padded):
            check = (check ^ word) * 0x9E3779B1 & 0xFFFFFFFF
            check ^= check >> 15
        self.file += head(check) + padded

    def close(self, time):
        self.chunk(b"TPNC", self.body, (self.sequence, self.start, self.records - self.count, 0, time))
        self.sequence += 1
        self.open(time)
        self.count = 0

    count = 0

    def add(self, record):
        self.body += record
        self.records += 1
        self.count += 1

    def text(self, text):
        if text not in self.texts:
            self.texts[text] = len(self.texts) + 1
            self.body += b"\0" + number(self.texts[text]) + number(len(text)) + text.encode()
        return self.texts[text]

    def since(self, time):
        by, self.time = time - self.time, time
        return signed(by)

    def name(self, what):
        by, self.id = what - self.id, what
        return signed(by)

    def init(self, kind, what, time):
        code = self.text(kind)
        self.add(bytes([1 | code << 3]) + self.name(what) + self.since(time))

    def run(self, what, begin, end):
        self.add(bytes([3]) + self.name(what) + self.since(begin) + number(end - begin))
        self.time = end

    def asked(self, which, time, route):
        code = self.text(route)
        by, self.request = which - self.request, which
        self.add(bytes([4]) + signed(by) + self.since(time) + number(code))

    def answered(self, which, time):
        self.add(bytes([5]) + signed(which - self.request) + self.since(time) + number(200))

    def look(self, time, stack):
        body = b"\0" + number(1) + number(len(stack)) + stack.encode() + bytes([7 | 4 << 3, 0]) + number(1)
        self.chunk(b"TPNS", body, (0, time, 0, 0, time))

    def use(self, start, length, processor, memory):
        self.chunk(b"TPNS", bytes([7 | 9 << 3, 0]) + number(length) + number(processor) + number(memory), (0, start, 0, 0, start + length))

    def pause(self, start, length):
        self.add(bytes([6 | 1 << 3]) + signed(start - self.time) + number(length))

log, stamps, parser, reports = Log(), [], 50, 0
log.init("HTTPINCOMINGMESSAGE", parser, UNIT)
log.run(1, 0, 2 * UNIT)
for job in done:
    begin, end = job.begin * UNIT, job.end * UNIT
    if job.kind != "Immediate":
        stamps.append((begin, job.ready * UNIT, 1 if job.kind == "HTTPINCOMINGMESSAGE" else 2))
    events = []
    if job.kind == "Immediate" and "looks" in plants:
        reports += 1
        look, rest = divmod(reports, int(plants["looks"]))
        if rest == 0:
            log.look((begin + end) // 2, ("report.js:9:3 sort" if look % 2 else "report.js:7:3 join") + ";report.js:20:1 makeReport")
    if job.kind == "HTTPINCOMINGMESSAGE":
        route = "GET /report" if job.report else "GET /"
        events.append((begin, lambda: log.asked(job.request + 1, begin, route)))
    for _, _, child in job.children:
        time = child.registered * UNIT
        events.append((time, lambda child=child, time=time: log.init(child.kind, child.id, time)))
    if job.last:
        events.append((end, lambda: log.answered(job.request + 1, end)))
    for _, write in events:
        write()
    log.run(parser if job.kind == "HTTPINCOMINGMESSAGE" else job.id, begin, end)
    if job.pause:
        log.pause(begin + job.own // 2 * UNIT, job.pause * UNIT)
    if len(log.body) > 60000:
        log.close(end)
for half in range(free * UNIT // 500_000_000 if "use" in plants else 0):
    log.use(half * 500_000_000, 500_000_000, 300_000_000, 60_000 + 1000 * half)
log.close(free * UNIT)

os.makedirs(folder, exist_ok=True)
with open(f"{folder}/4711.0.tpn", "wb") as file:
    file.write(log.file)
with open(f"{folder}/4711.tpr", "wb") as file:
    file.write((b"TPREADY1" + struct.pack("<IIQ", 0, len(stamps), len(stamps))).ljust(4096, b"\0"))
    for when, ready, kind in stamps:
        file.write(struct.pack("<QIHH", when, (when - ready) // 16, kind, 0))
