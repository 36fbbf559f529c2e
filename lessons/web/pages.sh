#!/bin/sh
# pages.sh BUILD - the pages of the web edition, in BUILD/web: those of BUILD/book, each
# with one script and one style sheet more, a place for the equation that a lesson marks
# with the name of its variant, and what these need: lists.js has the lists of
# the program and of exercises, and the menus of the playground have their names.

set -eu
book=$1/book web=$1/web
mkdir -p "$web/plots" "$web/models" "$web/exercises"
cp plots/*.gp "$web/plots"
cp core/models/*.tsv "$web/models"
(cd "$web" && ls plots/*.gp models/*.tsv) >"$web/names.txt"
cp -r "$book/figures" "$book"/book.css "$book"/book.js "$book"/book.html "$book"/search.js lessons/web/*.css "$web"
cp $(ls lessons/web/*.js | grep -v library.js) "$web"
cp lessons/exercises/*.txt lessons/exercises/*.eq lessons/exercises/*.answers lessons/exercises/*.why \
    lessons/exercises/answers.awk "$web/exercises"
"$1/qkv" list --tsv >"$web/variants.tsv"
"$1/qkv" list --tasks --tsv >"$web/tasks.tsv"
# Of each exercise, its title, and the ending of its file.
mine=$(mktemp -d)
{
    printf 'exercise\ttitle\tkind\n'
    EXERCISES=$mine sh lessons/exercise.sh "$1" |
        sed -n 's/^ *\([0-9][0-9]-[a-z]*\)  *\(.*\) (lessons.*/\1	\2/p' |
        while IFS='	' read -r exercise title; do
            for file in lessons/exercises/"$exercise".[cste]*; do
                printf '%s\t%s\t%s\n' "$exercise" "$title" "${file##*.}"
            done
        done
} >"$web/exercises.tsv"
rm -r "$mine"
for list in variants tasks exercises; do
    # an object a row, in which what is no number is a text
    awk -F '\t' -v list=$list '
        NR == 1 { n = split($0, name); printf "export const %s = [", list; next }
        {
            printf "%s{", (NR > 2 ? "," : "")
            for (i = 1; i <= n; i++) {
                printf "%s\"%s\": %s", (i > 1 ? ", " : ""), name[i], \
                    ($i == "NA" ? "null" : $i ~ /^-?[0-9.]+(e-?[0-9]+)?$/ ? $i : "\"" $i "\"")
            }
            print "}"
        }
        END { print "];" }' "$web/$list.tsv"
done >"$web/lists.js"
# The names of a list; text, which needs a file, is not among them.
menu() { # LIST CHOSEN
    awk -F '\t' -v chosen="$2" 'NR > 1 && $1 != "text" {
        printf "<option%s>%s</option>", $1 == chosen ? " selected" : "", $1 }' "$web/$1.tsv"
}
sed "s|<select name=\"[av]\">|&$(menu variants standard)|
    s|<select name=\"b\">|&$(menu variants two-step)|
    s|<select name=\"t\">|&$(menu tasks recall)|" lessons/web/playground.html >"$web/playground.html"
for page in $(cd "$book" && ls *.html | grep -v '^book.html'); do
    sed 's|<script src="book.js" defer></script>|<link rel="stylesheet" href="web.css">\
<link rel="icon" href="data:,">\
&\
<script type="module" src="web.js"></script>|
        s|<!-- equation \([a-z-]*\) -->|<div id="equation" data-of="\1"></div>|
        s|<p><a href="book.html">.*|&\
<p><a href="playground.html">Playground</a></p>|' "$book/$page" >"$web/$page"
done
echo "$web/index.html"
