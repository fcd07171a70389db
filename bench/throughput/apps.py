# SPDX-License-Identifier: GPL-3.0-or-later
"""The applications of scripts/evaluate_throughput_real.py: software of Debian and npm (nginx, HAProxy, gunicorn, Express,
Node.js, Go's net/http, Redis, PostgreSQL), and services in it that work for a time that is a parameter of theirs."""
import os
import pathlib

HERE = pathlib.Path(__file__).resolve().parent
BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
SVC = f"{BUILD}/bench/throughput/svc"
MODULES = f"{BUILD}/field/node_modules"
POSTGRES = "/usr/lib/postgresql/15/bin"
LUA = "local s=0 for i=1,ARGV[1] do s=s+i end return s"


class Service:
    """`command(at, share)` is how it is started when it works for `share` of its time: `at` says where things are
    (Places). `keys` are further keys of the plan. A service that cannot be made faster is never a target."""

    def __init__(self, name, command, keys="", through="proxy", alone=None, settle=None):
        self.name, self.command, self.keys, self.through = name, command, keys, through
        self.alone = alone    # what measures the throughput of a store alone: (at, share) -> a shell command that prints it
        self.settle = settle  # prepares a folder of its own before it starts: (folder, at)


class App:
    """The entry is "front", else "web". `questions`: (targets, levels), or (None, "a=40%,b=40%") for services that are faster together; one run each."""

    def __init__(self, name, kind, users, services, questions, outside=()):
        self.name, self.kind, self.users, self.services, self.questions = name, kind, users, services, questions
        self.entry = "front" if any(one.name == "front" for one in services) else "web"
        self.outside = outside  # services that run, but are not in the plan

    def pairs(self):
        for targets, levels in self.questions:
            if targets is None:
                yield levels, dict(part.rstrip("%").split("=") for part in levels.split(","))
            else:
                for target in targets:
                    for level in levels:
                        yield f"{target} {level} %", {target: level}


def go(name, work=0, asks=(), keys="", lock=0, more="", **settings):
    """Work in us; the URLs that it asks are those of services, or ports."""
    def command(at, share):
        flags = "".join(f" -{key} {value}" for key, value in settings.items())
        locked = f" -lockwork {lock * share:.0f}us" if lock else ""
        asked = at.urls(asks)
        return (f"{SVC} -port {at.port(name)} -work {work * share:.0f}us{flags}{locked}{more}"
                + (f" -next {asked}" if asked else ""))
    return Service(name, command, keys)


def gunicorn(name, workers, work=0, mode="sleep", additions=0, redis=None, postgres=None, threads=1, keys=""):
    """redis: (service, steps); postgres: (service, rows)."""
    def command(at, share):
        env = f"WORK={work * share:.0f} MODE={mode} N={additions * share:.0f}"
        if redis and not at.alone:
            env += f" REDIS={at.called(redis[0]).split(':')[1]} REDIS_N={redis[1] * at.share(redis[0]):.0f}"
        if postgres and not at.alone:
            host, port = at.called(postgres[0]).split(":")
            env += f" 'PG=host={host} port={port} user=postgres dbname=postgres' PG_N={postgres[1] * at.share(postgres[0]):.0f}"
        kind = f"-k gthread --threads {threads}" if threads > 1 else ""
        return (f"env {env} gunicorn -w {workers} {kind} -b 127.0.0.1:{at.port(name)} --chdir {HERE} --backlog 1024 "
                "--log-level error wsgi:app")
    return Service(name, command, keys)


def express(name, mode="spin", work=0, additions=0, asks=(), redis=None, keys=""):
    def command(at, share):
        env = (f"NODE_PATH={MODULES} PORT={at.port(name)} MODE={mode} WORK={work * share:.0f} N={additions * share:.0f}"
               f" NEXT={at.urls(asks)}")
        if redis and not at.alone:
            env += f" REDIS={at.called(redis[0]).split(':')[1]} REDIS_N={redis[1] * at.share(redis[0]):.0f}"
        return f"env {env} node {HERE}/express.js"
    return Service(name, command, keys)


def plain(name, additions):
    return Service(name, lambda at, share: f"env PORT={at.port(name)} N={additions * share:.0f} node {HERE}/plain.js")


def nginx(name, asks, keys=""):
    def command(at, _):
        path = at.folder / f"{name}.conf"
        path.write_text(f"""daemon off; worker_processes 1; pid {at.folder}/{name}.pid; error_log {at.folder}/{name}.log;
events {{ worker_connections 1024; }}
http {{ access_log off; upstream app {{ server {at.called(asks)}; keepalive 64; }}
 server {{ listen 127.0.0.1:{at.port(name)};
  location / {{ proxy_http_version 1.1; proxy_set_header Connection ""; proxy_pass http://app; }} }} }}
""", encoding="utf-8")
        return f"nginx -e {at.folder}/{name}.log -c {path}"
    return Service(name, command, keys)


def haproxy(name, asks, keys=""):
    def command(at, _):
        path = at.folder / f"{name}.cfg"
        servers = "".join(f"  server s{i} {at.called(one)}\n" for i, one in enumerate(asks))
        path.write_text(f"""global
  nbthread 1
defaults
  mode http
  timeout client 60s
  timeout server 60s
  timeout connect 60s
frontend front
  bind 127.0.0.1:{at.port(name)}
  default_backend app
backend app
  balance roundrobin
{servers}""", encoding="utf-8")
        return f"haproxy -db -f {path}"
    return Service(name, command, keys)


def redis_server(name, steps, through="relay"):
    def alone(at, share):
        return (f"redis-benchmark -p {at.port(name)} -c 8 -n 400 --csv eval '{LUA}' 0 {steps * share:.0f} | "
                "tail -n 1 | cut -d'\"' -f4")
    return Service(name, lambda at, _: f"redis-server --port {at.port(name)} --bind 127.0.0.1 --save '' --dir {at.folder}",
                   through=through, alone=alone)


def postgres(name, rows, through="relay"):
    def settle(folder, at):
        data = folder / name
        if not data.exists():
            os.system(f"mkdir -p {data} && chown postgres {data} && cd / && runuser -u postgres -- {POSTGRES}/initdb -D {data} "
                      f"-A trust -N >{folder}/initdb.log 2>&1 && echo 'jit = off' >>{data}/postgresql.conf")
        (folder / "query.sql").write_text("select 1;", encoding="utf-8")

    def command(at, _):
        return (f"runuser -u postgres -- {POSTGRES}/postgres -D {at.folder}/{name} -p {at.port(name)} -h 127.0.0.1 "
                f"-k {at.folder}/{name}")

    def alone(at, share):
        return (f"echo 'select sum(sqrt(i)) from generate_series(1, {rows * share:.0f}) as i;' >{at.folder}/query.sql; "
                f"pgbench -n -h 127.0.0.1 -p {at.port(name)} -U postgres -f {at.folder}/query.sql -c 4 -T 1 postgres 2>&1 | "
                "sed -n 's/^tps = \\([0-9.]*\\) .*/\\1/p'")
    return Service(name, command, through=through, alone=alone, settle=settle)


def web(asks, work=1000, workers=8, keys="", **settings):
    return go("web", work, asks, keys, workers=workers, **settings)


A1 = {"work": 2000, "workers": 1}
STEPS = 240000  # of Redis, about 1.5 ms

APPS = [
    App("20 ms of sleep, 12 workers", "sleeps", 64,
        [go("a", **A1), go("b", 20000, workers=12), web(["a", "b"], 0, 1000)], [(["a"], [40, 70])]),
    App("a lock, asked at once", "sleeps, locks", 64,
        [go("a", 1000, workers=4, lock=2000), go("b", 10000, workers=16), web(["a", "b"], more=" -parallel")],
        [(["a", "b"], [20, 50])]),
    App("Redis in the plan, by a relay", "sleeps, a store", 32,
        [nginx("front", "web"), redis_server("redis", STEPS), gunicorn("web", 4, 4000, redis=("redis", STEPS))],
        [(["redis", "web"], [40])]),
    App("HAProxy, gunicorn, PostgreSQL", "computes, a store", 32,
        [haproxy("front", ["web"]), postgres("db", 20000),
         gunicorn("web", 4, mode="sum", additions=60000, postgres=("db", 20000))],
        [(["web", "db"], [40])]),
    App("all spin on 2 processors", "spins", 32,
        [go("a", 2000, mode="spin", workers=1), go("b", 1000, mode="spin", workers=1),
         web(["a", "b"], 300, 2, mode="spin")], [(["a", "b"], [20, 60])]),
    App("8 users", "sleeps, queues", 8,
        [go("a", **A1), go("b", 1000, workers=1), web(["a", "b"], 500)], [(["a", "b"], [60])]),
    App("gunicorn and Express", "sleeps, spins", 32,
        [gunicorn("cart", 2, 4000), express("price", "spin", 1000), web(["cart", "price"], keys="neighbours: [cart, price]")],
        [(["cart", "price", "web"], [20, 60])]),
    App("a saturated loop of Node.js", "computes", 128,
        [gunicorn("cart", 2, 4000), plain("price", 800000), web(["cart", "price"], keys="neighbours: [cart, price]")],
        [(["price"], [20, 40])]),
    App("nginx, Express, Redis", "computes, a store", 32,
        [nginx("front", "web"), redis_server("redis", 60000),
         express("web", "sum", additions=400000, redis=("redis", 60000))], [(["web", "redis"], [40])]),
    App("Redis outside of the plan", "sleeps, a store", 32,
        [nginx("front", "web", "neighbours: [web]"), gunicorn("web", 4, 4000, redis=("redis", STEPS))],
        [(["web"], [20, 40])], outside=[redis_server("redis", STEPS, None)]),
    App("5 ms of sleep, 3 workers", "sleeps", 64,
        [go("a", **A1), go("b", 5000, workers=3), web(["a", "b"], 0, 1000)], [(["a"], [70])]),
    App("8 users, time-outs and retries", "sleeps, retries", 8,
        [go("a", **A1), go("b", 1000, workers=1), web(["a", "b"], 500, timeout="28ms", retries=2)],
        [(["a"], [20, 60])]),
    App("two that limit together", "sleeps", 64,
        [go("a", **A1), go("b", **A1), web(["a", "b"], 0, 1000)], [(["a"], [40]), (None, "a=40%,b=40%")]),
    App("gunicorn and Go", "sleeps, spins", 32,
        [gunicorn("cart", 2, 4000), go("price", 1000, mode="spin", workers=1), web(["cart", "price"])],
        [(["cart"], [60])]),
    App("Express calls Go and Node.js", "computes", 32,
        [plain("price", 400000), go("tax", 1500, mode="sum", workers=1),
         express("web", "sum", additions=100000, asks=["price", "tax", "price"])],
        [(["price", "tax"], [40])]),
    App("threads of gunicorn", "computes, a lock", 24,
        [gunicorn("cart", 1, mode="sum", additions=40000, threads=8), go("price", 3000, workers=2),
         web(["cart", "price"], 0, 1000)], [(["cart", "price"], [40])]),
    App("20 ms of sleep, all stated", "sleeps", 64,
        [go("a", **A1, keys="work: 2.2ms, workers: 1"), go("b", 20000, workers=12, keys="work: 20.6ms, workers: 12"),
         web(["a", "b"], 0, 1000, keys="work: 1ms, workers: 64")], [(["a"], [70])]),
    App("1.7 ms of sleep, 1 worker", "sleeps", 64,
        [go("a", **A1), go("b", 1700, workers=1), web(["a", "b"], 0, 1000)], [(["a"], [70])]),
    App("Redis in the plan, not counted", "sleeps, a store", 32,
        [nginx("front", "web"), redis_server("redis", STEPS, None), gunicorn("web", 4, 4000, redis=("redis", STEPS))],
        [(["redis", "web"], [40])]),
    App("every answer is an error", "sleeps, fails", 32,
        [go("a", **A1), go("b", 20000, workers=12), web(["a", 1], 0, 1000)], [(["a"], [40])]),
]
