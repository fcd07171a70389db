#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Lines of each file in specs/performal/ that are neither blank nor comments, for docs/performal.md.
set -eu
cd "$(dirname "$0")/.."
for file in specs/performal/*.tp; do
  echo "$(sed 's/#.*//' "$file" | grep -c '[^[:space:]]') $(basename "$file")"
done
