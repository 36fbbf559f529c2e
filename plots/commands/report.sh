# report.sh - qkv report: an experiment as a page that can be sent to a colleague or put
# into a paper. It prints with `qkv table` and draws with `qkv plot`; what lies in an
# experiment is never run.

. "${0%/commands/*}/script.sh"
usage() {
    cat <<'END'
qkv report EXPERIMENT ... --out DIR
write a report: verdicts, tables, figures, limits, and how it came about

  qkv report qkv-out -o page
  qkv report here there -o page --size acl    the runs of both, for a column of a paper

DIR has report.md, report.tex and, where pandoc is installed, report.html; tables/*.tex
and figures/*.tex are floats that a paper can \input (booktabs, graphicx).

  -o, --out DIR             the report's directory
      --size WIDTH          width of the figures, as of `qkv plot` (column)
      --by SETTING          what verdicts compare; these four as of `qkv table --verdicts`
      --baseline VARIANT    what the others are compared with
      --judge WHAT          the quantity that verdicts are about
      --margin WHAT=X,...   differences that do not matter
  -q, --quiet               no notes
  -h, --help                show this help
END
}

page='' size=column by='' baseline='' judge='' margin='' quiet='' takes=''
for word; do
    shift
    case $takes$word in
    page* | size* | by* | baseline* | judge* | margin*)
        [ ! "$takes" ] || { eval "$takes=\$word" && takes='' && continue; }
        set -- "$@" "$word"
        ;;
    -o | --out) takes=page ;;
    --out=*) page=${word#*=} ;;
    --size | --by | --baseline | --judge | --margin) takes=${word#--} ;;
    --size=* | --by=* | --baseline=* | --judge=* | --margin=*)
        option=${word%%=*}
        eval "${option#--}=\${word#*=}"
        ;;
    -q | --quiet) quiet=-q ;;
    -h | --help) usage && exit ;;
    -*) die 2 "unknown option $word: \`qkv report --help\` lists them" ;;
    *) set -- "$@" "$word" ;;
    esac
done
[ ! "$takes" ] || die 2 "--$takes: needs a value after it"
[ $# -gt 0 ] || die 2 "report takes EXPERIMENT ... --out DIR: \`qkv report --help\` tells more"
[ "$page" ] || die 2 "report needs --out DIR, a directory of its own"
for experiment; do
    [ "$experiment" != "$page" ] ||
        die 2 "report needs --out DIR, a directory of its own: $page is the experiment"
done
[ ! -d "$page" ] || [ -e "$page/report.tsv" ] || [ -z "$(ls -A "$page")" ] ||
    die 1 "$page: holds files but no report.tsv, so it is no report of qkv's; give another --out"
command -v gnuplot >/dev/null ||
    die 1 "a report's figures need gnuplot; \`make deps\` brings it"

# All of it is made in a draft, and then moved.
mkdir -p "$page" || die 1 "$page: cannot be made; give another --out"
rm -rf "$page"/.report.*
draft=$page/.report.$$
mkdir -p "$draft/figures" "$draft/tables"
trap 'rm -rf "$draft"; rmdir "$page" 2>/dev/null || :' EXIT
verdicts() {
    "$QKV" table "$@" --verdicts ${by:+--by="$by"} ${baseline:+--baseline="$baseline"} \
        ${judge:+--judge="$judge"} ${margin:+--margin="$margin"}
}
verdicts "$@" --tsv >"$draft/.verdicts"
verdicts "$@" --markdown >"$draft/.results.md"
verdicts "$@" --latex >"$draft/.results.tex"
"$QKV" table "$@" --tsv >"$draft/.runs"

# The recipe that made the experiment, of those that we have; '' for none.
recipe=''
if [ $# -eq 1 ] && [ -e "$1/recipe.txt" ]; then
    [ -f "$1/recipe.txt" ] && [ ! -L "$1/recipe.txt" ] || die 1 "$1/recipe.txt: a link, or not a plain file"
    recipe=$(head -c 100 "$1/recipe.txt" | sed -n '1s/^\([a-z][a-z0-9-]*\)$/\1/p')
    [ -f "$plots/recipes/$recipe.sh" ] || recipe=''
fi

# draw FORMAT OPTION ...: what the recipe draws, else what compare and equiv do.
draw() {
    drawn="--format=$1 ${2:+--size=$2}"
    shift 2
    if [ "$recipe" ] && grep -q '^qkv plot' "$plots/recipes/$recipe.sh"; then
        out=$1
        . "$plots/recipes/$recipe.sh"
    else
        "$QKV" plot "$@" --again ${by:+--by="$by"} -o "$draft" -q $drawn
    fi
}
qkv() { [ "$1" != plot ] || "$QKV" "$@" -o "$draft" -q $drawn; }
qkv_double() { :; }
draw pdf "$size" "$@" # for a paper, then for a page
draw svg '' "$@"
figures=$(cd "$draft/figures" && ls -- *.svg | sed 's/\.svg$//')

# Each float of LaTeX by itself; the page reads it.
awk -v folder="$draft/tables" '
    /^% needs/ { float = $0; label = ""; next }
    float && /^\\label{tab:/ { label = substr($0, 12, length($0) - 12) }
    float && /^\\begin{table}/ { inside = 1 }
    float && (inside || /^%/) { float = float "\n" $0 }
    /^\\end{table}/ { inside = 0; next }
    float && !inside && !/^%/ { end_float() }
    !float { print }
    function end_float() {
        print float >(folder "/" label ".tex")
        close(folder "/" label ".tex")
        print "\n\\input{tables/" label "}"
        float = ""
    }
    END { if (float) end_float() }' "$draft/.results.tex" >"$draft/.results"

head_of() { # FIRST LAST: lines of the recipe's comment
    sed -n "$1,$2{/^# /!q; s/^# //p;}" "$plots/recipes/$recipe.sh" | tr '\n' ' ' | sed 's/ $//'
}
{
    echo "# $([ "$recipe" ] && head_of 1 1 || echo 'Variants of attention, compared')"
    [ ! "$recipe" ] || { echo && head_of 2 99 && echo; }
    echo '## Results'
} >"$draft/.begin"
{
    awk -F '\t' -f "$plots/facts.awk" -v part=limits "$draft/.verdicts" "$draft/.runs"
    echo '## What was run'
    awk -F '\t' -f "$plots/facts.awk" -v part=runs "$draft/.verdicts" "$draft/.runs"
    for experiment; do
        cat "$experiment"/config.tsv "$experiment"/*/config.tsv 2>/dev/null || :
    done | awk -F '\t' -f "$plots/facts.awk" -v part=settings
    [ ! "$recipe" ] || echo "It is the recipe $recipe: qkv recipe $recipe does all of this again, and draws it."
    for experiment; do
        if [ -s "$experiment/experiment.tsv" ]; then
            awk -F '\t' -f "$plots/facts.awk" -v part=commands -v out="$experiment" "$experiment/experiment.tsv"
        else
            echo "Not all commands that made the runs of $experiment are recorded: config.tsv of each run says what it is."
        fi
    done
} >"$draft/.end"

# write LATEX-OR-NOT: the parts of the page, one after the other.
write() {
    text() { awk -f "$plots/words.awk" -f "$plots/page.awk" -v latex="$1"; }
    text "$1" <"$draft/.begin"
    if [ "$1" = 1 ]; then
        cat "$draft/.results"
        [ ! "$figures" ] || echo
        for name in $figures; do
            echo "\\input{figures/$name}"
        done
    else
        cat "$draft/.results.md"
        printf '\n## Figures\n'
        n=0
        for name in $figures; do
            n=$((n + 1))
            printf '\n![%s](figures/%s.svg)\n' "$name" "$name"
            echo "Figure $n. $(tr '\n' ' ' <"$draft/figures/$name.txt")Data: figures/$name.tsv." | text 0
        done
    fi
    text "$1" <"$draft/.end"
    [ "$1" = 0 ] || printf '\n\\end{document}\n'
}
write 0 >"$draft/report.md"
write 1 >"$draft/report.tex"

# What a stranger wrote is text: pandoc passes on no HTML and no TeX, and reads nothing else.
told="; with pandoc there would be report.html too: install it, and give the same command again"
if command -v pandoc >/dev/null; then
    told=', report.html'
    (cd "$draft" && pandoc --standalone --self-contained '-Mpagetitle=qkv report' \
        --from=markdown_strict+pipe_tables+all_symbols_escapable-raw_html \
        -o report.html report.md --sandbox) >"$draft/.said" 2>&1 ||
        die 1 "report.html: pandoc failed on it: $(tail -n 1 "$draft/.said")"
fi
rm -f "$page/report.html" # of an older report
mkdir -p "$page/figures" "$page/tables"
mv -f "$draft"/figures/* "$page/figures"
mv -f "$draft"/tables/* "$page/tables"
mv -f "$draft"/report.* "$page"
printf 'key\tvalue\nformat\t1\n' >"$page/report.tsv"
[ "$quiet" ] || echo "qkv: wrote $page/report.md, report.tex$told" >&2
