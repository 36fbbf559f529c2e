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

# Each lesson's heading can be led to by its file's name; links to other files of
# the program are words only, since these do not come along.
for lesson in lessons/[0-9]*.md; do
    name=$(basename "$lesson" .md)
    sed -e "1s|\$| {#l$name}|" \
        -e 's|](\([0-9][0-9]-[a-z-]*\)\.md)|](#l\1)|g' \
        -e 's|\[\([^]]*\)\](\.\./[^)]*)|\1|g' \
        -e 's|^```c \(.*\)$|*\1*\n\n```c|' "$lesson"
    echo
done >"$work/book.md"
pandoc -f markdown-smart+pipe_tables -t html5 --standalone --self-contained \
    --mathml --toc --toc-depth=1 --highlight-style=monochrome \
    --css lessons/book.css --metadata lang=en \
    --metadata title="Which of the matrices in attention are really there?" \
    "$work/book.md" -o "$build/book/index.html"
echo "$build/book/index.html"
