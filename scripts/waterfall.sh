#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Prints docs/waterfall.svg, the picture of docs/traces.md: waterfall.sh PROGRAM. Without the host that made it.
set -euo pipefail
program=$(realpath "${1:-build/tailproof}")
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export SOURCE_DATE_EPOCH=1795305600 # 22 November 2026
mkdir "$folder/traces"
python3 examples/traces/make.py 400 >"$folder/traces/monday.json"
cd "$folder"
"$program" trace path traces --plot waterfall.svg >/dev/null
sed -E "s# UTC, [^:]*: [^ ]*tailproof trace# UTC: tailproof trace#" waterfall.svg
