#!/bin/sh
# pairs.sh COMMAND [WORD ...] - tries all pairs of the options that `qkv COMMAND --help=all`
# lists, and prints each option that a pair drops. A call is made in a copy of the folder
# `given`; what it does is its status, what it prints and the files that are there then. An
# option is dropped beside another one if the two do what the other one does without it,
# though it does something where it is alone; unless the two are refused by name. With FROM
# set, pairs are of the options from that one on in the list. In $PATH gnuplot may be a stub.

values='seeds=2 head-dim=4 out=other jobs=2 threads=2 from=run memory=500 baseline=fused
judge=test_loss margin=test_accuracy=0.9,solved_at=90%,test_loss=0.9 by=seed where=seed=1 x=seed y=validation_loss size=column
gnuplot=heading=1 format=svg preset=gpt2 config=c.json prompt=3 tokens=3 temperature=0.5
top-k=2 samples=3 seed=2 slim=slim to=biased layer=2 head=1 variant=fused,mla length=8
positions=learned d-model=48 layers=2 heads=2'
command=$1
shift
export LC_ALL=C
here=$(pwd)
mkdir -p did
options=$(qkv "$command" --help=all | sed -n 's/^  ...  *--\([a-z-]*\)\( [^ ]*\)\{0,1\}\( .*\)\{0,1\}$/\1\2/p' |
    sed -n "/^${FROM:-[a-z]}/,\$p" | sed 's/ [^ ].*/=/')

# word OPTION: it with a value, where it takes one.
word() {
    name=${1%=}
    case $1 in
    *=)
        value=2
        for pair in $values; do
            [ "${pair%%=*}" != "$name" ] || value=${pair#*=}
        done
        [ "$name" != columns ] || value=$columns
        echo "--$name=$value"
        ;;
    *) echo "--$name" ;;
    esac
}

# does NAME OPTION ...: did/NAME is what a call with them does.
does() {
    to=$here/did/$1
    shift
    rm -rf pair
    cp -r given pair
    (
        cd pair
        qkv "$command" $run "$@" >../out 2>../err </dev/null
        echo "status $?"
        cat ../out ../err
        find . -type f ! -name timing.tsv ! -name real.tsv ! -path '*/weights/*' | sort | xargs cksum
    ) >"$to"
}
refused() { # A B: is the last call refused by one of their names?
    grep -q '^status 2$' "$to" && grep -q -e "^qkv: .*--${1%=}\b" -e "^qkv: .*--${2%=}\b" "$to"
}
same() { cmp -s "did/$1" "did/$2"; }

run=$*
does nothing
columns=$(sed -n 2p did/nothing | tr '\t' '\n' | tac | paste -sd ,) # all of them
for a in $options; do
    does "$a" "$(word "$a")"
done
for a in $options; do
    for b in $options; do
        [ "$a" != "$b" ] && [ ! -e "did/$b+$a" ] || continue
        does "$a+$b" "$(word "$a")" "$(word "$b")"
        ! refused "$a" "$b" || continue
        same "$a" nothing || ! same "$a+$b" "$b" || echo "$command: --${a%=} beside --${b%=}"
        same "$b" nothing || ! same "$a+$b" "$a" || echo "$command: --${b%=} beside --${a%=}"
    done
done
