# claim.sh - qkv claim: tests a claim of a paper, and prints what came out, in Markdown.

. "${0%/commands/*}/script.sh"
usage() {
    cat <<'END'
qkv claim [NAME [OPTION ...]]
test a claim of a paper: run its commands, and compare what they print with what
was expected beforehand

  qkv claim                   list the claims
  qkv claim mla-gqa           test one, in the directory mla-gqa; prints the verdict
  qkv claim all -o claims     test all of them, each in a directory of claims/

NAME is a script, plots/claims/NAME.sh, or the path of such a file. Its head has the
source, the published setting, ours, the hypothesis, and what is expected of which
table. Options of compare (or of equiv) replace what it says, as in `qkv recipe`.

  -o, --out DIR             the experiment's directory (NAME)
      --format LIST         formats of figures (svg,png)
      --plan                do not run: print a `qkv train` line for each run
  -q, --quiet               no progress, no notes
  -h, --help                show this help
END
}

[ $# -gt 0 ] || {
    listing claims
    exit
}
case $1 in
-h | --help) usage && exit ;;
-*) die 2 "$1: give the claim's name first, then options: \`qkv claim --help\` tells more" ;;
esac
claim=$1
[ "$claim" = all ] || find_script claims "$claim"
shift
case " $* " in
*' -h '* | *' --help '*) usage && exit ;;
esac
. "$plots/options.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
verdict() { awk -f "$plots/words.awk" -f "$plots/verdict.awk" "$@"; }

# Keeps what a command prints, as table number $n of the claim.
run_command() {
    case $plan$2 in
    plot) "$@" $quiet $format ;;
    yescompare) "$@" ;;
    compare | equiv | count)
        n=$((n + 1))
        [ "$2" = count ] || set -- "$@" $quiet $format
        "$@" --tsv >"$tables/$n.tsv"
        case $2 in
        count) ;;
        *) set -- "$@" -q ;;
        esac
        "$@" --markdown >"$tables/$n.md"
        ;;
    esac
}

figures() { ls "$out/figures" 2>/dev/null | sed -n 's/^\([A-Za-z0-9._+=,-]*\)\.txt$/\1/p' | sort | tr '\n' ' '; }

# section OPTION ...: tests $script in $out, and prints what came out.
section() {
    name=$(basename "$script" .sh) n=0
    tables=$work/$name
    mkdir "$tables"
    verdict "$script"
    . "$script"
    [ "$plan" ] || verdict -v tables="$tables" -v name="$name" -v with="$*" -v rows="$work/rows" \
        -v drawn="$out/figures" -v names="$(figures)" -v from="$from" \
        -v runs="$(find "$out" -mindepth 2 -maxdepth 2 -name config.tsv 2>/dev/null | wc -l)" "$script"
}

if [ "$claim" != all ]; then
    out=${out:-$(basename "$script" .sh)} from=figures
    section "$@"
    exit
fi
top=${out:-claims}
mkdir -p "$top"
for script in "$plots"/claims/*.sh; do
    name=$(basename "$script" .sh)
    [ "$quiet" ] || echo "claim $name" >&2
    out=$top/$name from=figures/claims/$name
    section "$@" >>"$work/page"
done
[ "$plan" ] || {
    cat <<'END'
# What papers claim, and what we find

Each claim is a script in `plots/claims`: its source, the published setting, ours, and what we expected, all written down before it was run. Its verdict is computed: *reproduced* if every expectation is met; *the opposite* if all that should be better is worse, or the other way round; *undecided* if nothing contradicts it, but more seeds or a finer grid of learning rates are needed; otherwise *not reproduced*. A verdict is about our small setting: a claim that fails here may hold where it was made. Differences are from the baseline, with 95% intervals. Models for claims about text are trained on `plots/recipes/lessons.text`. `qkv claim NAME` runs one; `make claims` runs all of them, and writes this page.

END
    awk -F '\t' '{ count[$3]++; row[NR] = "| " $1 " | " $2 " | " $3 " | " $4 " | " $5 " |" }
        END {
            printf "Of %d claims", NR
            split("reproduced,not reproduced,the opposite,undecided,not testable here", verdict, ",")
            for (i = 1; i <= 5; i++)
                if (count[verdict[i]])
                    printf ", %d %s", count[verdict[i]], verdict[i]
            print ".\n\n| claim | question | verdict | met | runs |\n|---|---|---|---|---|"
            for (i = 1; i <= NR; i++)
                print row[i]
        }' "$work/rows"
}
cat "$work/page"
