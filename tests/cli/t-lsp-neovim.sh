#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The language server in a real editor: Neovim in a pseudo-terminal, set up by docs/editor/tailproof.lua.
. "$(dirname "$0")/tap.sh"

for tool in nvim script; do
  command -v $tool >/dev/null || { echo "not ok 1 - $tool is missing (apt-get install neovim bsdutils)"; exit 69; }
done
sed -E '/^invariant ack_time/,/^$/d; /^bound reply: /,/^$/c\bound reply: sent Reply within ?\n' "$specs/primary_backup.tp" >"$scratch/asked.tp"
for folder in CONFIG DATA STATE CACHE RUNTIME; do
  mkdir -p "$scratch/$folder"
  case $folder in RUNTIME) export XDG_RUNTIME_DIR=$scratch/$folder ;; *) export XDG_${folder}_HOME="$scratch/$folder" ;; esac
done
chmod 700 "$XDG_RUNTIME_DIR"
export TAP=$scratch/tap
# A terminal at which nobody types: its input neither ends nor comes.
mkfifo "$scratch/keys"
exec 9<>"$scratch/keys"
(ulimit -t 240 && exec timeout $HANG script -qec "nvim -n -u NONE -i NONE --cmd 'let g:tailproof_program=\"$program\"' \
  --cmd 'luafile docs/editor/tailproof.lua' -c 'luafile tests/tools/lsp_neovim.lua' '$scratch/asked.tp'" "$scratch/screen") <&9 >/dev/null 2>&1
status=$?
if [ -s "$TAP" ]; then
  cat "$TAP"
else
  echo "not ok 1 - Neovim ended with status $status"
  tr -cd '[:print:]\n' <"$scratch/screen" | tail -n 20 | sed 's/^/# /'
fi
