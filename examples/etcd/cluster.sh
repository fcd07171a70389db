# SPDX-License-Identifier: GPL-3.0-or-later
# Three members of etcd on this host, of which the first leads; sourced after examples/common/outside.sh. `members` are
# their processes, `base` + 11 is the port that the leader's clients use.
# shellcheck shell=bash
members=()
data=$(mktemp -d)
stop() {
  [ "${#members[@]}" = 0 ] || kill "${members[@]}" 2>/dev/null || true
  [ "${#members[@]}" = 0 ] || wait "${members[@]}" 2>/dev/null || true
  rm -rf "$data"
}

base=$((20000 + $$ % 10000)) # ports that another run is not likely to have
cluster=m1=http://127.0.0.1:$((base + 1)),m2=http://127.0.0.1:$((base + 2)),m3=http://127.0.0.1:$((base + 3))
for i in 1 2 3; do
  peer=http://127.0.0.1:$((base + i)) public=http://127.0.0.1:$((base + 10 + i))
  etcd --name m$i --data-dir "$data/m$i" --listen-peer-urls $peer --initial-advertise-peer-urls $peer \
    --listen-client-urls $public --advertise-client-urls $public --initial-cluster "$cluster" \
    --initial-cluster-state new --log-level error >"$data/m$i.log" 2>&1 &
  members+=($!)
done

export ETCDCTL_API=3
ctl() { etcdctl --endpoints="127.0.0.1:$((base + 10 + $1))" "${@:2}"; }
leader() { # the number of the member that leads
  for i in 1 2 3; do ctl $i endpoint status 2>/dev/null | awk -F', ' -v i=$i '$5 == "true" { print i; exit }'; done
}
lead() { # the probe file takes the first for the leader
  local now id
  now=$(leader) id=$(ctl 1 endpoint status 2>/dev/null | awk -F', ' '{ print $2 }')
  [ "$now" = 1 ] && return
  [ -z "$now" ] || [ -z "$id" ] || ctl "$now" move-leader "$id" >/dev/null
  false
}
await lead
