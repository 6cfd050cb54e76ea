#!/bin/sh
# Builds the native peer: build.sh SOURCE OUT. SOURCE is the unpacked source of QuickJS-ng, the pinned one from which
# the engine's WebAssembly is built too; OUT is the program to write.
set -eu
source=$1 out=$2
here=$(cd "$(dirname "$0")" && pwd)
objects=$(mktemp -d)
trap 'rm -rf "$objects"' EXIT
flags="-O2 -DNDEBUG -D_GNU_SOURCE -fwrapv -funsigned-char -w -I$source"
for file in quickjs libregexp libunicode dtoa; do
  ${CC:-gcc} $flags -c "$source/$file.c" -o "$objects/$file.o" &
done
${CC:-gcc} $flags -Wall -c "$here/peer.c" -o "$objects/peer.o"
wait
${CC:-gcc} "$objects"/*.o -lm -lpthread -o "$out"
