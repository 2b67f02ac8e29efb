#!/bin/sh
set -eu
release=/opt/app-name/releases/$(date -u +%Y%m%dT%H%M%SZ)
git clone --quiet --depth 1 "$(git -C "$(dirname "$0")" remote get-url origin)" "$release"
cd "$release"
npm ci --omit=dev
set -a && . /etc/app-name.env && set +a
node cli/bin.js db migrate
sh deploy/switch.sh "$release"
