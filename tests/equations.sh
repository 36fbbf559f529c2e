#!/bin/sh
# equations.sh BUILD - each tests/equations/NAME.eq trains to the bits of the plugin
# variants/NAME.c: the same weights, whatever their names; and so does the C file that
# `qkv new NAME EQUATION` writes of it. What an equation cannot say is
# refused with a mark below the place (tests/equations.tsv).
# Only here is an equation run beside the plugin that somebody wrote for it.

build=$1
. tests/lib.sh

# trained WORD OUT: the sums of a short run's weights, sorted.
trained() {
    "$qkv" train -v "$1" -t mqar --steps 12 --validate 8 --test 8 -q --out "$2" >/dev/null 2>err ||
        complain "$1 does not train"
    find "$2" -name '*.npy' -exec cksum {} + | awk '{ print $1, $2 }' | sort
}
for file in "$top"/tests/equations/*.eq; do
    name=$(basename "$file" .eq)
    trained "$name" "c-$name" >c
    trained "$file" "eq-$name" >eq
    expect "$name: the equation and the plugin differ" cmp -s c eq

    # The circle: the C file that `qkv new` writes of it has the same bits, and derive
    # says of it what it says of the equation.
    "$qkv" new "my-$name" "$(cat "$file")" >/dev/null 2>err || complain "$name: no C file"
    ${CC:-cc} -std=c11 -Wall -Wextra -Wpedantic -Werror -I "$top/core" -fsyntax-only "my-$name.c" 2>err ||
        complain "$name: the compiler warns of its C file"
    trained "./my-$name.c" "new-$name" >new
    expect "$name: the equation and the C file of it differ" cmp -s c new
    "$qkv" derive "./my-$name.c" 2>err | sed "s/my-$name/$name/" >derived-c
    "$qkv" derive "$file" 2>err >derived-eq
    expect "$name: derive says another thing of its C file" cmp derived-c derived-eq
done

# A product or a function of a head's block of a matrix keeps its blocks, in the C file,
# too, and a sum that begins with a minus keeps it, as does a minus before another one.
echo "W_i^V: d_model x d_v # a comment with */ in it
W_i^G: d_model x 1
M_i = W_i^Q (W_i^K)'
E_i: 1 x d_v
head = softmax((-sqrt(d_k) + 4) x M_i y') y W_i^V
((-(-2)) head . (sigmoid(x W_i^G) exp(E_i))) W_i^O" >blocks.eq
"$qkv" new blocks-c "$(cat blocks.eq)" >/dev/null 2>err
trained ./blocks.eq eq-blocks >eq
trained ./blocks-c.c c-blocks >c
expect "blocks of exp(E_i), or the scale, differ in the C file" cmp -s c eq

# Sizes are ints in C, where a quotient of ints is rounded: in the C file none is.
echo "settings: part=1.5
W_i^Q: d_model x 3 / 2 d_k; W_i^V: d_model x part g
head = softmax(x W_i^Q (y W_i^K)' sqrt(h / d_k) (g / d_model)) y W_i^V
head[0 : 1 / 8 d_k] W_i^O h g / d_model" >ints.eq
"$qkv" new ints-c "$(cat ints.eq)" >/dev/null 2>err
trained ./ints.eq eq-ints >eq
trained ./ints-c.c c-ints >c
expect "a quotient of sizes differs in the C file" cmp -s eq c
expect "ints.eq does not train" [ -s eq ]

# Where an equation is products of matrices, a model is converted into it as into the C
# plugin, with the same bits.
for name in full-rank gqa mla mqa scale-outside shared-qk symmetric two-step unscaled wide; do
    for word in "$name" "$top/tests/equations/$name.eq"; do
        "$qkv" train -v "$word" -t recall --same-start standard --steps 0 -q -o "fit-${word##*/}" >/dev/null 2>err
        find "fit-${word##*/}" -name '*.npy' -exec cksum {} + | awk '{ print $1, $2 }' | sort >"fit-${word##*/}.sums"
    done
    expect "$name: fit of the equation and of the plugin differ" [ -s "fit-$name.sums" ]
    expect "$name: fit of the equation and of the plugin differ" cmp -s "fit-$name.sums" "fit-$name.eq.sums"
done
refuses 1 'has no `fit`' "$qkv" equiv fit-wide.eq/recall.* -v "$top/tests/equations/two-step-tanh.eq"

# What check says of an equation is said in terms of the equation, not of C.
says() { # says WORDS EQUATION
    echo "$2" >wrong.eq
    ! "$qkv" check ./wrong.eq --tsv -q >out 2>err || complain "check passes $2"
    expect "check of $2 lacks: $1" grep -qF "$1" out
    expect "check of $2 speaks of C" sh -c "! grep -E 'cached\\(\\)|a->|forward|backward|initialise\b' out"
}
says 'write shift(cached(y W_i^V), 1)' "softmax(x W_i^Q (y W_i^K)') shift(y W_i^V, 1) W_i^O"
says 'is it multiplied by 0?' "softmax(0 x W_i^Q (y W_i^K)') y W_i^V W_i^O"
says 'remove that factor, or choose' "softmax(0 x W_i^Q (y W_i^K)') y W_i^V W_i^O"
says 'both initialised to 0 (see ~ N(0, 0))?' "W_i^V: d_model x d_v ~ N(0, 0); W_i^O: d_v x d_model ~ N(0, 0); softmax(x W_i^Q (y W_i^K)') y W_i^V W_i^O"

# Which shipped variants have no equation, and why.
list=$("$qkv" list --tsv | awk -F '\t' 'NR > 1 { print $1 }')
for name in $list; do [ -f "$top/tests/equations/$name.eq" ] || echo "$name"; done >without
sed -n 's/^\([a-z-]*\): .*/\1/p' "$top/tests/equations/without.txt" | sort >listed
expect "without.txt lists other variants than those that have no equation" cmp -s without listed

# What the shipped .equation of a variant says is compared with its code; only those are
# notes for people.
for name in $list; do
    said=$("$qkv" derive "$name" 2>err | sed -n 's/^  its equation //p')
    [ "$said" = 'says the same' ] || echo "$name: $said"
done >notes
sed 's/$/: is a note, and is not compared/' listed >allowed
expect "a shipped .equation is not what the code says: $(cat notes)" cmp -s notes allowed

grep -v '^#' "$top/tests/equations.tsv" | while IFS='	' read -r lines column words; do
    echo "$lines" | tr '|' '\n' >wrong.eq
    "$qkv" count -v ./wrong.eq >out 2>err </dev/null
    status=$?
    marked=$(sed -n 's/^ *^$/&/p' err | awk '{ print length($0) - 4 }')
    said=$(tail -n 1 err)
    case $status:$marked:$said in
    1:$column:*"$words"*) echo ok ;;
    *) echo "$lines: status $status, mark at $marked: $said" ;;
    esac
done >refused
while read -r line; do expect "$line" [ "$line" = ok ]; done <refused
printf "W: d_model x 2147483647\nsoftmax(x W (y W)') y\n" >wrong.eq
refuses 1 'too large' "$qkv" count -v ./wrong.eq
printf '# two lines\nsoftmax(x y\033[31m) y\n' >wrong.eq
refuses 1 'wrong.eq:2: this line has a control character' "$qkv" count -v ./wrong.eq
# The line ends of Windows are line ends, and a byte order mark is skipped.
"$qkv" derive "$top/tests/equations/tpa.eq" >unix 2>err
{ printf '\357\273\277' && sed 's/$/\r/' "$top/tests/equations/tpa.eq"; } >tpa.eq
expect "a byte order mark or line ends of Windows change an equation" sh -c "'$qkv' derive ./tpa.eq 2>&1 | cmp - unix"

# As every plugin: by its name in a folder of $QKV_PATH, and in every command.
mkdir found && cp "$top/tests/equations/two-step.eq" found/twice.eq
works 7168 env QKV_PATH=found "$qkv" count -v twice --columns variant,parameters
works twice env QKV_PATH=found "$qkv" list --columns variant
works 'M_i = W^Q W_i^Q (W^K W_i^K)' "$qkv" derive ./found/twice.eq
works '' "$qkv" check ./found/twice.eq
# A head's block is followed through its transpose, and what is no matrix is named.
derives() { echo "$2" >found/turned.eq; works "$1" "$qkv" derive ./found/turned.eq; }
derives "M_i = W_i^Q W_i^K', rank <= d_k" "softmax(x W_i^Q W_i^K' y') y W_i^V W_i^O"
derives "one of the variant's matrices" "softmax(x W_i^Q tanh(W_i^K)' y') y W_i^V W_i^O"

# A run keeps its equation; files with the same equation, whatever their comments and
# blanks are, are one run.
run() { "$qkv" train -v ./found/same.eq -t recall --steps 2 -q -o kept >/dev/null 2>err; }
equation="softmax(x W_i^Q (y W_i^Q)' / sqrt(d_k)) y W_i^V W_i^O"
echo "$equation" >found/same.eq
run
expect "a run does not keep its equation" grep -qxF "equation	$equation" kept/*/config.tsv
mkdir moved && mv kept/rec* moved && rm found/same.eq
works block0.attention "$qkv" inspect moved/rec* # without the file
works same "$qkv" count moved/rec*
mv moved/rec* kept
touch -d 2001-01-01 kept/*/result.tsv
echo "#  one matrix for both
softmax(x  W_i^Q  (y W_i^Q)' / sqrt(d_k)) y W_i^V W_i^O # shared" >found/same.eq
run
expect "another comment is another run" [ "$(find kept -name result.tsv -newermt 2002-01-01)" = "" ]
echo "softmax(x W_i^Q (y W_i^K)' / sqrt(d_k)) y W_i^V W_i^O" >found/same.eq
run
expect "another equation is the same run" [ "$(find kept -name result.tsv -newermt 2002-01-01)" ]
{ printf 'softmax(x W_i^Q (y W_i^K)'"'"' / sqrt(d_k)) y W_i^V W_i^O'; printf ' + 0 x%.0s' $(seq 300); } >found/long.eq
refuses 1 'the limit is 1000' "$qkv" count -v ./found/long.eq
finish
