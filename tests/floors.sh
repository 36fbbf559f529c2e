#!/bin/sh
# floors.sh BUILD - the house's order: no floor includes one above it, no symbol is
# exported but those of the public headers, only libc, libm and libdl are linked, and
# nothing is longer than it may be. Nothing else looks at the order.

build=$1
. tests/lib.sh
here=$work
cd "$top" || exit 1
# none WHAT: the lines that come in are what is wrong; there are none.
none() { sed "s|^|$1: |" >>"$here/wrong"; }

# The top level is fixed; what is built is in build.
ls | grep -vxE 'core|variants|lessons|tests|plots|Makefile|README.md|LICENSE|build' |
    none "stands at the top level, where it may not be"

# The floors, lowest first: a file may use those of its own folder and of the folders
# before it. core/fast/NAME.c has the functions of core/heart/NAME.c once more.
order="qkv heart fast operators base math equation config tasks training decode algebra watch check run models page study driver"
{
    # FROM TO: an include,
    find core -name '*.[ch]' -exec grep -o '^ *# *include *[<"][a-z].*/[^>"]*' {} + |
        sed 's|:.*[<"]| core/|'
    # and a symbol that the one file defines and the other one uses.
    (cd "$build/float" && nm -A $(cd "$top" && find core -name '*.c' | sed 's|c$|o|')) 2>/dev/null |
        sed 's|^core/fast/\(.*\) \([TDBR]\) |core/heart/\1 \2 |' | awk '
        { sub(/\.o:/, ".c ") }
        $(NF - 1) == "U" { uses[$1 " " $NF] }
        $(NF - 1) ~ /[TDBRC]/ { from[$NF] = $1 }
        END {
            for (use in uses) {
                split(use, part, " ")
                if (part[2] in from)
                    print part[1], from[part[2]]
            }
        }'
} | sort -u >"$here/uses"
awk -v order="$order" '
    function floor(file) {
        gsub(/^core\/|\/[^\/]*$/, "", file)
        return rank[file]
    }
    BEGIN {
        for (n = split(order, name); n; n--)
            rank[name[n]] = n
    }
    !floor($1) { print $1, "is in no folder of the order" }
    floor($2) > 1 && floor($1) < floor($2) { print $1, "uses", $2 }' "$here/uses" |
    none "a floor uses one above it"
# A file and its header are one; no two need each other, and no two of the page's scripts.
{
    sed 's/\.[ch]\b//g' "$here/uses" | awk '$1 != $2'
    grep -o "^import .* from '\./[^']*" lessons/web/*.js | sed "s|:.*\./| lessons/web/|"
} | tsort 2>&1 >/dev/null | sed -n 's/^tsort: \([a-z]*\/\)/\1/p' | none "these files need each other"

# A function that is not static is declared in the header of its file, or in a public
# one. (Of the floors that are as they should be.)
for file in core/heart/*.c core/fast/*.c core/operators/*.c; do
    name=$(basename "$file" .c)
    nm -g --defined-only "$build/float/${file%c}o" 2>/dev/null | awk '{ print $3 }' |
        while read -r symbol; do
            [ $symbol = main ] || grep -qE "[ *(]$symbol[[(;,)]" "core/heart/$name.h" "core/fast/$name.h" "core/operators/$name.h" core/qkv/*.h 2>/dev/null ||
                echo "$file: $symbol"
        done
done | none "declared in a header of another name"

# Who reads a tape knows each operator of the core by its address: it is a constant of
# its own, with a row in the table of what operators mean.
grep -hoE '(static )?const (Operator|LinearOp|ProductOp) [a-z_]+ =' core/*/*.c |
    while read -r words; do
        name=$(echo "$words" | sed 's/ =//; s/.* //')
        case $words in
        static*) echo "$name is static, so nobody can know it" ;;
        *) grep -qE "\{&$name(\.op)?," core/algebra/operator_table.c || echo "$name has no row in core/algebra/operator_table.c" ;;
        esac
    done | none "an operator"
grep -n 'op->name' core/*/*.c | grep -E 'strn?cmp' | none "an operator is compared by its name"

# What the program exports, without what the linker adds; and what it is linked with.
nm -D --defined-only "$build/qkv" | awk '{ print $3 }' |
    grep -vxE '_.*|data_start|main|stdin|stdout|stderr|environ|opt(arg|ind|err|opt)|.*@.*' |
    while read -r symbol; do
        grep -qE "[ *]$symbol[(;]" core/qkv/*.h || echo "$symbol"
    done | none "exported, and declared in no public header"
objdump -p "$build/qkv" | awk '/NEEDED/ { print $2 }' |
    grep -vE '^lib(c|m|dl|asan|ubsan|gcc_s|gcov)\.so' | none "linked with"

# A variant is its equation: the public headers, and besides the equation no more than
# 50 lines; a third of a page more where it brings an operator. No file of core past 600
# lines, no function past 60.
grep '^ *# *include' variants/*.c | grep -v '<qkv/' | none "a variant includes more than <qkv/...>"
for file in variants/*.c; do
    most=50
    ! grep -q 'qkv/operator.h' "$file" || most=70
    sed 's|/\*.*\*/||' "$file" | awk -v most=$most -v file="$file" '
        /\/\*/ { c = 1 } !c && NF && !/^ *"/ { n++ } /\*\// { c = 0 }
        END { if (n > most) print file, n, "lines of code" }'
done | none "a variant is too long"
find core -name '*.c' -exec awk '
    /^\{/ { s = FNR } /^\}/ { if (s && FNR - s > 60) print FILENAME ":" s; s = 0 }
    FNR == 601 { print FILENAME }' {} + | none "past 600 lines, or a function past 60"

# The budget, of the files that git knows, where there is git: lines of tests, except tables
# of measured numbers, and lines of code of core, without comments and blanks.
code() {
    git ls-files "$1" 2>/dev/null | grep '\.[ch]$' | while read -r file; do
        gcc -fpreprocessed -dD -E -P "$file" 2>/dev/null | grep -c .
    done | awk '{ sum += $1 } END { print sum + 0 }'
}
grep -v '^#' tests/budget.tsv | while read -r folder most; do
    case $folder in
    core*) lines=$(code "$folder") ;;
    *) lines=$(git ls-files "$folder" 2>/dev/null | grep -v '\.csv$\|\.sum$' | xargs -r cat | wc -l) ;;
    esac
    [ "$lines" -le "$most" ] || echo "$folder has $lines lines: over its $most of tests/budget.tsv"
done | none "over budget"

while read -r line; do
    complain "$line"
done <"$here/wrong"
[ -s "$here/wrong" ] || ok
finish
