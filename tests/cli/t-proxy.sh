#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The counting proxy between clients and services that behave badly.
cd "$(dirname "$0")/../.." || exit 1
command -v python3 >/dev/null || { echo "not ok 1 - python3 is missing (apt-get install python3)"; exit 69; }
BUILD=${BUILD:-build}
timeout 2h python3 tests/tools/proxy_talk.py "$BUILD/tests/tools/counting_proxy" "$BUILD/tailproof" "$BUILD/tests/tools/direct"
