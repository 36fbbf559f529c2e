#!/bin/sh
# base.sh BUILD DIRECTORY - the experiments that the fuzzers edit, DIRECTORY/base,
# and DIRECTORY/mine, which is the reader's own and to be left alone.

set -u
qkv=$(cd "$1" && pwd)/qkv
cd "$2" && mkdir base mine || exit 1
tiny="--validate 2 --test 4 --d-model 8 --heads 2 --length 4 --steps 2 --log-every 1"
two="-v standard,full-rank -t reverse --symbols 3 --batch 2 $tiny -q -o base/two"
make_them() {
    $qkv compare --seeds 1 $two --no-figures &&
        $qkv equiv $two --format svg &&
        $qkv compare -v standard,gqa -t text --file mine/text --seed 1 --batch 2 $tiny -q \
            --no-figures -o base/text &&
        $qkv compare -v standard -t pairs --file mine/pairs --seed 1 --batch 2 $tiny -q \
            --no-figures -o base/pairs &&
        $qkv compare -v standard -t translate --seed 1,2 --symbols 3 --batch 2 $tiny -q \
            --no-figures -o base/other &&
        $qkv compare -v standard -t linear --seed 1 $tiny -q --no-figures -o base/other &&
        $qkv compare -v standard -t reverse --symbols 3 --seed 7 --batch 2 $tiny -q \
            --no-figures -o mine/own
}
printf 'qkvSecret: a line that is nobody else'\''s\n' >mine/secret
printf 'a text, and not a long one: %s\n' 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 >mine/text
{
    printf 'input\ttarget\n'
    for i in 0 1 2 3 4 5 6 7 8 9; do printf 'a cat %s\tA N -\n' $i; done
} >mine/pairs
said=$(make_them 2>&1) || {
    echo "$said" >&2
    exit 1
}
rm -f base/two/figures/*.svg
printf '%s\n' '# What does it show?' '# Nothing at all.' \
    'compare -v standard,full-rank -t reverse --steps 2' \
    "plot --y loss --labels 'd_k,R^2'" >base/two/recipe.txt
cp base/two/recipe.txt base/other
for log in mine/own/*/log.tsv; do # a number to know it by
    awk -F '\t' -v OFS='\t' 'NR > 1 { $2 = $4 = "0.12343212" } { print }' "$log" >log
    mv log "$log"
done
