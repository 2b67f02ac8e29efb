#!/bin/sh
set -eu
cd /opt/app-name
[ -d "releases/$(basename "$1")" ] || { echo "There is no release $1." >&2; exit 1; }
# The new link replaces the old one in one step.
ln -sfn "releases/$(basename "$1")" next
mv -T next current
systemctl restart app-name app-name-worker
