# SPDX-License-Identifier: GPL-3.0-or-later
# What runs beside the examples of this folder, and how to wait for it; sourced from the root of the
# tree. `helpers` are the processes to end.
# shellcheck shell=bash
helpers=()
export NODE_PATH=${NODE_PATH:-/usr/share/nodejs} # of Debian's packages, where Node is not Debian's own

# port_free: a port of this host that nothing listens at
port_free() {
  node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); })'
}

# port_wait PORT PID: until something listens there; fails when the process has ended before
port_wait() {
  until (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; do
    kill -0 "$2" 2>/dev/null || return 1
    sleep 0.05
  done
}

# helpers_start NAME: what the example asks, at ports in the environment
helpers_start() {
  [ "$1" = fanout ] || return 0
  export UPSTREAM REDIS
  UPSTREAM=$(port_free)
  PORT=$UPSTREAM node examples/node/upstream.js >/dev/null &
  helpers+=($!)
  port_wait "$UPSTREAM" $! || return
  REDIS=$(port_free)
  redis-server --port "$REDIS" --bind 127.0.0.1 --save '' --appendonly no >/dev/null &
  helpers+=($!)
  port_wait "$REDIS" $!
}

helpers_stop() {
  [ ${#helpers[@]} -eq 0 ] || kill "${helpers[@]}" 2>/dev/null
  wait "${helpers[@]}" 2>/dev/null
  helpers=()
}

# routes_of NAME: what the load asks for
routes_of() {
  case $1 in
  files) echo '/page*3,/file' ;;
  fanout) echo '/page*3,/price' ;;
  alloc) echo '/page?seed=#*4,/small' ;;
  esac
}
