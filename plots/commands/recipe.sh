# recipe.sh - qkv recipe: runs a recipe, the commands that answer a question.

. "${0%/commands/*}/script.sh"
usage() {
    cat <<'END'
qkv recipe [NAME [OPTION ...]]
run a recipe: the commands that answer a question, with a figure

  qkv recipe                        list the recipes
  qkv recipe rank                   run one, in the directory rank
  qkv recipe rank --seed 11..20 -o again    the same with other seeds
  qkv recipe ./mine.sh -o mine      run one of your own

NAME is a script of a few lines, plots/recipes/NAME.sh, or the path of such a file.
Options of compare (or of equiv, in a recipe without compare) replace what the script
says: --variant, --seed, --seeds, --steps, --baseline, --judge, --margin, --jobs ...

  -o, --out DIR             the experiment's directory (NAME)
      --format LIST         formats of figures (svg,png)
      --plan                do not run: print a `qkv train` line for each run
  -q, --quiet               no progress, no notes
  -h, --help                show this help
END
}

[ $# -gt 0 ] || {
    listing recipes
    exit
}
case $1 in
-h | --help) usage && exit ;;
-*) die 2 "$1: give the recipe's name first, then options: \`qkv recipe --help\` tells more" ;;
esac
find_script recipes "$1"
name=$(basename "$1" .sh)
shift
case " $* " in
*' -h '* | *' --help '*) usage && exit ;;
esac
. "$plots/options.sh"
out=${out:-$name}
[ ! -L "$out/recipe.txt" ] || die 1 "$out/recipe.txt: a link; remove it, or give another --out"

# With --plan only comparisons have something to say.
run_command() {
    case $plan$2 in
    compare | equiv | plot) "$@" $quiet $format ;;
    count | yescompare) "$@" ;;
    esac
}
. "$script"

# By it `qkv report` knows what to draw. It is a name, and no more.
[ "$plan" ] || [ "$script" != "$plots/recipes/$name.sh" ] ||
    { echo "$name" >"$out/.recipe.$$" && mv -f "$out/.recipe.$$" "$out/recipe.txt"; }
