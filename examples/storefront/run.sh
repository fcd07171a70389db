#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# run.sh OPTIONS: from traces of the storefront to percentiles of a proved bound.
set -eu
build=${BUILD:-build}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$build/examples/storefront/storefront" --out "$folder/traces.json" "$@"
"$build/tailproof" draft "$folder/traces.json" --out "$folder/draft"
"$build/tailproof" verify --infer --write "$folder/draft/front_buy.tp" | sed -n '/reply: /,$p'
"$build/tailproof" replay "$folder/draft/front_buy.tp" --traces "$folder/traces.json"
"$build/tailproof" percentiles "$folder/draft/front_buy.tp" --joint "$folder/draft/front_buy.csv" --observed request -p 50,90,99
