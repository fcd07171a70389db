#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Client and worker of beanstalkd, with nothing between the calls of send and recv:

    client.py --port 11300 --jobs 300 --rate 50      puts jobs at a rate, and takes their results
    client.py --port 11300 --work --number 0         takes jobs, and puts their results

A job is its number, in eight digits; its result is the same number.
"""
import argparse
import hashlib
import random
import socket
import threading
import time


class Connection:
    def __init__(self, port):
        self.socket = socket.create_connection(('127.0.0.1', port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def ask(self, text):
        self.socket.sendall(text)
        return self.socket.recv(1024)

    def put(self, job):
        assert self.ask(b'put 0 0 600 8\r\n%s\r\n' % job).startswith(b'INSERTED')

    def take(self):
        """A job; no number where the queue has ended."""
        answer = self.ask(b'reserve\r\n')
        if answer == b'':
            return None, None
        verb, number, _ = answer.split(b'\r\n')[0].split(b' ')
        assert verb == b'RESERVED', answer
        return number, answer.split(b'\r\n')[1]

    def delete(self, number):
        assert self.ask(b'delete %s\r\n' % number) == b'DELETED\r\n'


def work(port):
    connection = Connection(port)
    connection.ask(b'watch jobs\r\n')
    connection.ask(b'ignore default\r\n')
    connection.ask(b'use results\r\n')
    while True:
        number, job = connection.take()
        if number is None:
            return
        hashlib.pbkdf2_hmac('sha256', job, b'salt', 1000)
        connection.put(job)
        connection.delete(number)


def take_results(port, jobs):
    connection = Connection(port)
    connection.ask(b'watch results\r\n')
    connection.ask(b'ignore default\r\n')
    for _ in range(jobs):
        connection.delete(connection.take()[0])


def put_jobs(port, jobs, rate):
    results = threading.Thread(target=take_results, args=(port, jobs))
    results.start()
    connection = Connection(port)
    connection.ask(b'use jobs\r\n')
    due = time.monotonic()
    for number in range(jobs):
        due += random.expovariate(rate)
        time.sleep(max(0, due - time.monotonic()))
        connection.put(b'%08d' % number)
    results.join()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--port', type=int, required=True)
    parser.add_argument('--work', action='store_true')
    parser.add_argument('--number', help='of the worker, so that its command line tells it apart')
    parser.add_argument('--jobs', type=int, default=300)
    parser.add_argument('--rate', type=float, default=50)
    options = parser.parse_args()
    if options.work:
        work(options.port)
    else:
        put_jobs(options.port, options.jobs, options.rate)


main()
