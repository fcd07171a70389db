# SPDX-License-Identifier: GPL-3.0-or-later
# What the examples share that watch servers from outside; sourced by their run.sh, which sets `name` and `run` (where
# the recording stays), and defines `stop`, which ends what it started. BUILD is where the program is.
# `probes`, if set, is the probe file instead of the example's.
# shellcheck shell=bash
program=$BUILD/tailproof
recorder='' client='' code=0
[ "$(id -u)" = 0 ] || { echo "examples/$name/run.sh: probes need root: sudo make example NAME=$name" >&2; exit 69; }

finish() {
  [ -z "$client" ] || kill "$client" 2>/dev/null || true
  [ -z "$recorder" ] || kill -INT "$recorder" 2>/dev/null || true
  stop
}
trap finish EXIT
trap 'exit 130' INT TERM HUP

show() { # the command as a user would type it, then what it says; its exit code in `code`
  printf '$ %s\n' "$*"
  code=0
  "$@" || code=$?
  echo
}

need() { # the codes that let the rest make sense
  case " $* " in *" $code "*) ;; *) exit "$code" ;; esac
}

# Waits for an expression to become true, for a minute.
await() {
  local tries
  for ((tries = 0; tries < 600; tries++)); do
    eval "$1" >/dev/null 2>&1 && return 0
    sleep 0.1
  done
  echo "examples/$name/run.sh: this did not come about within a minute: $1" >&2
  exit 70
}

# record PIDS -- CLIENT...: the client is started when the probes are in place. The recorder is told of it before: it
# watches a shell that waits, and becomes the client.
record() {
  local pids=()
  while [ "$1" != -- ]; do pids+=(--pid "$1"); shift; done
  shift
  mkfifo "$run/go"
  bash -c 'read -r _ <"$0"; exec "$@"' "$run/go" "$@" &
  client=$!
  local probes=${probes:-examples/$name/$name.yaml}
  echo "\$ tailproof record --probes $probes --pid ... --out $run/store &"
  "$program" record --probes "$probes" "${pids[@]}" --pid "$client" --out "$run/store" --ready-file "$run/ready" \
    >"$run/log" 2>&1 &
  recorder=$!
  await "[ -e $run/ready ] || ! kill -0 $recorder"
  echo "\$ $*"
  kill -0 "$recorder" 2>/dev/null && echo >"$run/go" && wait "$client" || { cat "$run/log" >&2; exit 70; }
  client=''
  sleep 0.5
  kill -INT "$recorder"
  wait "$recorder" || true
  recorder=''
  echo
  grep -v '^tailproof: process' "$run/log" || true
}

# hold SPEC BOUND REQUEST SETTINGS...: the recording against the protocol, and the bound beside the observation
hold() {
  local spec=$1 bound=$2 request=$3
  shift 3
  show "$program" verify --infer "$spec"
  need 0
  show "$program" replay "$spec" "$run/store" "$@"
  need 0 1
  show "$program" import --out "$run/components" "$run/store"
  need 0
  show "$program" percentiles "$spec" --bound "$bound" "$@" --joint "$run/components" --observed "request.$request" \
    -p 50,90,99
}
