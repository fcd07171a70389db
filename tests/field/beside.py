# SPDX-License-Identifier: GPL-3.0-or-later
"""What a service asks, on this machine: a name server, PostgreSQL, Redis. Each begins with its constructor, has `env` for those
that ask it, and ends with `end`; `usable` is false where this system cannot have it."""

import os
import pathlib
import shutil
import socket
import struct
import subprocess
import tempfile
import threading
import time


class Names:
    """A name server that tells each name's address at once, but that of `slow...` after 0.1 s. Programs that are started behind
    `before` ask it: they have an /etc/resolv.conf of their own, which takes root."""

    def __init__(self):
        self.env, self.folder, self.before = {}, pathlib.Path(tempfile.mkdtemp()), []
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            self.socket.bind(("127.0.0.53", 53))
            conf = self.folder / "resolv.conf"
            conf.write_text("nameserver 127.0.0.53\noptions timeout:20 attempts:1\n", encoding="ascii")
            mount = f'mount --bind {conf} /etc/resolv.conf && exec "$@"'
            self.before = ["unshare", "--mount", "sh", "-c", mount, "sh"]
            self.usable = subprocess.run([*self.before, "true"], check=False, stderr=subprocess.DEVNULL).returncode == 0
        except OSError:
            self.usable = False
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                question, who = self.socket.recvfrom(512)
            except OSError:
                return
            later = 0.1 if question[13:17] == b"slow" else 0
            threading.Timer(later, self.answer, (question, who)).start()

    def answer(self, question, who):
        kind = struct.unpack_from(">H", question, question.index(b"\0", 12) + 1)[0]
        end = question.index(b"\0", 12) + 5
        address = b"\xc0\x0c" + struct.pack(">HHIH", 1, 1, 0, 4) + bytes((127, 0, 0, 1)) if kind == 1 else b""
        head = question[:2] + struct.pack(">HHHHH", 0x8180, 1, 1 if address else 0, 0, 0)
        try:
            self.socket.sendto(head + question[12:end] + address, who)
        except OSError:
            pass  # it ended meanwhile

    def end(self):
        self.socket.close()
        shutil.rmtree(self.folder)


class Started:
    """A program that serves a socket in a folder of its own."""

    before = []

    def __init__(self, tools):
        self.usable, self.process = all(map(shutil.which, tools)), None
        self.folder = pathlib.Path(tempfile.mkdtemp())

    def await_socket(self, name):
        for _ in range(600):
            if (self.folder / name).exists():
                return
            time.sleep(0.1)
        raise RuntimeError(f"{self.process.args[0]} does not serve")

    def end(self):
        if self.process:
            self.process.terminate()
            self.process.wait()
        shutil.rmtree(self.folder)


class Postgres(Started):
    """PostgreSQL, which takes root to become its user."""

    def __init__(self):
        super().__init__(("initdb", "postgres", "su"))
        self.env = {"PGHOST": str(self.folder), "PGUSER": "postgres"}
        if not self.usable or os.geteuid() != 0:
            self.usable = False
            return
        shutil.chown(self.folder, "postgres")
        subprocess.run(["su", "postgres", "-c", f"initdb -A trust -D {self.folder}/data"], check=True, cwd="/", stdout=subprocess.DEVNULL)
        serve = f"exec postgres -D {self.folder}/data -k {self.folder} -c listen_addresses= -c fsync=off"
        self.process = subprocess.Popen(["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", "sh", "-c", serve], cwd="/",
                                        stderr=subprocess.DEVNULL)
        self.await_socket(".s.PGSQL.5432")


class Redis(Started):
    """Redis."""

    def __init__(self):
        super().__init__(("redis-server",))
        self.env = {"REDIS_SOCKET": str(self.folder / "redis.sock")}
        if self.usable:
            self.process = subprocess.Popen(["redis-server", "--port", "0", "--unixsocket", self.folder / "redis.sock", "--save", ""], cwd=self.folder,
                                            stdout=subprocess.DEVNULL)
            self.await_socket("redis.sock")
