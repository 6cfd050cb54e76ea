#!/bin/sh
# Builds the native peer: build.sh SOURCE OUT. SOURCE is QuickJS-ng, the release from which the engine's WebAssembly is
# built too: an unpacked folder or the upstream .tar.gz. OUT is the program to write.
set -eu
source=$1 out=$2
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ -f "$source" ]; then
  mkdir "$work/source"
  tar -xzf "$source" -C "$work/source" --strip-components=1
  source=$work/source
fi

flags="-O2 -DNDEBUG -D_GNU_SOURCE -fwrapv -funsigned-char -w -I$source"
for file in quickjs libregexp libunicode dtoa; do
  ${CC:-gcc} $flags -c "$source/$file.c" -o "$work/$file.o" &
done
${CC:-gcc} $flags -Wall -c "$here/peer.c" -o "$work/peer.o"
wait
${CC:-gcc} "$work"/*.o -lm -lpthread -o "$out"
