#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The counting proxy between clients and a service that do what they like: prints TAP.

proxy_talk.py COUNTING_PROXY TAILPROOF DIRECT
"""
import os
import random
import resource
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
done = 0
failed = 0


def check(title, *truths):
    global done, failed
    done += 1
    good = all(truths)
    failed += not good
    print(("ok" if good else "not ok"), done, "-", title, flush=True)
    if not good:
        print("#", [bool(truth) for truth in truths], flush=True)


class Proxy:
    """The program; `port` of the proxy. Its end gives the statistics."""

    def __init__(self, backend, *more, files=None, relay=False):
        limit = (lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (files, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))) if files else None
        self.process = subprocess.Popen([sys.argv[1], *(["--relay"] if relay else []), "127.0.0.1:0=127.0.0.1:%d" % backend, *map(str, more)],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, preexec_fn=limit)
        self.port = int(self.process.stdout.readline().rsplit(":", 1)[1])

    def now(self, what=""):
        self.process.stdin.write(what + "\n")
        self.process.stdin.flush()
        return pairs(self.process.stdout.readline().split()[1:])

    def stop(self):
        self.process.stdin.close()
        told = self.process.stdout.readline().split()
        rest = pairs(self.process.stdout.readline().split())
        rest["told_begun"], rest["told_ended"], rest["wrong"], rest["most"] = (int(told[i]) for i in (1, 2, 4, 6))
        self.process.stdout.close()
        assert self.process.wait(7200) == 0
        return rest


def pairs(words):
    return {words[i]: int(words[i + 1]) for i in range(0, len(words), 2)}


class Client:
    def __init__(self, port, data=b""):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=7200)
        self.held = b""
        self.send(data)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, data):
        self.socket.sendall(data)

    def more(self):
        data = self.socket.recv(1 << 20)
        self.held += data
        return len(data) > 0

    def until(self, end):
        while end not in self.held:
            if not self.more():
                raise EOFError(self.held)
        part, self.held = self.held.split(end, 1)
        return part

    def exactly(self, size):
        parts, have = [self.held], len(self.held)
        self.held = b""
        while have < size:
            data = self.socket.recv(1 << 20)
            if not data:
                raise EOFError
            parts.append(data)
            have += len(data)
        whole = b"".join(parts)
        self.held = whole[size:]
        return whole[:size]

    def rest(self):
        """All until the end; None after an error."""
        try:
            while self.more():
                pass
        except ConnectionResetError:
            return None
        return self.held

    def answer(self, bodiless=False):
        """(status, fields, body) of one answer."""
        lines = self.until(b"\r\n\r\n").decode("latin-1").split("\r\n")
        fields = {}
        for line in lines[1:]:
            name, value = line.split(":", 1)
            fields.setdefault(name.lower(), []).append(value.strip())
        status = int(lines[0].split(" ")[1])
        body = b""
        if bodiless or status < 200 or status in (204, 304):
            pass
        elif "transfer-encoding" in fields:
            while True:
                size = int(self.until(b"\r\n"), 16)
                if size == 0:
                    break
                body += self.exactly(size)
                assert self.exactly(2) == b"\r\n"
            trailers = []
            while True:
                line = self.until(b"\r\n")
                if not line:
                    break
                trailers.append(line)
            fields["trailers"] = trailers
        elif "content-length" in fields:
            body = self.exactly(int(fields["content-length"][0]))
        else:
            body = self.rest()
        return status, fields, body


def get(path, *fields, method="GET", version="1.1", body=b""):
    lines = ["%s %s HTTP/%s" % (method, path, version), "Host: test"] + list(fields)
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1") + body


def ask(port, data, bodiless=False):
    with Client(port, data) as client:
        return client.answer(bodiless)


def counted(backend):
    return int(ask(backend, get("/count"))[2])


def ordinary(proxy):
    with Client(proxy, get("/a")) as client:
        first = client.answer()
        client.send(get("/b"))
        second = client.answer()
    check("requests over one connection, which the backend sees as one", first[2] == b"hello /a", second[2] == b"hello /b",
          first[1]["x-connection"] == second[1]["x-connection"])
    saw = ask(proxy, get("/saw", "Accept: x", "Connection: X-Hop, close", "X-Hop: 1", "Keep-Alive: 3", "Proxy-Connection: y",
                         "TE: trailers, deflate", "Upgrade: h3", "Cookie: a", "Cookie: b"))[2].decode().lower()
    check("what is between neighbours is not passed on, the rest is", "accept: x" in saw, "host: test" in saw, "via: 1.1 tailproof" in saw,
          saw.count("cookie: ") == 2, "connection: te\r\n" in saw, "te: trailers\r\n" in saw,
          not any(word in saw for word in ("hop", "keep-alive", "proxy-connection", "upgrade", "deflate")))
    fields = ask(proxy, get("/hop"))[1]
    check("nor of answers", fields["set-cookie"] == ["a=b", "c=d"], "x-hop" not in fields, "keep-alive" not in fields, "connection" not in fields)
    with Client(proxy, b"\r\n" + b"".join(get("/p%d" % i) for i in range(50))) as client:
        bodies = [client.answer()[2] for _ in range(50)]
    check("pipelined requests are answered in order", bodies == [b"hello /p%d" % i for i in range(50)])
    with Client(proxy, get("/head", method="HEAD") + get("/204") + get("/304") + get("/interim") + get("/x")) as client:
        head, none, same = client.answer(True), client.answer(), client.answer()
        hints, ok, last = client.answer(), client.answer(), client.answer()
    check("answers without a body, and interim ones", head[1]["content-length"] == ["1234"], none[0] == 204, same[0] == 304,
          hints[0] == 103, ok[2] == b"ok", last[2] == b"hello /x")
    old = ask(proxy, b"GET http://other/saw HTTP/1.0\r\nExpect: 100-continue\r\n\r\n")
    with Client(proxy, get("/a", "Connection: keep-alive", version="1.0")) as client:
        kept = client.answer()
        client.send(get("/chunked", version="1.0"))
        plain = client.answer()
    check("a client of 1.0", b"Host: other\r\n" in old[2], b"xpect" not in old[2], old[1]["connection"] == ["close"],
          kept[1]["connection"] == ["keep-alive"], plain[2] == b"hello world", "transfer-encoding" not in plain[1])
    limited = ask(proxy, get("*", "Max-Forwards: 0", method="OPTIONS"))
    further = ask(proxy, get("/saw", "Max-Forwards: 4", method="OPTIONS"))
    check("Max-Forwards", limited[0] == 200, b"Max-Forwards: 3" in further[2], ask(proxy, get("/", "Max-Forwards: 0", method="TRACE"))[0] == 501)


def bodies(proxy):
    with Client(proxy, get("/chunked") + get("/close") + get("/y")) as client:
        chunked, until, after = client.answer(), client.answer(), client.answer()
    check("answers in chunks and until the end", chunked[2] == b"hello world", chunked[1]["trailers"] == [b"Sum: 11"],
          until[2] == b"until the end", after[2] == b"hello /y")
    saw = ask(proxy, get("/saw", "Transfer-Encoding: Chunked", method="POST", body=b"3;a=b\r\nabc\r\n00\r\nSum: 3\r\nHost: evil\r\n\r\n"))[2]
    check("trailers that may come late", saw.endswith(b"\r\n\r\nSum: 3"), b"Transfer-Encoding: chunked\r\n" in saw)
    source = random.Random(7)
    data = source.randbytes(3 << 20)
    with Client(proxy, get("/echo", "Content-Length: %d" % len(data), method="POST")) as client:
        writer = threading.Thread(target=client.send, args=(data,))
        writer.start()
        length = client.answer()
        writer.join()
    with Client(proxy, get("/echo", "Transfer-Encoding: chunked", method="PUT")) as client:
        def pieces():
            at = 0
            while at < len(data):
                size = min(source.choice((1, 2, 77, 4096, 65536, 300000)), len(data) - at)
                client.send(b"%x\r\n" % size + data[at:at + size] + b"\r\n")
                at += size
            client.send(b"0\r\n\r\n")
        writer = threading.Thread(target=pieces)
        writer.start()
        chunks = client.answer()
        writer.join()
    check("bodies of 3 MiB there and back, by length and in chunks of any size", length[2] == data, chunks[2] == data)
    with Client(proxy) as client:
        for byte in get("/echo", "Transfer-Encoding: chunked", method="POST", body=b"5\r\nhello\r\n0\r\n\r\n"):
            client.send(bytes([byte]))
        check("a request in single bytes", client.answer()[2] == b"hello")
    with Client(proxy, get("/echo", "Content-Length: 4", "Expect: 100-continue", method="POST")) as client:
        interim = client.answer()[0]
        client.send(b"data")
        check("100-continue", interim == 100, client.answer()[2] == b"data")
    with Client(proxy, get("/early", "Content-Length: 9000000", method="POST")) as client:
        try:
            for _ in range(90):
                client.send(b"x" * 100000)
        except (ConnectionResetError, BrokenPipeError):
            pass
        answer = client.answer()
        check("an answer before the end of the request", answer[0] == 413, answer[1]["connection"] == ["close"])


def slow(proxy, backend):
    client = Client(proxy, get("/big/64"))
    client.until(b"\r\n\r\n")
    before = -1
    while True:  # until nothing moves any more
        now = int(ask(backend.port, get("/sent"))[2])
        if now == before:
            break
        before = now
        threading.Event().wait(0.3)
    check("a client that does not read stops the backend", before < 48 << 20)
    whole = client.exactly(64 << 20)
    check("and gets everything when it does", whole == bytes(range(256)) * (64 << 12), client.held == b"")
    client.socket.close()
    with Client(proxy, get("/big/16")) as client:
        client.until(b"\r\n\r\n")
        os.kill(backend.process.pid, signal.SIGSTOP)
        threading.Event().wait(0.3)
        os.kill(backend.process.pid, signal.SIGCONT)
        check("a backend that is stopped for a while in the middle", len(client.exactly(16 << 20)) == 16 << 20)
    with Client(proxy, get("/a")) as client:
        client.socket.shutdown(socket.SHUT_WR)
        half = client.answer()
        check("a half-closed client is answered", half[2] == b"hello /a", client.rest() == b"")
    with Client(proxy, get("/big/64")) as client:
        client.until(b"\r\n\r\n")
        client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    check("after a client that broke off others are served", ask(proxy, get("/b"))[2] == b"hello /b")


def deaths(proxy):
    with Client(proxy, get("/short")) as client:
        whole = client.rest()
        check("a backend that dies in the middle of a length", whole.endswith(b"only this"), b"Content-Length: 100" in whole)
    with Client(proxy, get("/unchunked")) as client:
        whole = client.rest()
        check("of chunks", b"only this" in whole, b"\r\n0\r\n" not in whole)
    with Client(proxy, get("/reset", version="1.0")) as client:
        check("of an answer until the end, which must not look complete", client.rest() is None)
    with Client(proxy, get("/none")) as client:
        first = client.answer()
    with Client(proxy, get("/a") + get("/last")) as client:
        client.answer(), client.answer()
        threading.Event().wait(0.1)
        client.send(get("/b"))
        check("a connection that the backend closed is opened again", client.answer()[2] == b"hello /b")
    with Client(proxy, get("/a") + get("/none")) as client:
        client.answer()
        again = client.answer()
        closed = client.rest()
    check("none at all is 502, also the second time", first[0] == 502, again[0] == 502, closed == b"")
    for path, what in (("/garbage", "no HTTP"), ("/both", "two lengths"), ("/gzip", "another coding")):
        answer = ask(proxy, get(path))
        check("an answer with %s is 502" % what, answer[0] == 502, b"no HTTP/1.1: " in answer[2])
    with Client(proxy, get("/twice")) as client:
        first = client.answer()
        threading.Event().wait(0.1)
        client.send(get("/b"))
        check("bytes that nobody asked for reach nobody", first[2] == b"ok", client.answer()[2] == b"hello /b")


def tunnels(proxy):
    for data in (get("/upgrade", "Connection: Upgrade", "Upgrade: echo") + b"early", get("tunnel:1", method="CONNECT") + b"early"):
        with Client(proxy, data) as client:
            status = client.answer(True)[0]
            start = client.exactly(7)
            client.send(b"\0\1\2" * 100000)
            echo = client.exactly(300000)
            client.socket.shutdown(socket.SHUT_WR)
            check("a tunnel", status in (101, 200), start == b"hiearly", echo == b"\0\1\2" * 100000, client.rest() == b"bye")
    check("nobody asked for an upgrade", ask(proxy, get("/upgrade"))[0] == 502)


REFUSED = [
    (400, "two lengths", b"Content-Length: 1\r\nContent-Length: 1\r\n\r\na"),
    (400, "a list of lengths", b"Content-Length: 1, 1\r\n\r\na"),
    (400, "a signed length", b"Content-Length: +1\r\n\r\na"),
    (400, "a length of 2^63", b"Content-Length: 9223372036854775808\r\n\r\n"),
    (400, "length and coding", b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
    (400, "coding and length", b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n"),
    (400, "two codings", b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
    (501, "an unknown coding", b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n"),
    (501, "chunked twice", b"Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n"),
    (400, "a blank before the colon", b"Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n"),
    (400, "a folded field", b"X: a\r\n Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
    (400, "a bare LF", b"X: a\nY: b\r\n\r\n"),
    (400, "a bare CR", b"X: a\rY: b\r\n\r\n"),
    (400, "a NUL", b"X: a\0b\r\n\r\n"),
    (400, "a field without a name", b": a\r\n\r\n"),
    (400, "a second Host", b"Host: b\r\n\r\n"),
    (400, "a chunk size with a sign", b"Transfer-Encoding: chunked\r\n\r\n+1\r\na\r\n0\r\n\r\n"),
    (400, "a chunk size in C", b"Transfer-Encoding: chunked\r\n\r\n0x1\r\na\r\n0\r\n\r\n"),
    (400, "a chunk size of 2^64", b"Transfer-Encoding: chunked\r\n\r\n10000000000000000\r\n"),
    (400, "a chunk that is too long", b"Transfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n"),
    (400, "a chunk that ends in LF", b"Transfer-Encoding: chunked\r\n\r\n1\na\r\n0\r\n\r\n"),
    (400, "a bare LF in an extension", b"Transfer-Encoding: chunked\r\n\r\n1;a\nb\r\na\r\n0\r\n\r\n"),
    (431, "a head of 70 KB", b"X: " + b"a" * 70000 + b"\r\n\r\n"),
    (431, "300 fields", b"X: a\r\n" * 300 + b"\r\n"),
]
LINES = [
    (400, "no Host", b"GET / HTTP/1.1\r\n\r\n"),
    (400, "a host with a path", b"GET / HTTP/1.1\r\nHost: a/b\r\n\r\n"),
    (400, "two blanks", b"GET  / HTTP/1.1\r\nHost: a\r\n\r\n"),
    (400, "no version", b"GET /\r\n\r\n"),
    (400, "a target without a slash", b"GET a HTTP/1.1\r\nHost: a\r\n\r\n"),
    (400, "a body of CONNECT", b"CONNECT a:1 HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\na"),
    (505, "HTTP/2", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    (400, "TLS", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\n"),
    (400, "chunks in 1.0", b"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
]


def refusals(proxy, backend):
    before = counted(backend)
    all_of = [(status, what, b"POST / HTTP/1.1\r\nHost: a\r\n" + rest) for status, what, rest in REFUSED] + LINES
    smuggled = get("/smuggled")
    begun = 0
    for status, what, data in all_of:
        with Client(proxy, data + smuggled) as client:
            answer = client.answer()
            check("refused: " + what, answer[0] == status, answer[1]["connection"] == ["close"], client.rest() == b"")
        begun += what.startswith("a chunk") or "extension" in what  # known only once it was handed over
    check("none of it reached the backend whole", counted(backend) - before <= begun)
    source = random.Random(3)
    for _ in range(150):
        data = bytearray(get("/echo", "Transfer-Encoding: chunked", method="POST", body=b"5\r\nhello\r\n0\r\n\r\n"))
        for _ in range(source.randrange(1, 30)):
            data[source.randrange(len(data))] = source.randrange(256)
        with Client(proxy, bytes(data)) as client:
            client.socket.shutdown(socket.SHUT_WR)
            client.rest()
    check("after damaged requests it still works", ask(proxy, get("/a"))[2] == b"hello /a")
    statuses = set()
    for seed in range(150):
        with Client(proxy, get("/damaged/%d" % seed) + get("/b")) as client:
            client.socket.shutdown(socket.SHUT_WR)
            try:  # the answer, or the end within it; never anything else
                statuses.add(client.answer()[0])
            except EOFError:
                pass
    check("and after damaged answers", ask(proxy, get("/a"))[2] == b"hello /a", 502 in statuses, 200 in statuses)


def crowds(backend):
    number = 300
    proxy = Proxy(backend, files=200)
    clients = [Client(proxy.port) for _ in range(number)]
    for client in clients:
        client.send(get("/c"))
    answers = [client.answer()[2] for client in clients]
    for client in clients:
        client.socket.close()
    last = proxy.stop()
    check("300 connections at once, with a soft limit of 200 files", answers == [b"hello /c"] * number, last["accepted"] == number, last["complete"] == number)
    proxy = Proxy(backend, 0, 4)
    clients = [Client(proxy.port, get("/d")) for _ in range(12)]
    answers = []
    for client in clients:  # those that wait come when others go
        answers.append(client.answer()[2])
        client.socket.close()
    last = proxy.stop()
    check("more than may be at once wait", answers == [b"hello /d"] * 12, last["most"] <= 4, last["accepted"] == 12)


def lateness(backend):
    proxy = Proxy(backend, 300)
    hang = ask(proxy.port, get("/hang"))
    head = ask(proxy.port, b"GET / HT")
    part = ask(proxy.port, get("/echo", "Content-Length: 5", method="POST", body=b"a"))
    late, answered = 0, 504  # as the first one
    while answered in (408, 504):  # on a busy machine also this one may come too late
        late += answered == 504
        with Client(proxy.port, get("/a")) as client:
            answered = client.answer()[0]
            idle = client.rest()
    last = proxy.stop()
    check("no answer in time is 504; no request 408; an idle connection closes", hang[0] == 504, head[0] == 408, part[0] == 408, answered == 200, idle == b"",
          last["timed_out"] == late)
    proxy = Proxy(free_port())
    answer = ask(proxy.port, get("/a"))
    head = ask(proxy.port, get("/a", method="HEAD"), True)
    last = proxy.stop()
    check("no backend is 502, and nothing was begun", answer[0] == 502, head[0] == 502, last["begun"] == 0, last["failed"] == 2)
    proxy = Proxy(backend)
    client = Client(proxy.port, get("/hang"))
    while proxy.now()["begun"] == 0:
        pass
    last = proxy.stop()
    check("what is under way at the stop is ended", last["told_begun"] == last["told_ended"] == 1, client.rest() in (b"", None))


def mistakes(taken):
    for where, word in (("x", "LISTEN=BACKEND"), ("127.0.0.1:0=127.0.0.1:0", "LISTEN=BACKEND"), ("127.0.0.1:0=127.0.0.1:99999", "LISTEN=BACKEND"),
                        ("::1:0=127.0.0.1:1", "LISTEN=BACKEND"), ("127.0.0.1:%d=:1" % taken, "give another port"), ("192.0.2.1:0=:1", "interface")):
        ran = subprocess.run([sys.argv[1], where], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=7200, check=False)
        check("mistake: " + where.replace(str(taken), "TAKEN"), ran.returncode == 64, ran.stderr.count("\n") == 1, word in ran.stderr)


def direct(at, *words):
    ran = subprocess.run([sys.argv[3], at, "-", *map(str, words)], capture_output=True, text=True, timeout=7200, check=True)
    return {name: int(value) for name, value in (pair.split("=") for pair in ran.stdout.split() if "=" in pair)}


def poked():
    """A service that knows of nothing, under a poker, paused while it is asked."""
    port, each = free_port(), 60
    with tempfile.TemporaryDirectory() as folder:
        ready = os.path.join(folder, "ready")
        poker = subprocess.Popen([sys.argv[2], "poker", "--name", "py", "--listen", "127.0.0.1:0", "--ready", ready, "--proxy", "127.0.0.1:0=127.0.0.1:%d" % port,
                                  "--", sys.executable, os.path.join(HERE, "proxy_backend.py"), str(port)],
                                 stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=dict(os.environ, TMPDIR=folder))
        try:
            line = ""
            while " proxy on " not in line:
                line = poker.stderr.readline()
                assert line, "the poker ended"
            at, proxy = line.split(" listens on ")[1].split(",")[0], int(line.strip().rsplit(":", 1)[1])
            while ask(proxy, get("/a"))[0] != 200:
                threading.Event().wait(0.05)
            direct(at, "set", 1, 1000, 10, 0, 1000000)
            bad = []

            def client(name):
                with Client(proxy) as one:
                    for i in range(each):
                        path = "/%s%d" % (name, i)
                        one.send(get(path))
                        if one.answer()[2] != b"hello " + path.encode():
                            bad.append(path)
            clients = [threading.Thread(target=client, args=(name,)) for name in "abcd"]
            for one in clients:
                one.start()
            for one in clients:
                one.join()
            report = direct(at, "until", "pauses", 1, "ask")
            check("a service under a poker is counted by the proxy, paused, and answers each request", not bad,
                  report["begun"] == report["ended"] == 4 * each + 1, report["rounds"] > 0, report["owed"] > 0,
                  report["owed"] == report["realised"] + report["carried"], report["busy"] > 0)
            errors = report["errors"]
            for path in ("/status/500", "/status/503", "/status/429", "/status/404", "/status/200"):
                ask(proxy, get(path))
            with Client(proxy, get("/short")) as one:
                one.rest()
            report = direct(at, "ask")
            check("errors are counted among the answers: 5xx, 429, cut off", report["errors"] == errors + 4,
                  report["flags"] & 2 == 2, report["ended"] == 4 * each + 7)
        finally:
            poker.terminate()
            status = poker.wait(7200)
            poker.stderr.close()
        check("and ends with it", status == 128 + signal.SIGTERM)


def free_port():
    """Below those that the system hands out itself."""
    while True:
        port = random.randrange(20000, 32000)
        try:
            socket.create_server(("127.0.0.1", port)).close()
            return port
        except OSError:
            pass


class Backend:
    def __init__(self):
        self.process = subprocess.Popen([sys.executable, os.path.join(HERE, "proxy_backend.py")], stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline())


RESP = b"*1\r\n$4\r\nPING\r\n"


class Store:
    """Answers each PING of Redis' protocol by +PONG; after `stop` pings it dies without an answer. What is not RESP it sends back."""

    def __init__(self, stop=10**9):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.stop = stop
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                taken, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.talk, args=(taken,), daemon=True).start()

    def talk(self, taken):
        held = b""
        while data := taken.recv(1 << 16):
            held += data
            while held.startswith(RESP):
                held = held[len(RESP):]
                self.stop -= 1
                if self.stop < 0:
                    taken.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    taken.close()
                    return
                taken.sendall(b"+PONG\r\n")
            if not RESP.startswith(held):
                taken.sendall(held)
                held = b""
        taken.shutdown(socket.SHUT_WR)


def relayed():
    store = Store()
    relay = Proxy(store.port, relay=True)
    with Client(relay.port, RESP * 100) as one, Client(relay.port, RESP) as two:
        one.until(b"+PONG\r\n" * 100)
        two.until(b"+PONG\r\n")
        check("a relay passes on commands and answers", one.held == two.held == b"", now_is(relay, begun=101, complete=101))
    blob = b"\1" + random.Random(1).randbytes(1 << 20)
    with Client(relay.port) as client:
        sender = threading.Thread(target=client.send, args=(blob,))
        sender.start()
        while len(client.held) < len(blob) and client.more():
            pass
        sender.join()
        client.socket.shutdown(socket.SHUT_WR)
        check("any bytes pass unchanged, and so does the end of one side", client.held == blob, not client.more())
    last = relay.stop()
    check("a relay says how it counted", last["spoken_2"] == 2, last["spoken_1"] == 1, last["told_begun"] == last["told_ended"] == last["begun"], last["errors"] == 0,
          last["complete"] == last["begun"])
    relay = Proxy(Store(stop=3).port, relay=True)
    with Client(relay.port, RESP * 5) as client:
        reset(client)
        last = relay.stop()
    check("requests without an answer are ended, and not complete", last["begun"] == 5, last["ended"] == 5, last["complete"] <= 3)
    relay = Proxy(free_port(), relay=True)
    with Client(relay.port, RESP) as client:
        check("without a service the connection is reset", reset(client))
    last = relay.stop()
    check("that counts as not reached", last["unreached"] == 1, last["begun"] == 0)


def now_is(proxy, **wanted):
    """Until the counts are these; the caller's time limit ends it."""
    while any(proxy.now()[key] != value for key, value in wanted.items()):
        pass
    return True


def reset(client):
    try:
        while client.more():
            pass
        return False
    except ConnectionResetError:
        return True


def is_silent(client):
    client.socket.setblocking(False)
    try:
        client.socket.recv(1)
        return False
    except BlockingIOError:
        return True


def held(backend):
    """Answers that are held, without a pause, are the same answers; in a pause of an hour none leaves."""
    proxy = Proxy(backend.port)
    proxy.now("h")
    ordinary(proxy.port)
    bodies(proxy.port)
    deaths(proxy.port)
    tunnels(proxy.port)
    proxy.now("o")
    crowd = [Client(proxy.port, get("/one%d" % i)) for i in range(20)]
    check("one request at a time reaches the service, and all do", *[client.answer()[0] == 200 for client in crowd])
    for client in crowd:
        client.socket.close()
    proxy.now("h")
    proxy.now("p")
    served = counted(backend.port)
    crowd = [Client(proxy.port, get("/held%d" % i)) for i in range(6)]
    while counted(backend.port) < served + 6:
        pass
    crowd[0].socket.close()
    check("in a pause no answer leaves, though the service has answered", *[is_silent(client) for client in crowd[1:]])
    last = proxy.stop()
    check("each whose answer was held was ended once", last["told_begun"] == last["told_ended"] == last["begun"], last["wrong"] == 0)
    for client in crowd[1:]:
        client.socket.close()


def held_relay():
    store = Store()
    proxy = Proxy(store.port, relay=True)
    proxy.now("h")
    with Client(proxy.port, b"*1\r\n$4\r\nPING\r\n" * 3) as client:
        client.until(b"+PONG\r\n" * 3)
        proxy.now("p")
        client.send(b"*1\r\n$4\r\nPING\r\n")
        now_is(proxy, begun=4, complete=4)
        check("a relay holds answers of a store, pipelined ones too", is_silent(client))
    last = proxy.stop()
    check("each is ended once, also where who waits for it goes", last["told_begun"] == last["told_ended"] == 4)


def strangers(port):
    with Client(port, b"\x16\3\1\0\5hello") as client:
        check("TLS is refused before a line of it has ended", client.answer()[0] == 400)


def main():
    backend = Backend()
    try:
        proxy = Proxy(backend.port)
        ordinary(proxy.port)
        bodies(proxy.port)
        slow(proxy.port, backend)
        deaths(proxy.port)
        tunnels(proxy.port)
        served = counted(backend.port)
        now = proxy.now()
        check("each request is counted once, also one that was sent twice", now["begun"] == served - now["repeated"], now["repeated"] == 2 or now["repeated"] == 1,
              now["begun"] > 80)
        refusals(proxy.port, backend.port)
        mistakes(proxy.port)
        strangers(proxy.port)
        last = proxy.stop()
        check("what is no HTTP/1.1 is named", last["spoken_6"] == 2, last["spoken_5"] >= 1)
        check("each that was begun was ended once", last["told_begun"] == last["told_ended"] == last["begun"], last["wrong"] == 0,
              last["tunnels"] == 2, last["refused"] > 30)
        held(backend)
        relayed()
        held_relay()
        crowds(backend.port)
        lateness(backend.port)
        poked()
    finally:
        os.kill(backend.process.pid, signal.SIGCONT)
        backend.process.kill()
    print("1..%d" % done)
    sys.exit(failed > 0)


main()
