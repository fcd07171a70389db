#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Fuzzes each target of tests/fuzz for FUZZ_SECONDS, or all of them for FUZZ_TOTAL seconds in equal shares, starting from its
# kept corpus and what earlier runs have added to it (build-fuzz/corpus-NAME); what is found is left under build-fuzz/. Needs clang and its runtime (Debian: clang libclang-rt-14-dev).
set -eu
cd "$(dirname "$0")/.."
command -v clang >/dev/null || { echo "tailproof: fuzzing needs clang (apt-get install clang libclang-rt-14-dev)" >&2; exit 69; }
flags="-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all"
make -s -j2 SPARE=1 BUILD=build-fuzz CC=clang CFLAGS="-O1 -g" SANITIZE="$flags" build-fuzz/libtailproof.a build-fuzz/libtailproof-measure.a build-fuzz/libtailproof-throughput.a build-fuzz/libtailproof-lsp.a \
  build-fuzz/measure/agent/config.o build-fuzz/measure/agent/config_check.o \
  build-fuzz/cli/question/certify/manifest.o build-fuzz/cli/question/verify/proof_cache.o
targets=$(ls tests/fuzz/*.c | wc -l)
seconds=${FUZZ_SECONDS:-$((${FUZZ_TOTAL:-$((60 * targets))} / targets))}
for target in tests/fuzz/*.c; do
  name=$(basename "$target" .c)
  clang -std=c11 -g -O1 -I. -Isteps -Isteps/loop -Imeasure -Ibuild-fuzz/generated -D_POSIX_C_SOURCE=200809L -D_DEFAULT_SOURCE \
    -fsanitize=fuzzer,address,undefined -o "build-fuzz/$name" "$target" \
    build-fuzz/measure/agent/config*.o build-fuzz/cli/question/certify/manifest.o build-fuzz/cli/question/verify/proof_cache.o build-fuzz/libtailproof-lsp.a build-fuzz/libtailproof-throughput.a build-fuzz/libtailproof.a build-fuzz/libtailproof-measure.a -luv -lcyaml -lgmp -lgsl -lgslcblas -ljansson -lnettle -lyaml -lbpf -lZydis -ldw -lelf -liberty -lz -lzstd -lm -pthread
  mkdir -p "build-fuzz/corpus-$name"
  echo "fuzzing $name for $seconds s"
  "build-fuzz/$name" -max_total_time="$seconds" -max_len=65536 -timeout=10 -rss_limit_mb=2048 \
    -artifact_prefix="build-fuzz/$name-" "build-fuzz/corpus-$name" "tests/fuzz/corpus/$name"
done
