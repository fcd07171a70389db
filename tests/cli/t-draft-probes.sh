#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A probe file and a protocol drafted from who talks to whom over TCP: proved, and what was recorded follows it; and where sockets
# do not tell, nothing wrong is drafted. TEST_ALL=1 also drafts real systems, as root, and measures them by the drafts.
. "$(dirname "$0")/tap.sh"

cd "$scratch" || exit 1
LIMIT=120

# A load balancer (80) before two applications, and what they ask: a cache (6379), a store (5432).
sockets() { # PID of whom the user named
  awk -v asked="$1" '{ $6 = $2 == asked || $3 == asked ? "asked" : "met"; print }' <<'END2'
process 10 1 7 0 met load --rate 100
process 20 1 7 0 met nginx: master process nginx
process 21 20 7 0 met nginx: worker process
process 30 1 7 0 met /usr/bin/python3 app.py 9001
process 31 1 7 0 met /usr/bin/python3 app.py 9007
process 40 1 7 0 met redis-server *:6379
process 50 1 7 0 met /usr/lib/store --port 5432
process 60 1 7 0 met listener --topic a
END2
  printf 'listens %s\n' '20 900 80 0' '21 900 80 0' '30 901 9001 0' '31 902 9007 0' '40 903 6379 0' '50 904 5432 0'
  printf 'udp 21 905 53 0\nunix 21 906 /run/log\n'
}
# Requests in turn; `say` is a message from one end to the other, which gets it 5 us later.
events() { # KIND, how many
  awk -v kind="$1" -v n="$2" '
    function some(m) { x = x * 16807 % 2147483647; return 1 + x % m }
    function one(t, probe, pid, tid, from, to, at, bytes) {
      printf "%d %s %d %d local=%d remote=%d begins=%.0f ends=%.0f\n", t, probe, pid, tid, from, to, at * 4294967296, (at + bytes) * 4294967296
    }
    function say(a, ta, pa, b, tb, pb,   at) {
      at = position[pa, pb]; position[pa, pb] += 40
      if (!(kind == "remote" && a == 10)) one(t, "send", a, ta, pa, pb, at, 40)
      t += 5000
      if (!(kind == "remote" && b == 10)) one(t, "receive", b, tb, pb, pa, at, 40)
      t += 1000 + some(20000)
    }
    function call(a, ta, pa, b, tb, pb) { say(a, ta, pa, b, tb, pb); say(b, tb, pb, a, ta, pa) }
    BEGIN {
      x = 77
      printf "start 1000\n"
      for (i = 1; i <= n; i++) {
        t = 3000000 * i; c = 40000 + i % 3
        if (kind == "early" && some(3) == 1) say(10, 10, c, 21, 21, 80)
        if (kind != "passed" && kind != "idle") say(10, 10, c, 21, 21, 80)
        if (kind == "chosen" || kind == "remote") {
          u = some(2) - 1; p = u ? 9007 : 9001
          say(21, 21, 41000 + u, 30 + u, 300 + u, p)
          call(30 + u, 300 + u, 42000 + u, 40, 40, 6379)
          say(30 + u, 300 + u, p, 21, 21, 41000 + u)
        }
        if (kind == "beside") { # both at once; then the cache again
          both = t; say(21, 21, 41000, 40, 40, 6379); t = both + 2000; say(21, 21, 41001, 50, 51, 5432); t = both + 60000
          say(50, 51, 5432, 21, 21, 41001); say(40, 40, 6379, 21, 21, 41000)
          call(21, 21, 41000, 40, 40, 6379)
        }
        if (kind == "passed") {
          if (i % 20 == 1) say(21, 21, 80, 10, 10, c) # a connection is accepted, or a ping answered
          say(10, 10, c, 21, 21, 80)
          at = position[80, 45000]; position[80, 45000] += 40
          one(t, "send", 21, 21, 80, 45000, at, 40); one(t + 4000, "receive", 60, 60, 45000, 80, at, 15); one(t + 4001, "receive", 60, 60, 45000, 80, at + 15, 25)
          continue
        }
        if (kind == "varies") for (k = some(4); k > 1; k--) call(21, 21, 41000, 40, 40, 6379)
        if (kind == "pieces") { call(21, 21, 41000, 50, 50, 5432); say(21, 21, 80, 10, 10, c) }
        if (kind != "silent" && kind != "idle") say(21, 21, 80, 10, 10, c)
      }
      printf "end %d\n", t
    }' | sort -n -s -k1,1 | awk '$1 == "start" || $1 == "end" { held[$1] = $0; next } { if (!n++) print held["start"]; print } END { print held["end"] }'
}
recording() { # KIND, PID
  mkdir -p "$1"
  sockets "${2:-20}" >"$1/sockets"
  events "$1" 60 >"$1/events"
}
# The draft of a recording: proved (what takes seconds with TEST_ALL=1 alone), and the recording follows it.
follows() { # KIND NAME SETTINGS
  case $1${TEST_ALL:-} in chosen | beside | remote) ;; *)
    run verify --infer --write "$1.draft/$2.tp"
    check "$1: the bound is proved" 'exits 0' 'out "1 proved, 0 refuted, 0 unknown"'
    ;;
  esac
  run replay "$1.draft/$2.tp" "$1.draft/recorded" ${3:+--set "$3"}
  check "$1: what was recorded follows it" 'exits 0' 'said "the run follows it: 60 complete instances"'
  grep -q "within ?" "$1.draft/$2.tp" && return
  run import --out "$1.parts" "$1.draft/recorded"
  run percentiles "$1.draft/$2.tp" --joint "$1.parts" --observed request.request -p 50 --exchangeable ${3:+--set "$3"}
  check "$1: the bound is what was observed" 'exits 0' 'said "Each of the 60 requests took no longer than the bound evaluated"' \
    '! grep -q "in no term of the bound" out'
}

recording chosen
run draft --probes chosen --out chosen.draft
check "a choice of two, each of which asks a cache" 'exits 0' 'said "of 60 recorded requests 60 are paired (100.00 %)"' \
  'grep -qE "^  app +nginx +/usr/bin/python3 app.py +2 +1$" out' 'grep -qE "^  redis_server +app +redis-server +6379 +1 +1$" out' \
  'out "tailproof verify --infer --write chosen.draft/nginx.tp"' 'out "--set n_app=2"'
check "... whose files say it" 'grep -q "^role app\[n_app\]$" chosen.draft/nginx.tp' 'grep -q "^action nginx.Take_nginx(u in app) on Request" chosen.draft/nginx.tp' \
  "grep -qF \"'app[1]': '^/usr/bin/python3 app\\.py 9007\" chosen.draft/nginx.yaml" "grep -q 'nginx: .^nginx: worker process' chosen.draft/nginx.yaml" \
  "grep -q \"sent_tcp, at: nginx.*remote >= 9001 and remote <= 9007 and local != 80\" chosen.draft/nginx.yaml"
check "what sockets do not show is named" 'out "process 21 has UDP port 53"' 'out "process 21 has connections of /run/log"'
follows chosen nginx n_app=2
run record --probes chosen.draft/nginx.yaml --dry-run
check "the probe file can be attached" '[ "$status" -eq 0 ] || [ "$status" -eq 69 ]'
run draft --probes chosen --out chosen.draft
check "a folder that holds something is left alone" 'exits 64' 'err "holds something already"'
run draft --json --probes chosen --out chosen.json
check "as JSON" 'exits 0' 'json_lines' 'json "[.[] | select(.kind == \"draft_probes\")][0] | .paired == 60 and .name == \"nginx\" and (.calls | length) == 3"'

recording beside
run draft --probes beside --out beside.draft
check "two calls side by side, then one more" 'exits 0' 'said "of 60 recorded requests 60 are paired"' 'said "drafted side by side"' 'said "that it waits for the answer is a guess"'
check "... is a wait for both" 'grep -q "if told_store { send Gathered_nginx_1 }" beside.draft/nginx.tp' 'grep -q "latest: \[.back_store., .back_redis_server.\]\|latest: \[.back_redis_server., .back_store.\]" beside.draft/nginx.yaml'
follows beside nginx

recording remote
run draft --probes remote --out remote.draft
check "clients of other hosts: a request begins when it is received" 'exits 0' 'said "are on other hosts, or were gone at once"' 'grep -q "request: {name: request, node: client, from: .took., to: .told.}" remote.draft/nginx.yaml'
follows remote nginx n_app=2

recording pieces
run draft --probes pieces --out pieces.draft
check "answers in two pieces end with the second" 'exits 0' 'grep -q "told_2.: .*begins >= told.ends" pieces.draft/nginx.yaml'
follows pieces nginx

recording varies
run draft --probes varies --out varies.draft
check "calls of no fixed number are not drafted" 'exits 0' 'said "Cannot tell: what nginx asks while it answers: it differs from request to request"' \
  '! grep -q redis varies.draft/nginx.tp' "grep -q '^# cannot tell: ' varies.draft/nginx.yaml"
follows varies nginx

recording chosen 40
rm -rf chosen.draft
run draft --probes chosen --out chosen.draft
check "a draft begins at what was named" 'exits 0' 'said "chosen.draft/redis_server.tp: of 60"' '! grep -q nginx chosen.draft/redis_server.tp'

recording early
run draft --probes early --out early.draft
check "questions before the answer of the one before: nothing is drafted" 'exits 2' 'said "Cannot tell: the questions on one connection come in pieces of no fixed number"' '[ ! -e early.draft/nginx.tp ]'
run draft --json --probes early --out early.json
check "... also as JSON" 'exits 2' 'json "[.[] | select(.kind == \"draft_probes\")][0] | .name == null and (.reason | startswith(\"the questions on one\"))"'
recording silent
run draft --probes silent --out silent.draft
check "what is never answered" 'exits 2' 'said "Cannot tell: what was sent to the processes that were named was not answered"'
recording idle 30
run draft --probes idle --out idle.draft
check "a process that nobody asks" 'exits 2' 'said "Cannot tell: no process that was named was asked anything over TCP"'
recording passed
run draft --probes passed --out passed.draft
check "what a broker passes on, taken in two pieces" 'exits 0' 'said "of 60 recorded requests 60 are paired"' 'said "passes each message on in the thread that took it"'
follows passed nginx

# mistakes
run draft --probes --out none
check "no process" 'exits 64' 'err "name processes"'
run draft --probes chosen
check "no folder" 'exits 64' 'err "--out DIR"'
run draft --probes 999999999 --out none
check "a process that is none" 'exits 66' 'err "there is no process 999999999"' '[ ! -e none ]'
run draft --probes chosen/sockets --out none
check "a file" 'exits 64' 'err "give the numbers of processes, or the folder of an earlier draft"'
mkdir empty
run draft --probes empty --out none
check "a folder of something else" 'exits 66' 'err "no folder of an earlier draft"'
mkdir damaged && cp chosen/events damaged && sed 's/^listens/lostens/' chosen/sockets >damaged/sockets
run draft --probes damaged --out none2
check "a damaged table" 'exits 65' 'err "damaged/sockets: line 9 is no line of a table"'

# Where nothing can be recorded: who is connected to whom.
if [ "$(id -u)" = 0 ]; then
  cat >pair.py <<'END'
import socket, sys, time
if len(sys.argv) == 2:
    s = socket.create_server(("127.0.0.1", 0)); open(sys.argv[1], "w").write(str(s.getsockname()[1])); c = s.accept()
else:
    s = socket.create_connection(("127.0.0.1", int(sys.argv[1]))); open("connected", "w").close()
time.sleep(7200)
END
  python3 pair.py port & serves=$!
  until_true '[ -s port ]'
  python3 pair.py "$(cat port)" client & asks=$!
  until_true '[ -e connected ]'
  last="draft --probes, without capabilities"
  setpriv --bounding-set -bpf,-perfmon,-sys_admin -- "$program" draft --probes $serves --out denied >out 2>err
  status=$?
  check "without the right to record: the connections that there are" 'exits 69' 'err "run this as root"' \
    'said "Cannot tell: nothing could be recorded"' 'said "pair.py ($serves) is connected to "' 'said "pair.py ($asks) at its own port $(cat port)"'
  kill $serves $asks
  wait $serves $asks 2>/dev/null
fi

# Real systems, drafted and then measured by the draft as it is.
started=()
port=$(free_ports 5)
start() { "$@" >/dev/null 2>&1 & started+=($!); }
answers() { until_true "(exec 3<>/dev/tcp/127.0.0.1/$1) 2>/dev/null"; }
paired_share() { # at least
  awk -v least="$1" '/ requests paired / { n = $3; share = $1 / $3 } END { exit !(n >= 20 && share >= least) }' err
}
measured() { # NAME ROLE PID SHARE SETTINGS
  run draft --probes "$3" --out "live.$1"
  check "$1: drafted" 'exits 0' "[ -e live.$1/$2.tp ]"
  read -ra next < <(sed -n 's/^ *tailproof record //p' out)
  run verify --infer --write "live.$1/$2.tp"
  check "$1: proved" 'exits 0' 'out "1 proved"'
  run record "${next[@]/#store/store.$1}" --seconds 6
  check "$1: recorded and paired" 'exits 0' "paired_share $4"
  run replay "live.$1/$2.tp" "store.$1" ${5:+--set "$5"}
  check "$1: the run follows the draft" 'exits 0' 'said "the run follows it"'
}
if [ -n "${TEST_ALL:-}" ] && [ "$(id -u)" = 0 ]; then
  trap 'kill "${started[@]}" 2>/dev/null; wait; rm -rf "$scratch"' EXIT
  cat >upstream.py <<'END'
import http.server, socketserver, sys
class H(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        self.send_response(200); self.send_header("Content-Length", "2"); self.end_headers(); self.wfile.write(b"ok")
    def log_message(self, *a): pass
class S(socketserver.ThreadingMixIn, http.server.HTTPServer): daemon_threads = True
S(("127.0.0.1", int(sys.argv[1])), H).serve_forever()
END
  cat >web.py <<'END'
import http.server, socket, sys
r = socket.create_connection(("127.0.0.1", int(sys.argv[2])))
def ask(q): r.sendall(q); return r.recv(4096)
class H(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        ask(b"GET page\r\n"); ask(b"INCR count\r\n")
        self.send_response(200); self.send_header("Content-Length", "2"); self.end_headers(); self.wfile.write(b"ok")
    def log_message(self, *a): pass
http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), H).serve_forever()
END
  cat >client.py <<'END'
import socket, sys, time
s = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
while True: s.sendall(b"SET a b\r\n"); s.recv(4096); time.sleep(0.005)
END
  start redis-server --bind 127.0.0.1 --port $port --save '' --dir "$scratch"
  redis=$!
  answers $port
  start python3 client.py $port
  sleep 1
  measured redis redis_server $redis 0.98
  kill "${started[-1]}"
  start python3 web.py $((port + 1)) $port
  web=$!
  answers $((port + 1))
  start "$program" load "http://127.0.0.1:$((port + 1))/" --rate 30 --connections 1 --seconds 60 --out web.csv
  sleep 1
  measured web web $web 0.95
  for i in 2 3; do start python3 upstream.py $((port + i)); answers $((port + i)); done
  cat >nginx.conf <<END
daemon off; pid $scratch/nginx.pid; error_log $scratch/nginx.log; events { }
http { access_log off; client_body_temp_path $scratch/b; proxy_temp_path $scratch/p; fastcgi_temp_path $scratch/f; uwsgi_temp_path $scratch/u;
  scgi_temp_path $scratch/s; upstream up { server 127.0.0.1:$((port + 2)); server 127.0.0.1:$((port + 3)); }
  server { listen 127.0.0.1:$((port + 4)); location / { proxy_pass http://up; } } }
END
  start nginx -c "$scratch/nginx.conf"
  nginx=$!
  answers $((port + 4))
  start "$program" load "http://127.0.0.1:$((port + 4))/" --rate 30 --seconds 60 --out nginx.csv
  sleep 1
  measured nginx nginx $nginx 0.9 n_upstream=2
fi
finish
