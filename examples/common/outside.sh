# SPDX-License-Identifier: GPL-3.0-or-later
# What the examples share that watch servers from outside; sourced by their run.sh, which sets `name` and `run` (where
# the recording stays), and defines `stop`, which ends what it started. BUILD is where the program is.
# `probes`, if set, is the probe file instead of the example's, and `accepted` the exit codes of a client that did its work.
# shellcheck shell=bash
program=$BUILD/tailproof
recorder='' client='' code=0
[ "$(id -u)" = 0 ] || { echo "examples/$name/run.sh: probes need root: sudo make example NAME=$name" >&2; exit 69; }

finish() {
  trap '' INT TERM HUP # to clean up is quick, and is done to its end
  [ -z "$client" ] || { kill "$client" 2>/dev/null && wait "$client" 2>/dev/null; } || true
  [ -z "$recorder" ] || { kill -INT "$recorder" 2>/dev/null && wait "$recorder" 2>/dev/null; } || true
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
  [ -n "${brief:-}" ] || echo "\$ tailproof record --probes $probes --pid ... --out $run/store &"
  "$program" record --probes "$probes" "${pids[@]}" --pid "$client" --out "$run/store" --ready-file "$run/ready" \
    >"$run/log" 2>&1 &
  recorder=$!
  await "[ -e $run/ready ] || ! kill -0 $recorder"
  [ -n "${brief:-}" ] || echo "\$ $*"
  local ended=0
  kill -0 "$recorder" 2>/dev/null && echo >"$run/go" && { wait "$client" || ended=$?; } || { cat "$run/log" >&2; exit 70; }
  case " ${accepted:-0} " in *" $ended "*) ;; *) cat "$run/log" >&2; exit 70 ;; esac
  client=''
  sleep 0.5
  kill -INT "$recorder"
  wait "$recorder" || true
  recorder=''
  if [ -n "${brief:-}" ]; then
    grep 'paired' "$run/log" || true
  else
    echo
    grep -v '^tailproof: process' "$run/log" || true
  fi
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

# The first of COUNT ports in a row, above those that the kernel gives away, that nothing here uses.
free_ports() {
  local base taken
  taken=$(cat /proc/net/tcp /proc/net/tcp6 /proc/net/udp /proc/net/udp6 2>/dev/null | awk '{ sub(/.*:/, "", $2); print $2 }')
  for ((base = 10000 + $$ % 10000; ; base = 10000 + (base - 10000 + $1) % 20000)); do
    local i hit=''
    for ((i = base; i < base + $1; i++)); do
      case $'\n'$taken$'\n' in *$'\n'"$(printf '%04X' "$i")"$'\n'*) hit=1 ;; esac
    done
    [ -n "$hit" ] || break
  done
  echo "$base"
}

# Processes of the example end with it: `servers` are theirs, `data` is a folder of their own.
servers=() data=${data:-}
stop_servers() {
  [ "${#servers[@]}" = 0 ] || kill "${servers[@]}" 2>/dev/null || true
  [ "${#servers[@]}" = 0 ] || wait "${servers[@]}" 2>/dev/null || true
  [ -z "$data" ] || rm -rf "$data"
}

# record_runs COUNT PIDS -- CLIENT...: so many recordings, in $run/1, $run/2 and so on; of the first all is said
record_runs() {
  local count=$1 all=$run i brief=''
  shift
  for ((i = 1; i <= count; i++)); do
    run=$all/$i
    mkdir "$run"
    if [ -z "$brief" ]; then record "$@"; else record "$@" >"$run/said" && grep ' of .* paired' "$run/said"; fi
    brief=yes
  done
  run=$all
  echo
}

# hold_runs SPEC BOUND REQUEST SETTINGS...: all runs against the protocol, and the bound beside the observation. How much
# the runs differ says what their requests are worth. `recorded` are the arguments of percentiles.
hold_runs() {
  local spec=$1 bound=$2 request=$3 each more=()
  shift 3
  show "$program" verify "$spec"
  need 0
  show "$program" replay "$spec" "$run/1/store" "$@"
  need 0 1
  for ((each = 2; each <= $(find "$run" -name store | wc -l); each++)); do
    "$program" replay "$spec" "$run/$each/store" "$@" >"$run/$each/replayed" 2>&1 || code=$?
    [ "$code" = 0 ] || { cat "$run/$each/replayed" && need 1; }
    more+=(--run "$run/$each/store")
  done
  [ "$code" != 0 ] || echo "All $((each - 1)) runs follow it."
  echo
  recorded=("$spec" --bound "$bound" "$@" --joint "$run/1/store" "${more[@]}")
  show "$program" percentiles "${recorded[@]}" --observed "request.$request" -p 50,90,99
}
