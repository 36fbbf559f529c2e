#!/bin/sh
# mistakes.sh BUILD - a plugin with one mistake in its heads, columns, signs or scales is
# told apart from the variant that it is meant to be: by check, whose equation fails, and
# by derive, which says how far the two are apart with equal matrices; each mistake of
# tests/broken/mistakes.tsv. The gradients of all of them are right.

build=$1
. tests/lib.sh

cp "$top/tests/broken/mistakes.h" .
# planted NAME BASE LINE: NAME.c is the variant with that line.
planted() {
    {
        sed -n '1,/^#include <qkv/p' "$top/variants/$2.c"
        echo '#include "mistakes.h"'
        sed '1,/^#include <qkv/d' "$top/variants/$2.c" | LINE=$3 awk '
            /^    return matmul\(attend/ { print "    " ENVIRON["LINE"] }
            { print }'
    } >"$1.c"
}
grep -v '^#' "$top/tests/broken/mistakes.tsv" >mistakes
count=0
while IFS='	' read -r name base line; do
    planted "$name" "$base" "$line"
    count=$((count + 1))
    "$qkv" derive "$base" = "./$name.c" >out 2>err
    expect "$name: derive takes it for $base: $(cat out)" grep -q '^with equal matrices .*differ by' out
    "$build/qkv-double" check "./$name.c" --tsv >out 2>err
    expect "$name: check takes it for $base: $(cat out)" grep -q "^equation	FAILED" out
done <mistakes
expect "only $count mistakes" [ "$count" -ge 40 ]

# The variants themselves, written so, are right.
for base in standard gqa mqa mla two-step; do
    planted "as-$base" "$base" ";"
    works 'with equal matrices they are the same' "$qkv" derive "$base" = "./as-$base.c"
    works 'its equation says the same' "$qkv" derive "./as-$base.c"
done
finish
