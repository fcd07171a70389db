#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A server behind nginx, of Python's standard library. Its answer leaves in two pieces, the header and the page:

    upstream.py --address 127.0.0.2:9001 [--nagle]

--nagle leaves Nagle's algorithm on, as a server does that never heard of it: the second piece then waits until the first is
acknowledged, and who reads it has nothing to acknowledge it with for 40 ms.
"""
import argparse
import http.server

PAGE = b'<!doctype html><title>A page</title>' + b'.' * 800


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def do_GET(self):
        self.send_response(200)
        self.send_header('Content-Type', 'text/html')
        self.send_header('Content-Length', str(len(PAGE)))
        self.end_headers()
        self.wfile.write(PAGE)

    def log_message(self, *_):
        pass


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--address', required=True)
    parser.add_argument('--nagle', action='store_true')
    options = parser.parse_args()
    address, port = options.address.split(':')
    Handler.disable_nagle_algorithm = not options.nagle
    http.server.ThreadingHTTPServer((address, int(port)), Handler).serve_forever()


main()
