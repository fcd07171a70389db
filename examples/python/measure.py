#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Recording from Python: the C library by ctypes, and a small program that uses it.

    make && examples/python/measure.py --out DIR [--rounds 1000]
    build/tailproof record --out DIR -- examples/python/measure.py    the same, collected

A client thread asks, a server thread answers over a socket; both record into one store:

    Ask, Answer       their steps
    d.Question        the question's delay, from the stamp that it carries
    d.Reply           the answer's
    round             what the client sees

Then `build/tailproof import --out DIR/components DIR/store` makes histograms of it.
"""
import argparse
import ctypes
import os
import socket
import sys
import threading

ARGUMENTS = 7
STAMP_BYTES = 48


class Options(ctypes.Structure):
    _fields_ = [
        ("folder", ctypes.c_char_p),
        ("node", ctypes.c_char_p),
        ("log_records", ctypes.c_uint32),
        ("clock", ctypes.c_uint32),
    ]


class Event(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_int32),
        ("instance", ctypes.c_uint32),
        ("start", ctypes.c_uint64),
        ("end", ctypes.c_uint64),
        ("count", ctypes.c_uint32),
        ("arguments", ctypes.c_int32 * ARGUMENTS),
    ]


Stamp = ctypes.c_ubyte * STAMP_BYTES
Store = ctypes.c_void_p
Writer = ctypes.c_void_p

# function: result, arguments
FUNCTIONS = {
    "tailproof_open": (ctypes.c_int, [ctypes.POINTER(Store), ctypes.POINTER(Options)]),
    "tailproof_close": (ctypes.c_int, [Store]),
    "tailproof_error": (ctypes.c_char_p, []),
    "tailproof_path": (ctypes.c_char_p, [Store]),
    "tailproof_component": (ctypes.c_int, [Store, ctypes.c_char_p]),
    "tailproof_message": (ctypes.c_int, [Store] + [ctypes.c_char_p] * 3),
    "tailproof_request": (ctypes.c_int, [Store, ctypes.c_char_p]),
    "tailproof_writer_open": (Writer, [Store]),
    "tailproof_now": (ctypes.c_uint64, [Writer]),
    "tailproof_end": (ctypes.c_uint64, [Writer, ctypes.c_int, ctypes.c_uint64]),
    "tailproof_record": (ctypes.c_int, [Writer, ctypes.POINTER(Event)]),
    "tailproof_send_at": (None, [Writer, ctypes.POINTER(Event), ctypes.c_uint64, Stamp]),
    "tailproof_arrive": (ctypes.c_int, [Writer, ctypes.POINTER(Event), Stamp]),
}


def load():
    """The shared library: TAILPROOF_LIBRARY, the tree's own, or the installed one."""
    here = os.path.dirname(os.path.abspath(__file__))
    built = os.path.join(here, "../../build/libtailproof-measure.so.1")
    name = os.environ.get("TAILPROOF_LIBRARY", built if os.path.exists(built) else "libtailproof-measure.so.1")
    library = ctypes.CDLL(name)
    for function, (result, arguments) in FUNCTIONS.items():
        getattr(library, function).restype = result
        getattr(library, function).argtypes = arguments
    return library


def checked(library, result):
    """A number >= 0 or a pointer as it is; else an exception with the library's own line."""
    if result is None or result < 0:
        raise OSError(library.tailproof_error().decode())
    return result


class Peer:
    """One end of the conversation: a socket, a writer, the names."""

    def __init__(self, library, store, names, end, sends, receives, step):
        self.library, self.names, self.end = library, names, end
        self.sends, self.receives, self.step = sends, receives, step
        # a writer belongs to one thread; opened after the names, so that no recording waits
        self.writer = checked(library, library.tailproof_writer_open(store))

    def send(self, number, start):
        """Ends the step that began at `start` and sends; one reading ends the one and begins the
        other."""
        sent = self.library.tailproof_end(self.writer, self.names[self.step], start)
        stamp = Stamp()
        event = Event(name=self.names[self.sends], instance=number)
        self.library.tailproof_send_at(self.writer, ctypes.byref(event), sent, stamp)
        self.end.send(bytes(stamp))
        return sent

    def receive(self, number):
        """When the message was there."""
        packet = self.end.recv(STAMP_BYTES)
        event = Event(name=self.names[self.receives], instance=number)
        event.end = self.library.tailproof_now(self.writer)
        stamp = Stamp.from_buffer_copy(packet)
        checked(self.library, self.library.tailproof_arrive(self.writer, ctypes.byref(event), stamp))
        return event.end


def serve(peer, rounds):
    for number in range(rounds):
        peer.send(number, peer.receive(number))


def ask(peer, rounds):
    start = peer.library.tailproof_now(peer.writer)
    for number in range(rounds):
        peer.send(number, start)
        end = peer.receive(number)
        event = Event(name=peer.names["round"], instance=number, start=start, end=end)
        checked(peer.library, peer.library.tailproof_record(peer.writer, ctypes.byref(event)))
        start = end


def run(library, store, rounds):
    names = {
        "Ask": library.tailproof_component(store, b"Ask"),
        "Answer": library.tailproof_component(store, b"Answer"),
        "Question": library.tailproof_message(store, b"Question", b"d", None),
        "Reply": library.tailproof_message(store, b"Reply", b"d", None),
        "round": library.tailproof_request(store, b"round"),
    }
    for name in names.values():
        checked(library, name)
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    client = Peer(library, store, names, ours, "Question", "Reply", "Ask")
    server = Peer(library, store, names, theirs, "Reply", "Question", "Answer")
    thread = threading.Thread(target=serve, args=(server, rounds))
    thread.start()
    ask(client, rounds)
    thread.join()


def main():
    parser = argparse.ArgumentParser(description="Records a conversation of two threads.")
    parser.add_argument("--out", help="folder; gets store/ (without: $TAILPROOF_STORE, else ./tailproof-store)")
    parser.add_argument("--rounds", type=int, default=1000)
    options = parser.parse_args()
    try:
        library = load()
    except OSError as error:
        print(f"measure.py: {error}; build the library with make, or name it in TAILPROOF_LIBRARY", file=sys.stderr)
        sys.exit(69)
    store = Store()
    folder = os.path.join(options.out, "store").encode() if options.out else None
    try:
        if options.out:
            os.makedirs(options.out, exist_ok=True)
        checked(library, library.tailproof_open(ctypes.byref(store), ctypes.byref(Options(folder=folder, node=b"python"))))
        run(library, store, options.rounds)
        print(library.tailproof_path(store).decode())
        checked(library, library.tailproof_close(store))
    except OSError as error:
        print(f"measure.py: {error}", file=sys.stderr)
        sys.exit(70)


if __name__ == "__main__":
    main()
