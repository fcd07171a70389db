#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Two clients with up to ten streams each on a connection to one server, over TLS, watched from outside and held against
# http2.tp:
#
#   examples/http2/run.sh [REQUESTS]
#
# The recording stays in $BUILD/examples/http2/run (that of the run before is replaced).
set -eu
cd "$(dirname "$0")/../.."
BUILD=${BUILD:-build}
name=http2
run=$BUILD/examples/http2/run
requests=${1:-2000}
server='' data=''
stop() {
  [ -z "$server" ] || kill "$server" 2>/dev/null || true
  rm -rf "$data"
}
. examples/common/outside.sh
data=$(mktemp -d)
rm -rf "$run"
mkdir -p "$run"

port=$((20000 + $$ % 10000)) # that another run is not likely to have
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=localhost -days 2 \
  -keyout "$data/key.pem" -out "$data/cert.pem" 2>/dev/null
mkdir "$data/www"
head -c 100 /dev/zero >"$data/www/small"
head -c 60000 /dev/zero >"$data/www/large"
nghttpd -a 127.0.0.1 -d "$data/www" $port "$data/key.pem" "$data/cert.pem" >"$data/log" 2>&1 &
server=$!
page="https://127.0.0.1:$port/{small,large}?[1-$((requests / 4))]"
await "curl -skf -o $data/page https://127.0.0.1:$port/small"
sed "s/: 8443,/: $port,/" "examples/$name/$name.yaml" >"$run/$name.yaml"
probes=$run/$name.yaml
# shellcheck disable=SC2016
record "$server" -- bash -c 'for client in 1 2; do curl -sk --parallel --parallel-max 10 -o /dev/null "$0" & done; wait' "$page"
hold "examples/$name/$name.tp" page page
exit "$code"
