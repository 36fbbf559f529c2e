#!/bin/sh
# book.sh BUILD - the book as HTML that needs nothing else, made with pandoc in
# BUILD/book: a page for each lesson (index.html is the first); search.js, which their
# search reads; book.html, all lessons on one page, to be printed; and that as book.pdf,
# where there is Chromium.

set -eu
build=$1
command -v pandoc >/dev/null || {
    echo "the book needs pandoc: make deps-all brings it" >&2
    exit 1
}
out=$build/book
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rm -rf "$out"
mkdir -p "$out"
cp -r lessons/figures lessons/book.css lessons/book.js "$out"

# Of each lesson: its name, its page, its heading, and the pages before and after it.
for lesson in lessons/[0-9]*.md lessons/claims.md lessons/reference.md lessons/teach.md lessons/changes.md; do
    name=$(basename "$lesson" .md)
    case $name in 00-*) page=index ;; *) page=$name ;; esac
    printf '%s\t%s\t%s\n' "$name" "$page" "$(sed -n '1s/^# //p' "$lesson")"
done | awk -F '\t' -v OFS='\t' '
    NR > 1 { print line, before ? before : "-", $2 }
    { before = page; page = $2; line = $0 }
    END { print line, before, "-" }' >"$work/list"

# Of each lesson that has a level: its page, that level, and minutes.
sh lessons/minutes.sh >"$work/levels"

# Of each lesson that begins a part of the book: its page, and the part as lesson 00 names it.
awk -v OFS='\t' '/^### / { part = substr($0, 5) }
    part && match($0, /\]\([0-9][0-9]-[a-z-]*/) {
        print substr($0, RSTART + 2, RLENGTH - 2), part
        part = ""
    }' lessons/00-*.md >"$work/parts"

# A block of code bears the name of its file. Nobody reads the marks of measured numbers.
prose() {
    sed -e '/^<!--$/,/^-->$/d' -e 's/<!--[^ =>]*=[^ >]*-->//g' \
        -e 's|^```c \([^ ]*\).*$|[\1]{.file}\n\n```c|' "lessons/$1.md"
}
to_html() {
    pandoc -f markdown-smart+pipe_tables+tex_math_dollars -t html5 --preserve-tabs \
        --mathml --lua-filter lessons/book.lua --highlight-style=monochrome \
        --metadata lang=en "$@"
}

# The pages. A lesson's links lead to pages; the contents are the same on all of them.
contents() {
    echo '<ol>'
    awk -F '\t' -v page="$1" 'FILENAME ~ /levels$/ { about[$1] = $2 ", " $3 " minutes"; next }
    FILENAME ~ /parts$/ { part[$1] = $2; next }
    {
        if ($2 in part)
            print "<li class=\"part\">" part[$2] "</li>"
        number = match($3, /^[0-9]+ /) ? substr($3, 1, RLENGTH - 1) : ""
        printf "<li><a href=\"%s.html\"%s><b>%s</b> %s</a>%s</li>\n", $2,
            $2 == page ? " aria-current=\"page\"" : "", number,
            number ? substr($3, length(number) + 2) : $3,
            $2 in about ? " <small>" about[$2] "</small>" : ""
    }' "$work/levels" "$work/parts" "$work/list"
    echo '</ol>'
}
heading_of() { awk -F '\t' -v page="$1" '$2 == page { print $3 }' "$work/list"; }
neighbours() { # BEFORE AFTER; in the locale C pandoc reads only ASCII in its options
    echo '<p class="neighbours">'
    [ "$1" = - ] || echo "<a rel=\"prev\" href=\"$1.html\">&larr; $(heading_of "$1")</a>"
    [ "$2" = - ] || echo "<a rel=\"next\" href=\"$2.html\">$(heading_of "$2") &rarr;</a>"
    echo '</p>'
}
while IFS='	' read -r name page heading before after; do
    prose "$name" | sed -E 's/\]\(00-[a-z-]*\.md/](index.html/g
        s/\]\(([0-9][0-9]-[a-z-]*|claims|reference|teach|changes)\.md/](\1.html/g' >"$work/page.md"
    to_html --template lessons/book.html --metadata page="$page" \
        --metadata title="$heading" --metadata search="$work/search" \
        --variable contents="$(contents "$page")" \
        --variable neighbours="$(neighbours "$before" "$after")" \
        "$work/page.md" -o "$out/$page.html"
done <"$work/list"
{
    echo 'found(['
    cat "$work/search"
    echo '])'
} >"$out/search.js"

# All on one page: a lesson's heading bears its name, which links lead to; answers are open.
while IFS='	' read -r name page heading before after; do
    prose "$name" | sed -E -e "1s/\$/ {#l$name}/" -e 's/<details>/<details open>/' \
        -e 's/\]\(([0-9][0-9]-[a-z-]*|claims|reference|teach|changes)\.md\)/](#l\1)/g' \
        -e 's/\]\(([0-9][0-9]-[a-z-]*|claims|reference|teach|changes)\.md#([^)]*)\)/](#\2)/g'
    echo
done <"$work/list" >"$work/book.md"
to_html --standalone --self-contained --resource-path lessons --toc --toc-depth=1 \
    --css lessons/book.css --metadata title="Which of the matrices in attention are really there?" \
    "$work/book.md" -o "$out/book.html"
echo "$out/index.html"

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || exit 0
"$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-pdf-header-footer \
    --user-data-dir="$work/profile" --print-to-pdf="$out/book.pdf" \
    "file://$(cd "$out" && pwd)/book.html" 2>/dev/null && echo "$out/book.pdf"
