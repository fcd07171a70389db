#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Publishes messages of 64 bytes, one after the other at a rate: publish.sh PORT MESSAGES RATE
set -eu
pause=$(awk -v rate="$3" 'BEGIN { printf "%.4f", 1 / rate }')
for ((i = 1; i <= $2; i++)); do
  printf '%064d\n' "$i"
  sleep "$pause"
done | mosquitto_pub --host 127.0.0.1 --port "$1" --id publisher --keepalive 3600 --topic sensor/1 --stdin-line
