#!/bin/sh
# floors.sh BUILD - the house's order: no floor includes one above it, no symbol
# is exported but those of the public headers, only libc, libm and libdl are
# linked, and no folder is over its budget. Nothing else looks at the order.

set -eu
build=$1
failed=0
mkdir -p "$build/tests"
complain() {
    echo "floors: $*" >&2
    failed=1
}

# The floors, lowest first, as shared by folders and order: a file may use those of
# its own folder and of the folders before it.
order="qkv base math tape variant task model train run driver/cli driver/sweep
    driver/results driver/figure driver/report driver/check driver"
find core -name '*.[ch]' | sort >"$build/tests/files"
{
    # FROM TO: an include,
    while read -r file; do
        sed -n "s|^ *# *include *[<\"]\([a-z].*/[^>\"]*\)[>\"].*|$file core/\1|p" "$file"
    done <"$build/tests/files"
    # and a symbol that the one file defines and the other one uses.
    (cd "$build/float" && nm -A $(sed -n 's|c$|o|p' ../tests/files)) | awk '
        { sub(/\.o:/, ".c ") }
        $(NF - 1) == "U" { uses[$1 " " $NF]; next }
        $(NF - 1) ~ /[TDBRC]/ { from[$NF] = $1 }
        END {
            for (use in uses) {
                split(use, part, " ")
                if (part[2] in from)
                    print part[1], from[part[2]]
            }
        }'
} | sort -u >"$build/tests/uses"
awk -v order="$order" '
    function floor(file) {
        sub(/^core\//, "", file)
        sub(/\/[^\/]*$/, "", file)
        return file
    }
    BEGIN {
        for (n = split(order, name); n; n--)
            rank[name[n]] = n
    }
    !(floor($1) in rank) { print $1, "is in no folder of the order"; next }
    $2 ~ /^core\/qkv\// || !(floor($2) in rank) { next }
    rank[floor($1)] < rank[floor($2)] { print $1, "uses", $2 ", which is above it" }
    ' "$build/tests/uses" >"$build/tests/upward"
# No file needs one that needs it.
awk '$1 ~ /c$/ && $2 ~ /c$/ && $1 != $2' "$build/tests/uses" | tsort 2>&1 >/dev/null |
    sed -n 's/^tsort: \(core\)/\1/p' >"$build/tests/circles"
while read -r line; do
    complain "$line"
done <"$build/tests/upward"
[ ! -s "$build/tests/circles" ] ||
    complain "these files need each other: $(tr '\n' ' ' <"$build/tests/circles")"

# A variant is its equation: the public headers, and no more than 50 lines; a
# third of a page more where it brings an operator.
for file in variants/*.c; do
    sed -n 's/^ *# *include *//p' "$file" | grep -v '^<qkv/' &&
        complain "$file includes more than <qkv/...>"
    lines=$(sed 's|/\*.*\*/||' "$file" |
        awk '/\/\*/ { c = 1 } !c && NF { n++ } /\*\// { c = 0 }
             END { print n + 0 }')
    most=50
    grep -q 'qkv/operator.h' "$file" && most=70
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
for file in $(grep "c$" "$build/tests/files"); do
    [ "$(wc -l <"$file")" -le 600 ] || complain "$file is past 600 lines"
    long=$(awk '/^\{/ { s = NR } /^\}/ { if (s && NR - s > 60) print s; s = 0 }' \
        "$file")
    [ -z "$long" ] || complain "$file:$long: a function past 60 lines"
done

# The budget: of a folder of core/ the lines of code, without comments and blank
# lines; of others all lines of the files that git knows, where there is git.
while IFS='	' read -r folder most; do
    case $folder in
    '#'* | '') continue ;;
    core/*) lines=$(find "$folder" -name '*.[ch]' | sort | while read -r file; do
        ${CC:-gcc} -fpreprocessed -dD -E -P "$file"
    done | grep -c .) ;;
    *) lines=$(git ls-files "$folder" 2>/dev/null | xargs -r cat | wc -l) ;;
    esac
    [ "$lines" -le "$most" ] || complain "$folder has $lines lines: over its $most of tests/budget.tsv"
done <tests/budget.tsv

exit $failed
