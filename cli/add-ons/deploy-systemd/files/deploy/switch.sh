#!/bin/sh
set -eu
cd /opt/app-name
# The new link replaces the old one in one step.
ln -sfn "releases/$(basename "$1")" next
mv -T next current
systemctl restart app-name app-name-worker
