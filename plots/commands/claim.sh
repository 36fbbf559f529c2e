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
#   -q, --quiet               print no progress and no notes

# Tables that are not kept are in a draft, a directory that `qkv draft` removes however this ends.
if [ ! "${QKV_DRAFT:-}" ]; then
    "$QKV" draft "${TMPDIR:-/tmp}" /bin/sh "$0" "$@"
    exit
fi
out='' format='' tables='' n=0 taken='out format tables'
. "${0%/commands/*}/script.sh"
find_script claims "$@"
shift
tables=${tables:-$QKV_DRAFT/.tables} # hidden, so that it is not kept
mkdir -p "$tables"
# verdict check 0: checks the head of the claim. verdict judge RUNS: judges its tables, which come
# from that many runs.
verdict() {
    QKV_SCRIPT=$script QKV_TABLES=$tables QKV_CLAIM=$name \
        awk -F '\t' -v "only=$1" -v "runs=$2" -f "$plots/verdict.awk" <"$script"
}
verdict check 0

# Runs a command of the claim; if it prints a table, keeps it as number $n.
run_command() {
    case "$plan$2 $* " in
    compare*' --no-figures '*) set -- "$@" $quiet ;;
    compare* | equiv* | plot*) set -- "$@" $quiet ${format:+"--format=$format"} ;;
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
[ "$plan" ] || {
    set -- "$out"/*/config.tsv
    [ -e "$1" ] || shift
    verdict judge $#
}
