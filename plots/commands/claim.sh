# qkv claim [NAME [OPTION ...]]
# test a claim of a paper: run its commands and compare their tables with the prediction
#
#   qkv claim                 list the claims
#   qkv claim mla-gqa         test one, in the directory mla-gqa
#
# NAME is the script plots/claims/NAME.sh, or the path of one: its head has the source,
# the published setting, ours, the hypothesis, and what is expected of which table.
# Options of compare (or of equiv) replace what the script says.
#
#   -o, --out DIR             the experiment's directory (NAME)
#       --tables DIR          keep the tables there, as N.tsv and N.md, and verdict.tsv
#       --format LIST         formats of figures (svg,png)
#       --plan                do not run: print a `qkv train` line for each run
#   -q, --quiet               no progress, no notes

out='' format='' tables='' n=0 taken='out format tables'
. "${0%/commands/*}/script.sh"
find_script claims "$@"
shift
if [ ! "$tables" ]; then
    tables=$(mktemp -d)
    trap 'rm -rf "$tables"' EXIT
fi
mkdir -p "$tables"
verdict() { awk -F '\t' -f "$plots/verdict.awk" -v tables="$tables" "$@"; }
verdict -v only=check "$script"

# Prints a table, and keeps it as number $n.
run_command() {
    case $plan$2 in
    compare | equiv | plot) set -- "$@" $quiet ${format:+"--format=$format"} ;;
    esac
    case $plan$2 in
    plot | yescompare) "$@" ;;
    compare | equiv | count | table)
        n=$((n + 1))
        "$@" --tsv >"$tables/$n.tsv"
        case $2 in compare | equiv) set -- "$@" -q ;; esac
        "$@" --markdown >"$tables/$n.md"
        cat "$tables/$n.md"
        ;;
    esac
}
. "$script"
[ "$plan" ] || verdict -v name="$name" -v out="$tables/verdict.tsv" \
    -v runs="$(find "$out" -mindepth 2 -maxdepth 2 -name config.tsv 2>/dev/null | wc -l)" "$script"
