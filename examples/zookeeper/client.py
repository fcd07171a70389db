#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A client of ZooKeeper that writes, one request after the other, with nothing between the calls of send and recv:

    client.py --port 2181 --writes 3000

The wire format is org.apache.zookeeper.proto's: everything is a length and so many bytes, in network order.
"""
import argparse
import socket
import struct

CREATE, SET_DATA, EXISTS_ALREADY = 1, 5, -110


def sized(text):
    return struct.pack('>i', len(text)) + text


class Session:
    def __init__(self, port):
        self.socket = socket.create_connection(('127.0.0.1', port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.exchange(struct.pack('>iqiq', 0, 0, 30000, 0) + sized(bytes(16)) + b'\0')

    def exchange(self, request):
        self.socket.sendall(sized(request))
        answer = b''
        while len(answer) < 4 or len(answer) < 4 + struct.unpack('>i', answer[:4])[0]:
            more = self.socket.recv(4096)
            if not more:
                raise SystemExit('client.py: the server has closed the connection')
            answer += more
        return answer[4:]

    def call(self, number, kind, arguments, allowed=()):
        answer = self.exchange(struct.pack('>ii', number, kind) + arguments)
        same, _, error = struct.unpack('>iqi', answer[:16])
        if same != number or error != 0 and error not in allowed:
            raise SystemExit(f'client.py: request {number} was answered with error {error}')


def main():
    parser = argparse.ArgumentParser(description='writes to ZooKeeper, one request after the other')
    parser.add_argument('--port', type=int, required=True)
    parser.add_argument('--writes', type=int, required=True)
    options = parser.parse_args()
    session = Session(options.port)
    may = struct.pack('>ii', 1, 31) + sized(b'world') + sized(b'anyone')
    session.call(1, CREATE, sized(b'/item') + sized(b'') + may + struct.pack('>i', 0), (EXISTS_ALREADY,))
    for number in range(2, 2 + options.writes):
        session.call(number, SET_DATA, sized(b'/item') + sized(bytes(182)) + struct.pack('>i', -1))


main()
