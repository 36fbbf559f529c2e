# qkv report EXPERIMENT ... --out DIR
# write a report: verdicts, tables, figures, limits, and how it was made
#
#   qkv report qkv-out -o page
#   qkv report here there -o page --size 219    report on both, for a column of acl.sty
#
# DIR has report.md, report.tex and, where pandoc is installed, report.html; tables/*.tex
# and figures/*.tex are floats that a paper can \input (booktabs, graphicx). An existing
# report is replaced, with everything in its figures/ and tables/.
#
#   -o, --out DIR             the report's directory
#       --size WIDTH          width of the figures, as in `qkv plot` (column)
#       --x WHAT, --y WHAT    also draw these figures, as in `qkv plot`
#       --by SETTING,...      settings to compare; this and the next three are as in `qkv table`
#       --baseline VARIANT    the variant to compare others with
#       --judge WHAT          the result to compare and to choose learning rates by
#       --margin WHAT=X,...   differences too small to matter
#   -q, --quiet               print no notes

# page.sh makes the files in a draft. `qkv draft` then puts all of them into their place at once,
# or removes them if page.sh fails or is killed.
out='' size=column x='' y='' by='' baseline='' judge='' margin=''
taken='out size x y by baseline judge margin'
. "${0%/commands/*}/script.sh"
refuse_options "$@"
page=$out
[ $# -gt 0 ] || die 2 "report: it takes EXPERIMENT ... --out DIR; \`qkv report --help\` has examples"
for experiment; do
    [ "$page" ] && [ "$experiment" != "$page" ] || die 2 "report: --out must name a directory for the report, other than an experiment"
done
[ ! -d "$page" ] || [ -e "$page/report.tsv" ] || [ -z "$(ls "$page")" ] ||
    die 1 "$page: it holds files but no report.tsv, so it is not a report; choose another directory"
command -v gnuplot >/dev/null || die 1 "report: its figures need gnuplot; \`make deps\` installs it"

mkdir -p "$page"
export page size x y by baseline judge margin
"$QKV" draft "$page" /bin/sh "$plots/page.sh" "$@" || {
    status=$?
    rmdir "$page" 2>/dev/null || : # if nothing is in it
    exit $status
}
if command -v pandoc >/dev/null; then
    more=', report.html'
else
    more='; with pandoc there would be report.html too: install it, and give the same command again'
fi
[ "$quiet" ] || printf 'qkv: wrote %s/report.md, report.tex%s\n' "$page" "$more" >&2
