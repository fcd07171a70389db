#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# run.sh OPTIONS: from traces of the storefront to percentiles of a proved bound.
set -eu
build=${BUILD:-build}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$build/examples/storefront/storefront" --out "$folder/traces.json" --store "$folder/stores" "$@"
"$build/tailproof" draft "$folder/stores" --out "$folder/draft"
"$build/tailproof" verify --infer --write "$folder/draft/front_buy.tp" | sed -n '/reply: /,$p'
"$build/tailproof" replay "$folder/draft/front_buy.tp" --traces "$folder/stores"
"$build/tailproof" percentiles "$folder/draft/front_buy.tp" --joint "$folder/draft/front_buy.csv" --observed request -p 50,90,99 || [ $? -eq 2 ] # it says what it could not tell
