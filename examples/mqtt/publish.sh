#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Publishes messages of 64 bytes, one after the other at a rate: publish.sh PORT MESSAGES RATE [OPTIONS of mosquitto_pub]
set -eu
messages() {
  local i pause
  pause=$(awk -v rate="$2" 'BEGIN { printf "%.4f", 1 / rate }')
  for ((i = 1; i <= $1; i++)); do
    printf '%064d\n' "$i"
    sleep "$pause"
  done
}
# This process becomes the publisher: when it ends, so do the messages.
exec mosquitto_pub --host 127.0.0.1 --port "$1" --id publisher --keepalive 3600 --topic sensor/1 --stdin-line \
  "${@:4}" < <(messages "$2" "$3" 2>/dev/null)
