#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# unbound on this host, which asks named, watched from outside while dnsperf asks it, and held against dns.tp:
#
#   examples/dns/run.sh [SECONDS [RUNS [RATE]]]
#
# The recordings stay in $BUILD/examples/dns/run (those of the run before are replaced).
set -eu
cd "$(dirname "$0")/../.."
BUILD=${BUILD:-build}
name=dns
run=$BUILD/examples/dns/run
seconds=${1:-3} runs=${2:-10} rate=${3:-100}
stop() { stop_servers; }
. examples/common/outside.sh
data=$(mktemp -d)
rm -rf "$run"
mkdir -p "$run"

port=$(free_ports 2)
cat >"$data/zone" <<'END'
$TTL 0 ; nothing is kept: each query is passed on
@ IN SOA ns hostmaster 1 3600 600 86400 0
@ IN NS ns
ns IN A 127.0.0.1
* IN A 192.0.2.1
END
cat >"$data/named.conf" <<END
options {
  directory "$data"; pid-file none; session-keyfile none; dnssec-validation no; recursion no;
  listen-on port $((port + 1)) { 127.0.0.1; }; listen-on-v6 { none; };
};
controls { };
zone "example.test" { type primary; file "zone"; };
END
cat >"$data/unbound.conf" <<END
server:
  interface: 127.0.0.1@$port
  port: $port
  directory: "$data"
  pidfile: "$data/pid"
  chroot: ""
  username: ""
  use-syslog: no
  logfile: "$data/log"
  num-threads: 1
  infra-cache-min-rtt: 5000 # a stall of this machine is no lost datagram, after which it would ask again
  do-ip6: no
  do-not-query-localhost: no
  qname-minimisation: no
  module-config: "iterator"
  local-zone: "test." nodefault
stub-zone:
  name: "example.test."
  stub-addr: 127.0.0.1@$((port + 1))
remote-control:
  control-enable: no
END
named -g -n 1 -c "$data/named.conf" >"$data/named.log" 2>&1 &
servers+=($!)
unbound -d -c "$data/unbound.conf" &
servers+=($!)
seq -f 'q%.0f.example.test A' $((seconds * rate)) >"$data/queries"
await "dnsperf -s 127.0.0.1 -p $port -d $data/queries -c 1 -T 1 -Q 20 -l 1 | grep -q 'Queries completed: *[1-9]'"

# shellcheck disable=SC2016
record_runs "$runs" "${servers[@]}" -- bash -c 'exec dnsperf "$@" > >(grep -E "Queries (completed|lost)")' ask \
  -s 127.0.0.1 -p "$port" -d "$data/queries" -n 1 -c 1 -T 1 -Q "$rate"
hold_runs examples/dns/dns.tp name name
exit "$code"
