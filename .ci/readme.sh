#!/bin/sh
# Runs every shell block of the README in a fresh copy of the repository, in
# order, and stops at the first that ends other than it says. A command that
# is meant to end with another code than 0 says so: `|| test $? = 5`.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git -C "$root" ls-files -z | (cd "$root" && xargs -0 tar cf -) | tar xf - -C "$work"
cd "$work"
mkdir -p "$work/home/bin"
PATH="$work/home/bin:$PATH" GOBIN="$work/home/bin"
export PATH GOBIN
awk '/^```sh$/ {on = 1; next} /^```$/ {on = 0} on' "$root/README.md" > "$work/.readme.sh"
test -s "$work/.readme.sh"
sh -eux "$work/.readme.sh"
echo "every shell block of the README ran"
