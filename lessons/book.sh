#!/bin/sh
# book.sh BUILD - the lessons as one page of HTML that needs nothing else: with
# pandoc, into BUILD/book/index.html.

set -eu
build=$1
command -v pandoc >/dev/null || {
    echo "the book needs pandoc: make deps-all brings it" >&2
    exit 1
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$build/book"

# Each lesson's heading can be led to by its file's name, and leads to its neighbours;
# links to other files of the program are words only, since these do not come along.
# A block of code bears the name of its file.
lead() { # from the lesson before to the one after; either may be missing
    printf '\n::: neighbours\n'
    [ -z "$1" ] || printf '[← %s](#l%s) ' "${1%%-*}" "$1"
    printf '[contents](#TOC)'
    [ -z "$2" ] || printf ' [%s →](#l%s)' "${2%%-*}" "$2"
    printf '\n:::\n\n'
}
before='' now=''
for lesson in lessons/[0-9]*.md ''; do
    after=$(basename "$lesson" .md)
    if [ "$now" ]; then
        sed -e "1s|\$| {#l$now}|" \
            -e 's|](\([0-9][0-9]-[a-z-]*\)\.md)|](#l\1)|g' \
            -e 's|](\([0-9][0-9]-[a-z-]*\)\.md#\([a-z0-9-]*\))|](#\2)|g' \
            -e 's|\[\([^]]*\)\](\.\./[^)]*)|\1|g' -e 's|\[\([^]]*\)\](claims\.md)|\1|g' \
            -e 's|^```c \(.*\)$|[\1]{.file}\n\n```c|' "lessons/$now.md"
        lead "$before" "$after"
    fi
    before=$now now=$after
done >"$work/book.md"
pandoc -f markdown-smart+pipe_tables+tex_math_dollars -t html5 --standalone \
    --self-contained --resource-path lessons --preserve-tabs --mathml --lua-filter lessons/book.lua --toc --toc-depth=1 \
    --highlight-style=monochrome --css lessons/book.css --metadata lang=en \
    --metadata title="Which of the matrices in attention are really there?" \
    "$work/book.md" -o "$build/book/index.html"
echo "$build/book/index.html"
