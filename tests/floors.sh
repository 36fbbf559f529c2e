#!/bin/sh
# floors.sh BUILD - the house's order: no floor includes one above it, no symbol
# is exported but those of the public headers, only libc, libm and libdl are
# linked.

set -eu
build=$1
failed=0
mkdir -p "$build/tests"
complain() {
    echo "floors: $*" >&2
    failed=1
}

# The floor of a file; each may include its own and those below.
floor() {
    case $1 in
    core/qkv/real.h | core/fail.* | core/elementary.h | core/vector.h | core/words.* | core/files.* | core/threads.*) echo 0 ;;
    core/svd.* | core/matrix.* | core/rows.* | core/random.*) echo 1 ;;
    core/qkv/tape.h | core/qkv/operator.h | core/qkv/attend.h) echo 2 ;;
    core/tape.* | core/operator.c | core/layers.* | core/attend.* | core/heads.c | core/steps.c | core/call.c) echo 2 ;;
    core/qkv/variant.h | core/plugin.* | core/canonical.* | core/adopt.* | core/cost.* | core/difference.*)
        echo 3 ;;
    core/config.* | core/model*.[ch] | core/fold.* | core/linear.* | core/watched.* | core/task*.[ch] | core/source.c) echo 4 ;;
    core/text.* | core/pairs.* | core/optimizer.*) echo 4 ;;
    core/train.* | core/observe.* | core/convert.* | core/run*.[ch] | core/experiment.c | core/tsv.* | core/npy.*)
        echo 5 ;;
    core/driver/*) echo 6 ;;
    *) echo none ;;
    esac
}

for file in core/*.[ch] core/qkv/*.h core/driver/*.[ch]; do
    from=$(floor "$file")
    [ "$from" != none ] || complain "$file stands on no floor: name one here"
    for name in $(sed -n 's/^ *# *include *[<"]\([^>"]*\)[>"].*/\1/p' "$file")
    do
        for place in "core/$name" "core/driver/$name"; do
            [ -f "$place" ] || continue
            [ "$(floor "$place")" -le "$from" ] ||
                complain "$file includes $name, which stands above it"
        done
    done
done

# A variant is its equation: the public headers, and no more than 40 lines; a
# third of a page more where it brings an operator.
for file in variants/*.c; do
    sed -n 's/^ *# *include *//p' "$file" | grep -v '^<qkv/' &&
        complain "$file includes more than <qkv/...>"
    lines=$(sed 's|/\*.*\*/||' "$file" |
        awk '/\/\*/ { c = 1 } !c && NF { n++ } /\*\// { c = 0 }
             END { print n + 0 }')
    most=40
    grep -q 'qkv/operator.h' "$file" && most=65
    [ "$lines" -le $most ] || complain "$file has $lines lines of code"
done

# What the program exports, without what the linker adds.
nm -D --defined-only "$build/qkv" | awk '{ print $3 }' |
    grep -vxE '_.*|data_start|main|stdin|stdout|stderr|environ' |
    grep -vE '@|^(opt(arg|ind|err|opt))$' |
    while read -r symbol; do
        grep -qE "[ *]$symbol[(;]" core/qkv/*.h || echo "$symbol"
    done >"$build/tests/exported"
while read -r symbol; do
    complain "$symbol is exported, and no public header declares it"
done <"$build/tests/exported"

for library in $(objdump -p "$build/qkv" | awk '/NEEDED/ { print $2 }'); do
    case $library in
    libc.so.* | libm.so.* | libdl.so.* | libasan.so.* | libubsan.so.* | \
        libgcc_s.so.* | libgcov.so.*) ;;
    *) complain "the program is linked with $library" ;;
    esac
done

# No file of core past 600 lines, no function past 60.
for file in core/*.c core/driver/*.c; do
    [ "$(wc -l <"$file")" -le 600 ] || complain "$file is past 600 lines"
    long=$(awk '/^\{/ { s = NR } /^\}/ { if (s && NR - s > 60) print s; s = 0 }' \
        "$file")
    [ -z "$long" ] || complain "$file:$long: a function past 60 lines"
done

exit $failed
