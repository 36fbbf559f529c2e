# qkv recipe [NAME [OPTION ...]]
# run a recipe: a few commands that answer a question, and draw its figure
#
#   qkv recipe                                list the recipes
#   qkv recipe rank                           run one, in the directory rank
#   qkv recipe rank --seed 11..20 -o again    the same with other seeds
#   qkv recipe ./mine.sh -o mine              run one of your own
#
# NAME is the script plots/recipes/NAME.sh, or the path of one. Options of compare (of
# equiv, in a recipe without compare) replace what the script says: --variant, --seed,
# --seeds, --steps, --baseline, --judge, --margin, --jobs ...
#
#   -o, --out DIR             the experiment's directory (NAME)
#       --format LIST         formats of figures (svg,png)
#       --plan                do not run: print a `qkv train` line for each run
#   -q, --quiet               print no progress and no notes

out='' format='' taken='out format'
. "${0%/commands/*}/script.sh"
find_script recipes "$@"
shift
[ ! -L "$out/recipe.txt" ] || die 1 "$out/recipe.txt: it is a link; remove it, or choose another --out"
run_command() {
    case "$plan$2 $* " in
    compare*' --no-figures '*) "$@" $quiet ;;
    compare* | equiv* | plot*) "$@" $quiet ${format:+"--format=$format"} ;;
    count* | yescompare*) "$@" ;; # only compare has a plan
    esac
}
. "$script"

# From this name `qkv report` knows which figures to draw.
[ "$plan" ] || [ "$script" != "$plots/recipes/$name.sh" ] || echo "$name" >"$out/recipe.txt"
