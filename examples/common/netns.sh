#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Network namespaces that stand for hosts: PREFIX0, PREFIX1, ... with the addresses 10.77.0.1, 10.77.0.2, ...,
# joined by a bridge in the namespace PREFIX-bridge; each delays what it sends by tc netem where the kernel has it.
#
#   examples/common/netns.sh up PREFIX COUNT [NETEM...]     netns.sh up tp 4 delay 1ms 200us
#   examples/common/netns.sh down PREFIX
#
# An example then runs in them with --netns PREFIX. Root only; exit code 69 where that is not permitted.
set -eu

give_up() {
  echo "netns.sh: $1" >&2
  exit "$2"
}

down() {
  for path in /run/netns/"$1"[0-9]* /run/netns/"$1"-bridge; do
    [ ! -e "$path" ] || ip netns del "${path#/run/netns/}"
  done
}

usage="usage: netns.sh up PREFIX COUNT [NETEM...] | netns.sh down PREFIX"
[ $# -ge 2 ] || give_up "$usage" 64
action=$1 prefix=$2
case $prefix in *[!a-z]* | ?????????*) give_up "the prefix $prefix: up to 8 letters a-z are expected" 64 ;; esac
command -v ip >/dev/null || give_up "ip is missing (apt-get install iproute2)" 69
case $action in
down) down "$prefix" ;;
up)
  count=${3:-}
  case $count in '' | *[!0-9]*) give_up "$usage" 64 ;; esac
  [ "$count" -ge 1 ] && [ "$count" -le 64 ] || give_up "the count $count: 1 to 64 is expected" 64
  shift 3
  bridge=$prefix-bridge
  [ ! -e "/run/netns/$bridge" ] || give_up "there are namespaces $prefix already; netns.sh down $prefix removes them" 64
  ip netns add "$bridge" 2>/dev/null || give_up "this user or machine may not make network namespaces" 69
  trap 'down "$prefix"' EXIT
  ip -n "$bridge" link add bridge type bridge
  ip -n "$bridge" link set bridge up
  i=0
  while [ "$i" -lt "$count" ]; do
    ip netns add "$prefix$i"
    ip -n "$prefix$i" link add eth0 type veth peer name "port$i" netns "$bridge"
    ip -n "$bridge" link set "port$i" master bridge up
    ip -n "$prefix$i" addr add "10.77.0.$((i + 1))/24" dev eth0
    ip -n "$prefix$i" link set lo up
    ip -n "$prefix$i" link set eth0 up
    if [ $# -gt 0 ]; then
      ip netns exec "$prefix$i" tc qdisc add dev eth0 root netem "$@" 2>/dev/null ||
        give_up "this kernel has no tc netem, or it does not take: $*; without NETEM there is no added delay" 69
    fi
    i=$((i + 1))
  done
  trap - EXIT
  ;;
*) give_up "$usage" 64 ;;
esac
