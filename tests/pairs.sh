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
against=bert positions=learned d-k=3 d-v=3 d-model=8 layers=2 heads=2'
command=$1
shift
# a table's columns (t.csv of command.tsv)
[ "$command" != judge ] || values="$values method=k higher=h lower=n solved-at=n baseline=B margin=l=0.5"
run=$*
export LC_ALL=C
rm -rf did pair
mkdir did
did=$(pwd)/did
find given -exec touch -d 2000-01-01 {} + # what is younger was written by a call
cp -rp given pair

# word OPTION: it with a value, if it takes one.
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

# does NAME OPTION ...: did/NAME is what a call with them does; its status is left in
# $status.
does() {
    to=$did/$1
    shift
    cd pair || exit
    qkv "$command" $run "$@" >"$to" 2>&1 </dev/null
    status=$?
    cd ..
    sed -i 's|^\([0-9]*/[0-9]*\) .*|\1|' "$to" # which run ends first is chance
    echo "status $status" >>"$to"
    [ "$(find pair -newermt 2000-01-02 | head -n 1)" ] || return 0
    (cd pair && find . -type f ! -name timing.tsv ! -name real.tsv ! -path '*/weights/*' | sort | xargs cksum) >>"$to"
    rm -rf pair
    cp -rp given pair
}

options=$(qkv "$command" --help=all | sed -n 's/^  ...  *--\([a-z-]*\)\( [^ ]*\)\{0,1\}\( .*\)\{0,1\}$/\1\2/p' |
    sed -n "/^${FROM:-[a-z]}/,\$p" | sed 's/ [^ ].*/=/')
does nothing
columns=$(sed -n 2p did/nothing | tr '\t' '\n' | tac | paste -sd ,) # all of them
for a in $options; do
    does "$a" "$(word "$a")"
done
later=$options
for a in $options; do
    later=${later#*"$a"}
    for b in $later; do
        does "$a+$b" "$(word "$a")" "$(word "$b")"
        # refused by the name of one of them
        if [ $status -eq 2 ] && grep -q -e "^qkv: .*--${a%=}\b" -e "^qkv: .*--${b%=}\b" "$to"; then
            rm "$to"
        fi
    done
done
cd did && cksum * | awk -v command="$command" '
    function look(dropped, other, both) {
        if (does[dropped] != does["nothing"] && does[both] == does[other]) {
            gsub(/=/, "", dropped)
            gsub(/=/, "", other)
            print command ": --" dropped " beside --" other
        }
    }
    { does[$3] = $1 " " $2 }
    END {
        for (both in does)
            if (split(both, part, "+") == 2) {
                look(part[1], part[2], both)
                look(part[2], part[1], both)
            }
    }'
