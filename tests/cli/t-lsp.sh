#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The language server, as tests/tools/lsp_talk.py finds it: everything it can do, and what it makes of nonsense.
cd "$(dirname "$0")/../.." || exit 1
exec timeout 2h python3 tests/tools/lsp_talk.py "${BUILD:-build}/tailproof"
