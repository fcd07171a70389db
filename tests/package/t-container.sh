#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The Containerfile is built, and its program run as the user and with the entry point that it names. The base image is
# made here of Debian's packages, so no registry of images is asked. Needs buildah and mmdebstrap, as root or with user
# namespaces; part of `make test-all`.
cd "$(dirname "$0")/../.." || exit 1
for tool in buildah mmdebstrap jq; do
  command -v $tool >/dev/null || { echo "not ok 1 - $tool is missing (apt-get install $tool)"; exit 69; }
done
scratch=$(mktemp -d)
images() { buildah --root "$scratch/images" --runroot "$scratch/run" --storage-driver vfs "$@"; }
trap 'images rm --all >/dev/null 2>&1; images rmi --all --force >/dev/null 2>&1; rm -rf "$scratch"' EXIT
count=0
check() { # title, command...
  local title=$1
  shift
  count=$((count + 1))
  if "$@" >"$scratch/out" 2>&1; then
    echo "ok $count - $title"
  else
    echo "not ok $count - $title"
    tail -n 30 "$scratch/out" | sed 's/^/# /'
  fi
}

base() { # as the published image: without documents
  local from
  mmdebstrap --variant=minbase --include=ca-certificates --dpkgopt='path-exclude=/usr/share/doc/*' bookworm "$scratch/base.tar" &&
    from=$(images from scratch) && images add "$from" "$scratch/base.tar" / && images commit "$from" docker.io/library/debian:12-slim
}
check "a base image" base
scripts/deb.sh --source "$scratch/source" || exit 1
check "the Containerfile is built" images build --pull-never --isolation chroot --tag tailproof -f Containerfile "$scratch/source"
container=$(images from --pull-never tailproof)
images inspect tailproof >"$scratch/image"
mapfile -t entry < <(jq -r '.OCIv1.config.Entrypoint[]' "$scratch/image")
mkdir "$scratch/data"
cp specs/lock.tp "$scratch/data/"
chmod -R a+rX "$scratch"
inside() { images run --isolation chroot --volume "$scratch/data:/data" "$container" -- "$@"; }
check "it proves a protocol in the folder that is given to it" inside "${entry[@]}" verify lock.tp
not_root() { [ "$(inside id -u)" -eq 65532 ]; }
check "not as root" not_root
mapfile -t arguments < <(jq -r '.OCIv1.config.Cmd[]' "$scratch/image")
help_comes_first() { inside "${entry[@]}" "${arguments[@]}" | grep '^commands:'; }
check "without arguments it explains itself" help_comes_first
is_small() { inside sh -c '! command -v gcc && ! command -v dpkg-buildpackage && [ ! -e /source ] && [ ! -e /packages ]'; }
check "it has no compiler, and no source" is_small
echo "1..$count"
