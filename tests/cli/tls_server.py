#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Servers over TLS, one for each certificate, which answer as the path says:

    tls_server.py FOLDER NAME...     serves FOLDER/NAME.pem with NAME.key; the port goes into FOLDER/NAME.port

NAME "good" would rather speak HTTP/2, if a client can; "page" has its certificate, and cannot. "late" has the certificate of "good", and 0.2 s pass before it shakes hands; "mutual" asks for a certificate; "plain" speaks
no TLS. FOLDER/asked has a line for each request: NAME, the name that TLS was told, the protocol that was agreed on, the request.
"""
import os
import socket
import ssl
import struct
import sys
import threading
import time

FOLDER = sys.argv[1]
LOCK = threading.Lock()
METRICS = b"# TYPE a_seconds histogram\n" + b"".join(
    b'a_seconds_bucket{le="%s"} %d\n' % (le, n) for le, n in ((b"0.01", 40), (b"0.1", 90), (b"+Inf", 100))) + b"a_seconds_count 100\n"


def head(length):
    return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % length


def request(stream):
    """The request's first line, or None at the end."""
    lines = []
    while True:
        line = stream.readline()
        if not line:
            return None
        if line == b"\r\n":
            break
        lines.append(line.decode(errors="replace").strip())
        if len(lines[0].split()) != 3:
            return "none"
    length = [x.split()[1] for x in lines if x.lower().startswith("content-length:")]
    stream.read(int(length[0]) if length else 0)
    return lines[0] if lines else None


def cut(connection):
    """The end of the bytes, without the word that TLS has for it."""
    os.close(connection.detach())


def talk(name, raw, context, told):
    connection = raw
    if context is not None:
        if name == "late":
            time.sleep(0.2)
        connection = context.wrap_socket(raw, server_side=True)
    stream, answered = connection.makefile("rb", buffering=0), 0
    while (first := request(stream)) is not None:
        if first == "none":  # is no HTTP
            connection.sendall(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")
            break
        path = first.split()[1]
        agreed = connection.selected_alpn_protocol() if context else None
        with LOCK, open(FOLDER + "/asked", "a", encoding="ascii") as asked:
            print(name, told.get(connection), agreed, first, file=asked)
        if path.startswith("/once") and answered == 1:  # as if it had closed the idle connection just before
            break
        answered += 1
        if path == "/metrics":
            connection.sendall(head(len(METRICS)) + METRICS)
        elif path == "/large":
            connection.sendall(head(3000000) + b"x" * 3000000)
        elif path in ("/until-end", "/cut", "/reset"):
            connection.sendall(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + b"x" * 1000)
            if path == "/reset":
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            if path in ("/cut", "/reset"):
                stream.close()
                return cut(connection)
            break
        else:
            connection.sendall(head(2) + b"ok")
    stream.close()
    if context is not None:
        try:
            connection.unwrap()
        except (OSError, ValueError):
            pass
    connection.close()


def guarded(*arguments):
    try:
        talk(*arguments)
    except OSError:  # a client that went away, or would not shake hands
        arguments[1].close()


def serve(name, listener):
    context, told = None, {}
    if name != "plain":
        certificate = FOLDER + "/" + {"late": "good", "mutual": "good", "page": "good"}.get(name, name)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate + ".pem", certificate + ".key")
        context.set_alpn_protocols(["h2", "http/1.1"] if name == "good" else ["http/1.1"])
        context.sni_callback = lambda connection, host, _: told.__setitem__(connection, host)
        if name == "mutual":
            context.verify_mode = ssl.CERT_REQUIRED
            context.load_verify_locations(FOLDER + "/ca.pem")
    while True:
        raw, _ = listener.accept()
        threading.Thread(target=guarded, args=(name, raw, context, told), daemon=True).start()


for name in sys.argv[2:]:
    listener = socket.create_server(("127.0.0.1", 0), backlog=200)
    with open(f"{FOLDER}/{name}.making", "w", encoding="ascii") as file:
        print(listener.getsockname()[1], file=file)
    os.rename(f"{FOLDER}/{name}.making", f"{FOLDER}/{name}.port")
    threading.Thread(target=serve, args=(name, listener), daemon=name != sys.argv[-1]).start()
