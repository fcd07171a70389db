#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Real services that wait, behind proxies: one whose answers are held has its pauses and is never stopped, another is stopped.
# TEST_ALL. How fast anything is is not looked at.
. "$(dirname "$0")/tap.sh"
cd "$scratch" || exit 1
export TMPDIR=$scratch
if [ -z "${TEST_ALL:-}" ]; then
  echo "ok 1 - left out: real services whose answers are held (TEST_ALL=1, or make test-all)"
  echo "1..1"
  exit 0
fi
first=$(free_ports 6)
read -r a b web pa pb pweb <<<"$(seq -s ' ' "$first" $((first + 5)))"
cat >service.py <<'END'
import http.client, http.server, signal, sys, threading, time
port, work, workers, asks = int(sys.argv[1]), float(sys.argv[2]), threading.Semaphore(int(sys.argv[3])), sys.argv[4:]
kept = threading.local()
def ask(other):
    if not hasattr(kept, other):
        setattr(kept, other, http.client.HTTPConnection("127.0.0.1", int(other)))
    getattr(kept, other).request("GET", "/")
    getattr(kept, other).getresponse().read()
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version, wbufsize = "HTTP/1.1", -1
    def do_GET(self):
        if work:
            with workers:
                time.sleep(work)
        for other in asks:
            ask(other)
        self.send_response(200)
        self.send_header("Content-Length", "3")
        self.end_headers()
        self.wfile.write(b"ok\n")
    def log_message(self, *_):
        pass
class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 128
signal.signal(signal.SIGCONT, lambda *_: open(f"continued-{port}", "w").close())
if __name__ == "__main__":
    Server(("127.0.0.1", port), Handler).serve_forever()
END
cat >load.py <<'END'
import http.client, sys, threading
def user():
    client = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]))
    while True:
        try:
            client.request("GET", "/")
            client.getresponse().read()
        except OSError:
            client.close()
for _ in range(24):
    threading.Thread(target=user).start()
END
cat >plan.yaml <<END
entry: web
load: python3 load.py $pweb
pause: signal
services:
  - {name: a, command: python3 service.py $a 0.01 1, proxy: "127.0.0.1:$pa=127.0.0.1:$a"}
  - {name: b, command: python3 service.py $b 0.02 3, proxy: "127.0.0.1:$pb=127.0.0.1:$b", slow: hold, workers: 3}
  - {name: web, command: python3 service.py $web 0 1 $pa $pb, proxy: "127.0.0.1:$pweb=127.0.0.1:$web", slow: freeze}
targets: [a]
levels: [40]
warmup: 50ms
window: 300ms
repetitions: {least: 1, most: 1}
precision: 99%
budget: 60s
END
run whatif throughput plan.yaml --json --journal journal.jsonl
service() { json "map(select(.kind == \"profile\"))[0].services | map(select(.service == \"$1\"))[0] | $2"; }
check "answers are held of whom the plan says so" '[ "$status" -eq 0 ] || [ "$status" -eq 2 ]' \
  'service b ".slow == \"hold\" and .holders == 3"' 'service web ".slow == \"freeze\" and .holders == null"'
check "pauses are had" 'jq -se "map(select(.kind == \"window\" and .change == \"a 40 %\")) | any(.realised_ns > 0)" journal.jsonl >/dev/null'
check "by stopping who is stopped, and nobody whose answers are held" '[ -e "continued-$web" ]' '[ ! -e "continued-$b" ]'
sed 's/slow: freeze/slow: down/' plan.yaml >wrong.yaml
run whatif throughput wrong.yaml
check "a plan that slows otherwise is refused" 'exits 65' 'err "services, web, slow: \"down\" where hold or freeze is expected"'
sed '/name: b/s/proxy: [^,]*,/counted_by: web,/' plan.yaml >bare.yaml
run whatif throughput bare.yaml
check "and one that holds answers at no proxy" 'exits 65' 'err "answers are held at a proxy or a relay"'
finish
