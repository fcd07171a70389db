#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# nginx with two upstreams on this host, watched from outside while it takes requests, and held against nginx.tp:
#
#   examples/nginx/run.sh [--nagle] [SECONDS [RUNS [RATE]]]
#
# --nagle: the upstreams leave Nagle's algorithm on, and what that costs is asked of the recording.
# The recordings stay in $BUILD/examples/nginx/run (those of the run before are replaced).
set -eu
cd "$(dirname "$0")/../.."
BUILD=${BUILD:-build}
name=nginx
run=$BUILD/examples/nginx/run
nagle=()
[ "${1:-}" != --nagle ] || { nagle=(--nagle) && shift; }
seconds=${1:-3} runs=${2:-10} rate=${3:-100}
stop() { stop_servers; }
. examples/common/outside.sh
data=$(mktemp -d)
rm -rf "$run"
mkdir -p "$run"

port=$(free_ports 2)
for host in 2 3; do
  examples/nginx/upstream.py --address "127.0.0.$host:$((port + 1))" "${nagle[@]}" &
  servers+=($!)
done
cat >"$data/nginx.conf" <<END
daemon off;
worker_processes 1;
pid $data/pid;
error_log $data/error.log;
events { worker_connections 1024; }
http {
  access_log off;
  client_body_temp_path $data/1; proxy_temp_path $data/2; fastcgi_temp_path $data/3; uwsgi_temp_path $data/4; scgi_temp_path $data/5;
  keepalive_requests 1000000;
  upstream servers {
    server 127.0.0.2:$((port + 1));
    server 127.0.0.3:$((port + 1));
    keepalive 64;
    keepalive_requests 1000000;
  }
  server {
    listen 127.0.0.1:$port;
    location / { proxy_pass http://servers; proxy_http_version 1.1; proxy_set_header Connection ""; }
  }
}
END
nginx -p "$data" -c "$data/nginx.conf" -e "$data/error.log" &
servers+=($!)
load() { echo "$program load http://127.0.0.1:$port/ --rate $rate --seconds $1 --out $data/load.csv"; }
await "(exec 3<>/dev/tcp/127.0.0.1/$port) && (exec 3<>/dev/tcp/127.0.0.2/$((port + 1))) && (exec 3<>/dev/tcp/127.0.0.3/$((port + 1)))"
$(load 2) >/dev/null || true # opens the connections to the upstreams

sed "s/18080/$port/; s/18081/$((port + 1))/" examples/nginx/nginx.yaml >"$run/nginx.yaml"
probes=$run/nginx.yaml
accepted="0 2" # 2: on a busy machine requests were sent late, which nobody here asks about
# shellcheck disable=SC2046
record_runs "$runs" "${servers[@]}" -- $(load "$seconds")
hold_runs examples/nginx/nginx.tp page page --set n=2
held=$code
[ "${#nagle[@]}" = 0 ] || show "$program" percentiles "${recorded[@]}" --confidence 0 -p 90 --contributions 90
exit "$held"
