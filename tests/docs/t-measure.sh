#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# docs/measure.md is followed from an empty folder: its program is built and run, and its recording replayed.
cd "$(dirname "$0")/../.." || exit 1
build=$(realpath "${BUILD:-build}")
packages=$(mktemp -d)
trap 'rm -rf "$packages"' EXIT
cat >"$packages/tailproof-measure.pc" <<END
Name: tailproof-measure
Description: the library that was built, not installed
Version: 0
Cflags: -I$PWD/measure
Libs: $build/libtailproof-measure.a -pthread ${SANITIZED:+-fsanitize=address,undefined}
END
PKG_CONFIG_PATH=$packages tests/docs/console.py docs/measure.md
