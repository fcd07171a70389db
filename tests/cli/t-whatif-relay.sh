#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# An application with a real Redis in the plan, counted by a relay: its calls are counted, and who is not in the plan is named.
# TEST_ALL with nginx and gunicorn, where they are installed. How fast anything is is not looked at.
. "$(dirname "$0")/tap.sh"
cd "$scratch" || exit 1
export TMPDIR=$scratch
command -v redis-server >/dev/null || { echo "not ok 1 - redis-server is missing (apt-get install redis-server)"; exit 69; }
first=$(free_ports 7)
read -r redis relay other web proxy nginx front <<<"$(seq -s ' ' "$first" $((first + 6)))"
# Two GETs of $REDIS for each request, in one pipeline, and one of $OTHER.
cat >app.py <<'END'
import os, socket, threading
pool = threading.local()
def ask(port, count):
    if not hasattr(pool, port):
        setattr(pool, port, socket.create_connection(("127.0.0.1", int(os.environ[port]))))
    store = getattr(pool, port)
    store.sendall(b"*2\r\n$3\r\nGET\r\n$1\r\nx\r\n" * count)
    held = b""
    while held.count(b"\r\n") < count:
        held += store.recv(4096)
def app(environ, start):
    ask("REDIS", 2)
    ask("OTHER", 1)
    start("200 OK", [("Content-Length", "3")])
    return [b"ok\n"]
if __name__ == "__main__":
    import http.server
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version, wbufsize = "HTTP/1.1", -1
        def do_GET(self):
            app(None, lambda *_: None)
            self.send_response(200)
            self.send_header("Content-Length", "3")
            self.end_headers()
            self.wfile.write(b"ok\n")
        def log_message(self, *_):
            pass
    http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()
END
cat >load.py <<'END'
import http.client, sys, threading, time
def user():
    client = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]))
    while True:
        try:
            client.request("GET", "/")
            client.getresponse().read()
        except OSError:
            client.close()
            time.sleep(0.05)
for _ in range(2):
    threading.Thread(target=user, daemon=True).start()
time.sleep(10000)
END
plan() { # OTHER
  cat <<END
entry: web
load: python3 load.py $proxy
services:
  - {name: redis, command: "redis-server --port $redis --save '' --bind 127.0.0.1", relay: "127.0.0.1:$relay=127.0.0.1:$redis"}
  - {name: web, command: "env PORT=$web REDIS=$relay OTHER=$1 python3 app.py", proxy: "127.0.0.1:$proxy=127.0.0.1:$web"}
targets: [web]
levels: [40]
warmup: 50ms
window: 200ms
repetitions: {least: 1, most: 1}
precision: 99%
budget: 30s
END
}
# On a busy machine too little of the load may come, or what is under way at the ends of a window counts: then another one is made.
tried() { # PLAN, expressions that must all be true in one of ten
  local try plan=$1 expression
  shift
  for ((try = 0; try < 10; try++)); do
    run whatif throughput "$plan" --json
    for expression; do eval "$expression" || continue 2; done
    return 0
  done
}
service() { json "map(select(.kind == \"profile\"))[0].services | map(select(.service == \"$1\"))[0] | $2"; }
redis-server --port "$other" --save '' --bind 127.0.0.1 >redis.log &
others=$!
trap 'kill $others; rm -rf "$scratch" "$scratch.cache"' EXIT
plan "$other" >outside.yaml
counted='service redis ".calls > 1.8 and .calls < 2.2"'
tried outside.yaml "$counted"
check "commands to Redis are counted by a relay, pipelined ones too" '[ "$status" -eq 0 ] || [ "$status" -eq 2 ]' "$counted" \
  'service redis ".relayed == \"RESP\""' 'service redis ".outside == \"\""'
check "a store that is not in the plan is named" "service web '.outside == \"127.0.0.1:$other (redis-server)\"'" 'service web ".past == \"\""'
check "and predictions without it are none" 'json "map(select(.kind == \"prediction\"))[0] | .answer | . == \"between\" or . == \"cannot tell\""'
if [ -n "${TEST_ALL:-}" ]; then
  { plan "$other" && echo "not_waited_for: ['127.0.0.1:$other']"; } >unwaited.yaml
  run whatif throughput unwaited.yaml --json
  check "unless the plan says that no request waits for it" 'service web ".outside == \"\""'
  plan "$redis" >past.yaml
  run whatif throughput past.yaml --json
  check "calls past the relay are named" "service web '.past == \"redis (127.0.0.1:$redis)\"'"
  plan "$other" | sed "/name: redis/s/relay: .*/counted_by: web, calls: 2, work: 50us, workers: 1}/; s/REDIS=$relay/REDIS=$redis/; s/^budget.*/&\nnot_waited_for: ['127.0.0.1:$other']/" >stated.yaml
  run whatif throughput stated.yaml --json --journal stated.jsonl
  check "calls that the plan states pause who does not count" 'service redis ".calls > 1.9 and .calls < 2.1 and .past == \"\""' \
    'jq -se "map(select(.kind == \"window\" and .change == \"web 40 %\")) | any(.realised_ns > 0)" stated.jsonl'
  if command -v nginx gunicorn >/dev/null; then
    cat >nginx.conf <<END
daemon off; worker_processes 1; pid $scratch/nginx.pid; error_log $scratch/nginx.log;
events { worker_connections 256; }
http { access_log off; client_body_temp_path $scratch/b; proxy_temp_path $scratch/p; fastcgi_temp_path $scratch/f; uwsgi_temp_path $scratch/u;
  scgi_temp_path $scratch/s; upstream app { server 127.0.0.1:$proxy; keepalive 8; }
  server { listen 127.0.0.1:$nginx; location / { proxy_http_version 1.1; proxy_set_header Connection ""; proxy_pass http://app; } } }
END
    plan "$relay" | sed "s/^entry: web/entry: front/; s/load.py .*/load.py $front/; s/python3 app.py/gunicorn -w 2 -b 127.0.0.1:$web app:app/; /name: redis/i\\
  - {name: front, command: \"nginx -c $scratch/nginx.conf -e $scratch/nginx.log\", proxy: \"127.0.0.1:$front=127.0.0.1:$nginx\"}" >nginx.yaml
    run whatif throughput nginx.yaml --json
    check "nginx, gunicorn and Redis" 'service redis ".calls > 2.7 and .calls < 3.3 and .relayed == \"RESP\""' 'service web ".calls > 0.9 and .calls < 1.1 and .outside == \"\""' \
      'service front ".outside == \"\" and .past == \"\""'
  fi
fi
finish
