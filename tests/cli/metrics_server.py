#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# An exporter whose raw observations are known, and a server that answers wrongly in many ways.
#   metrics_server.py PORT_FILE OBSERVATIONS
# /metrics is a page of OpenMetrics about the numbers (seconds) in the file OBSERVATIONS, one a line
# behind the method it is of. /bad/KIND/... answers as KIND says.
import http.server, json, os, sys, time

BOUNDS = [0.005, 0.01, 0.1, 1, 2.5, 10]


def page():
    lines, counts, sums = ["# TYPE rpc_seconds histogram"], {}, {}
    for line in open(sys.argv[2]):
        method, value = line.split()
        rows = counts.setdefault(method, [0] * (len(BOUNDS) + 1))
        sums[method] = sums.get(method, 0) + float(value)
        for i, bound in enumerate(BOUNDS + [float("inf")]):
            rows[i] += float(value) <= bound
    for method, rows in sorted(counts.items()):
        for bound, count in zip([str(b) for b in BOUNDS] + ["+Inf"], rows):
            lines.append(f'rpc_seconds_bucket{{method="{method}",le="{bound}"}} {count}')
        lines.append(f'rpc_seconds_sum{{method="{method}"}} {sums[method]}')
        lines.append(f'rpc_seconds_count{{method="{method}"}} {rows[-1]}')
    return "\n".join(lines + ["# EOF\n"]).encode()


def series(le, points, label="x"):
    name = {"__name__": "rpc_seconds_bucket", "job": label, "le": le}
    return {"metric": name, "values" if isinstance(points[0], list) else "value": points}


def answer(kind, result):
    return json.dumps({"status": "success", "data": {"resultType": kind, "result": result}}).encode()


def many(wfile):
    wfile.write(b'{"status":"success","data":{"resultType":"vector","result":[')
    for i in range(1000000):
        wfile.write(b'{"metric":{"__name__":"rpc_seconds_bucket","le":"+Inf","i":"%d"},"value":[1,"1"]},' % i)


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def reply(self, body, code=200, kind="application/json", **headers):
        self.send_response(code)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(headers.pop("length", len(body))))
        for key, value in headers.items():
            self.send_header(key, value)
        self.end_headers()
        self.wfile.write(body)

    def bad(self, kind, path):
        window = "query_range" in path
        if kind == "html":
            self.reply(b"<!DOCTYPE html><title>Sign in</title>", kind="text/html")
        elif kind == "500":
            self.reply(b"oh", 500, "text/plain")
        elif kind == "explained":
            self.reply(b'{"status":"error","errorType":"bad_data","error":"parse error: unexpected }"}', 400)
        elif kind == "cut":
            self.reply(answer("vector", [series("+Inf", [1, "9"])])[:-20])
        elif kind == "short":
            self.reply(b'{"status":"succ', length=1000)
        elif kind == "redirect":
            self.reply(b"", 302, Location="http://elsewhere.invalid/login")
        elif kind == "nan":
            self.reply(answer("vector", [series("+Inf", [1, "NaN"])]))
        elif kind == "empty":
            self.reply(b"")
        elif kind == "reset":
            points = [[1700000000, "9"], [1700000010, "2"], [1700000020, "30"]]
            self.reply(answer("matrix", [series("+Inf", points)]) if window else answer("vector", [series("+Inf", [1700000020, "30"])]))
        elif kind == "late":
            self.reply(answer("matrix", [series("+Inf", [[1700000010, "2"]])]) if window else answer("vector", [series("+Inf", [1700000020, "30"])]))
        elif kind == "slow":
            self.send_response(200)
            self.end_headers()
            time.sleep(3600)
        else:  # without an end, or with very many series
            self.send_response(200)
            self.end_headers()
            many(self.wfile)
            while kind == "endless":
                self.wfile.write(b" " * 65536)

    def do_GET(self):
        try:
            if self.path.startswith("/bad/"):
                self.bad(self.path.split("/")[2], self.path)
            else:
                self.reply(page(), kind="application/openmetrics-text; version=1.0.0; charset=utf-8")
        except (BrokenPipeError, ConnectionResetError):
            pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True


server = Server(("127.0.0.1", 0), Handler)
with open(sys.argv[1] + ".new", "w") as port:
    port.write(str(server.server_address[1]))
os.rename(sys.argv[1] + ".new", sys.argv[1])
server.serve_forever()
