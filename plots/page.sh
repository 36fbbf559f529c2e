# page.sh EXPERIMENT ... - makes the files of a report in $QKV_DRAFT, from where `qkv draft`
# puts them into $page. commands/report.sh calls it, with its options as variables of the
# environment.
#
# It prints with `qkv table` and draws with `qkv plot`. What an experiment holds is never run,
# and no path is an operand of awk, to which a=b is an assignment, nor a -v, in which it reads
# backslashes.

taken=''
. "${0%/*}/script.sh"
draft=$QKV_DRAFT
mkdir "$draft/figures" "$draft/tables"
# Tables and figures are asked the same, so that they show the same runs.
asked() { # PROGRAM COMMAND WORD ...: its words come last, and count
    program=$1 command=$2
    shift 2
    "$program" "$command" ${by:+"--by=$by"} ${baseline:+"--baseline=$baseline"} \
        ${judge:+"--judge=$judge"} ${margin:+"--margin=$margin"} "$@"
}
verdicts() { asked "$QKV" table --verdicts "$@"; }
verdicts --markdown "$@" >"$draft/.md"
# Each float of LaTeX in a file of its own, which report.tex reads.
verdicts --latex "$@" | awk '
    /^% needs/ { inside = 1; float = "" }
    /^\\label{tab:/ { label = substr($0, 12, length($0) - 12) }
    inside { float = float $0 "\n" }
    !inside { print }
    /^\\end{table}/ {
        printf "%s", float >(ENVIRON["QKV_DRAFT"] "/tables/" label ".tex")
        print "\n\\input{tables/" label "}"
        inside = 0
    }' >"$draft/.tex"

# The recipe that made it, of those that we have: its title and figures are ours.
recipe=''
if [ $# -eq 1 ] && [ -e "$1/recipe.txt" ]; then
    [ -f "$1/recipe.txt" ] && [ ! -L "$1/recipe.txt" ] || die 1 "$1/recipe.txt: it is a link, or not a plain file; remove it"
    recipe=$(head -c 100 "$1/recipe.txt" | sed -n '1s/^\([a-z][a-z0-9-]*\)$/\1/p')
    [ -f "$plots/recipes/$recipe.sh" ] || recipe=''
fi
run_command() {
    [ "$2" != plot ] || asked "$@" -o "$draft" -q "--format=$format" ${width:+"--size=$width"}
}
draw() { # FORMAT WIDTH EXPERIMENT ...
    format=$1 width=$2 out=$3
    shift 2
    if [ "$recipe" ] && grep -q '^qkv plot' "$plots/recipes/$recipe.sh"; then
        . "$plots/recipes/$recipe.sh"
    else
        qkv plot "$@"
    fi
    [ ! "$x$y" ] || qkv plot ${x:+"--x=$x"} ${y:+"--y=$y"} "$@"
}
draw pdf "$size" "$@" # for a paper, then for a page
draw svg '' "$@"

for caption in "$draft"/figures/*.txt; do
    QKV_FIGURE=$(basename "$caption" .txt) \
        awk -f "$plots/words.awk" -f "$plots/float.awk" <"$caption" >"${caption%.txt}.tex"
done

{
    echo "# $(sed -n '1s/^# //p' "$plots/recipes/$recipe.sh" 2>/dev/null || echo 'Variants of attention, compared')"
    [ ! "$recipe" ] || sed -n '2,$s/^# //p' "$plots/recipes/$recipe.sh" | paste -sd ' ' -
    echo '## Results'
} >"$draft/.begin"
{
    cat <<'END'
## What this does not show
Toy tasks and small models: what decides here need not decide at the size of a language model.
Where one learning rate was tried: depth, width and scale change the rate that suits a variant, so a difference in steps may be one of rates; a grid (--lr) tells. Where variants have different numbers of parameters, other widths (--d-k, --d-v, --latent) make them more equal. Runs that diverged have no accuracy, and their variant no mean.
"Undecided" is neither a difference nor sameness; the tables say how many seeds would tell.
## What was run
END
    for experiment; do
        cat "$experiment/config.tsv" "$experiment"/*/config.tsv 2>/dev/null || :
    done | awk '
        /^key\t/ { text = "" }
        { text = text $0 "\n" }
        /^from\t./ { text = "" } # its weights are those of another run
        /^file-hash\t/ { printf "%s", text }' | sort -u | sort -t "$(printf '\t')" -k 1,1 -k 2n | QKV_EXPERIMENT='' awk -F '\t' -f "$plots/facts.awk"
    echo "All variants had the same data from the same seed. To run it again${recipe:+, or by qkv recipe $recipe}:"
    for experiment; do
        [ ! -f "$experiment/experiment.tsv" ] ||
            QKV_EXPERIMENT=$experiment awk -F '\t' -f "$plots/facts.awk" <"$experiment/experiment.tsv"
    done
} >"$draft/.end"
write() { # LATEX: 0 or 1
    text() { awk -v "latex=$latex" -f "$plots/words.awk" -f "$plots/page.awk"; }
    latex=$1 n=0
    text <"$draft/.begin"
    [ "$latex" = 0 ] || cat "$draft/.tex"
    [ "$latex" = 1 ] || { cat "$draft/.md" && printf '\n## Figures\n'; }
    for caption in "$draft"/figures/*.txt; do
        name=$(basename "$caption" .txt) n=$((n + 1))
        if [ "$latex" = 1 ]; then
            printf '\n\\input{figures/%s}\n' "$name"
        else
            printf '\n![%s](figures/%s.svg)\n' "$name" "$name"
            printf 'Figure %s. %sData: figures/%s.tsv.\n' $n "$(tr '\n' ' ' <"$caption")" "$name" | text
        fi
    done
    text <"$draft/.end"
    [ "$latex" = 0 ] || printf '\n\\end{document}\n'
}
write 0 >"$draft/report.md"
write 1 >"$draft/report.tex"

# What a stranger wrote is text: pandoc passes on no HTML and no TeX, and reads nothing else.
if command -v pandoc >/dev/null; then
    (cd "$draft" && pandoc --standalone --self-contained '-Mpagetitle=qkv report' \
        --from=markdown_strict+pipe_tables+all_symbols_escapable-raw_html \
        -o report.html report.md --sandbox) >"$draft/.said" 2>&1 ||
        die 1 "report.html: pandoc failed on it: $(tail -n 1 "$draft/.said")"
else
    rm -f "$page/report.html" # of an older report
fi
printf 'key\tvalue\nformat\t1\n' >"$draft/report.tsv"
