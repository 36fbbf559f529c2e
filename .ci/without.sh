#!/bin/sh
# without.sh TOOL FOLDER - links, in FOLDER, to every program of PATH except TOOL: the
# programs of a machine that only lacks this one.

set -eu
tool=$1 folder=$2
mkdir -p "$folder"
echo "$PATH" | tr : '\n' | while read -r place; do
    case $place in
    */ccache) continue ;; # its links look for the compiler in another folder of PATH
    esac
    # The first of a name is the one that counts: ln leaves it.
    ln -s -t "$folder" "$place"/* 2>/dev/null || true
done
rm -f "$folder/$tool"
