# SPDX-License-Identifier: GPL-3.0-or-later
"""For gunicorn: WORK us for each request, MODE sleep, spin (until the time is over) or sum (N additions); then an EVAL of
REDIS_N steps of the Redis server at port REDIS, or a query of PG_N rows of the PostgreSQL server at PG (a connection string)."""
import os
import threading
import time

WORK = float(os.environ.get("WORK", "0")) / 1e6
MODE = os.environ.get("MODE", "sleep")
N = int(os.environ.get("N", "0"))
SCRIPT = "local s=0 for i=1,ARGV[1] do s=s+i end return s"
QUERY = "select sum(sqrt(i)) from generate_series(1, %s) as i"
store, own = None, threading.local()
if os.environ.get("REDIS"):
    import redis
    store = redis.Redis(port=int(os.environ["REDIS"]))
if os.environ.get("PG"):
    import psycopg2


def busy():
    if MODE == "sum":
        x = 1.1
        for _ in range(N):
            x = x * 1.0000001 + 1e-9
    elif MODE == "spin":
        end = time.perf_counter() + WORK
        while time.perf_counter() < end:
            pass
    elif WORK > 0:
        time.sleep(WORK)


def query():
    if not hasattr(own, "cursor"):
        connection = psycopg2.connect(os.environ["PG"])
        connection.autocommit = True
        own.cursor = connection.cursor()
    own.cursor.execute(QUERY, (int(os.environ["PG_N"]),))
    own.cursor.fetchone()


def app(_environ, start):
    busy()
    if store:
        store.eval(SCRIPT, 0, os.environ["REDIS_N"])
    if os.environ.get("PG"):
        query()
    start("200 OK", [("Content-Type", "text/plain"), ("Content-Length", "3")])
    return [b"ok\n"]
