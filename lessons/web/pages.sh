#!/bin/sh
# pages.sh BUILD - the pages of the web edition, in BUILD/web: those of BUILD/book, each
# with one script and one style sheet more, and what these need.

set -eu
book=$1/book web=$1/web
mkdir -p "$web/plots"
cp plots/*.gp "$web/plots"
ls plots | grep 'gp$' >"$web/plots/names.txt"
cp -r "$book/figures" "$book"/book.css "$book"/book.js "$book"/book.html "$book"/search.js "$web"
cp lessons/web/*.css lessons/web/*.html "$web"
cp $(ls lessons/web/*.js | grep -v library.js) "$web"
for page in $(cd "$book" && ls *.html | grep -v '^book.html'); do
    sed 's|<script src="book.js" defer></script>|<link rel="stylesheet" href="web.css">\
<link rel="icon" href="data:,">\
&\
<script type="module" src="web.js"></script>|
        s|<p><a href="book.html">.*|&\
<p><a href="playground.html">Playground</a></p>|' "$book/$page" >"$web/$page"
done
echo "$web/index.html"
