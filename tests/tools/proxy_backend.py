#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A service for the tests of the counting proxy: what it does depends on the path. Prints its port,
which may be given.

Each answer says in X-Connection which of its connections it came over. /count, asked directly,
gives the number of requests so far (itself not among them), /sent how many bytes of /big went out.
"""
import itertools
import random
import resource
import socket
import struct
import sys
import threading

count = 0
sent = 0
lock = threading.Lock()
numbers = itertools.count(1)


class Reader:
    def __init__(self, connection):
        self.connection = connection
        self.held = b""

    def until(self, end):
        while end not in self.held:
            more = self.connection.recv(65536)
            if not more:
                raise EOFError
            self.held += more
        part, self.held = self.held.split(end, 1)
        return part

    def exactly(self, size):
        while len(self.held) < size:
            more = self.connection.recv(65536)
            if not more:
                raise EOFError
            self.held += more
        part, self.held = self.held[:size], self.held[size:]
        return part

    def body(self, fields):
        """The body and its trailers."""
        if fields.get("transfer-encoding") == "chunked":
            parts = []
            while True:
                size = int(self.until(b"\r\n"), 16)
                if size == 0:
                    break
                parts.append(self.exactly(size))
                assert self.exactly(2) == b"\r\n"
            trailers = []
            while True:
                line = self.until(b"\r\n")
                if not line:
                    return b"".join(parts), trailers
                trailers.append(line)
        return self.exactly(int(fields.get("content-length", "0"))), []


def die(connection):
    """So that the other side sees an error, not an end."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    raise EOFError


def big(connection, megabytes, mark):
    global sent
    block = bytes(range(256)) * 4096
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n%s\r\n" % (megabytes << 20, mark))
    for _ in range(megabytes):
        connection.sendall(block)
        sent += len(block)


def raw_answer(path, mark):
    """Answers that are the same bytes each time; None: there is none for the path."""
    if path.startswith("/status/"):
        return b"HTTP/1.1 %s Said\r\nContent-Length: 2\r\n%s\r\nno" % (path[8:].encode(), mark)
    return {
        "/chunked": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n" + mark + b"\r\n5;x=y\r\nhello\r\n6\r\n world\r\n0\r\nSum: 11\r\n\r\n",
        "/head": b"HTTP/1.1 200 OK\r\nContent-Length: 1234\r\n" + mark + b"\r\n",
        "/204": b"HTTP/1.1 204 No Content\r\n" + mark + b"\r\n",
        "/304": b"HTTP/1.1 304 Not Modified\r\nContent-Length: 77\r\n" + mark + b"\r\n",
        "/interim": b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n" + mark + b"\r\nok",
        "/twice": b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n" + mark + b"\r\nokHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil",
        "/hop": b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: X-Hop, keep-alive\r\nX-Hop: 1\r\nKeep-Alive: timeout=9\r\nSet-Cookie: a=b\r\nSet-Cookie: c=d\r\n" + mark + b"\r\nok",
        "/both": b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "/garbage": b"this is no HTTP\r\n\r\n",
        "/gzip": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
    }.get(path)


# What ends the connection afterwards.
CLOSING = {
    "/close": b"HTTP/1.0 200 OK\r\nX-Old: 1\r\n\r\nuntil the end",
    "/short": b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this",
    "/unchunked": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nonly this\r\n",
    "/none": b"",
}


def damaged(connection, seed):
    source = random.Random(seed)
    data = bytearray(source.choice((raw_answer("/chunked", b""), raw_answer("/hop", b""), raw_answer("/interim", b""), CLOSING["/close"])))
    for _ in range(source.randrange(1, 12)):
        data[source.randrange(len(data))] = source.choice((source.randrange(256), 10, 13, 48, 49, 58, 32))
    while data:
        size = source.randrange(1, 60)
        connection.sendall(data[:size])
        del data[:size]
    raise EOFError


def answer(connection, reader, path, head, fields, number):
    mark = b"X-Connection: %d\r\n" % number
    if path.startswith("/big/"):
        return big(connection, int(path[5:]), mark)
    if path.startswith("/damaged/"):
        return damaged(connection, int(path[9:]))
    if path == "/early":  # before the body
        connection.sendall(b"HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\n\r\nbig")
        raise EOFError
    if path == "/reset":
        connection.sendall(b"HTTP/1.0 200 OK\r\n\r\nonly this")
        threading.Event().wait(0.2)
        die(connection)
    if path == "/upgrade":
        connection.sendall(b"HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: echo\r\n\r\nhi")
    if path == "/tunnel:1":
        connection.sendall(b"HTTP/1.1 200 Connected\r\n\r\nhi")
    if path in ("/upgrade", "/tunnel:1"):
        data = reader.held or connection.recv(65536)
        while data:
            connection.sendall(data)
            data = connection.recv(65536)
        connection.sendall(b"bye")
        raise EOFError
    if path == "/hang":
        connection.recv(1)
        raise EOFError
    if fields.get("expect") == "100-continue":
        connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
    body, trailers = reader.body(fields)
    if path in CLOSING:
        connection.sendall(CLOSING[path])
        raise EOFError
    raw = raw_answer(path, mark)
    if raw is not None:
        return connection.sendall(raw)
    if path == "/saw":  # the head, and the trailers
        body = head + b"\r\n\r\n" + b"\r\n".join(trailers)
    elif path != "/echo":
        body = b"hello " + path.encode()
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n%s\r\n" % (len(body), mark) + body)
    if path == "/last":  # closes a connection that it said it would keep
        raise EOFError


def serve(connection, number):
    global count
    reader = Reader(connection)
    try:
        while True:
            head = reader.until(b"\r\n\r\n")
            lines = head.decode("latin-1").split("\r\n")
            path = lines[0].split(" ")[1]
            path = "/" + path.removeprefix("http://other").lstrip("/")
            if path in ("/count", "/sent"):
                text = b"%d" % (count if path == "/count" else sent)
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(text) + text)
                continue
            with lock:
                count += 1
            fields = {name.lower(): value.strip() for name, value in (line.split(":", 1) for line in lines[1:])}
            answer(connection, reader, path, head, fields, number)
    except (EOFError, OSError):
        pass
    finally:
        connection.close()


def main():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, hard), hard))
    threading.stack_size(256 * 1024)
    listener = socket.create_server(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 0), backlog=1024)
    print(listener.getsockname()[1], flush=True)
    while True:
        connection, _ = listener.accept()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        threading.Thread(target=serve, args=(connection, next(numbers)), daemon=True).start()


main()
