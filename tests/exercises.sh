#!/bin/sh
# exercises.sh BUILD - every exercise's solution is right, and every known mistake in it
# is named. Nothing else does the exercises.

build=$1
. tests/lib.sh
export EXERCISES=$work/mine
cd "$top" || exit 1
exercise() { sh lessons/exercise.sh "$build" "$@" >"$work/out" 2>&1 </dev/null; }
# right WORDS WHAT: the exercise $name is, and wrong: it is not; and says those words.
says() { grep -qF -- "$1" "$work/out" && ok || complain "$name, $2: does not say \"$1\": $(cat "$work/out")"; }
right() { exercise "$name" && says "$@" || complain "$name, $2: is refused: $(cat "$work/out")"; }
wrong() { ! exercise "$name" && says "$@" || complain "$name, $2: passes"; }
# answered WHICH: the lines of $answers that are right, or those that are not.
answered() { awk -F '\t' -v which="$1" '($3 == "ok") == (which == "right")' "$answers"; }

exercise
says '03-once' 'the list'
name=3-once
wrong 'then run this command again' 'a fresh stub'
rm -f "$EXERCISES/03-once.c"
name=99
wrong 'there is no exercise 99' 'none of that number'
for solution in lessons/exercises/solutions/*; do
    kind=${solution##*.}
    name=$(basename "$solution" .$kind)
    mine=$EXERCISES/$name.$kind
    wrong "$name: edit $mine" 'before it is begun'
    wrong 'you have not changed it yet' 'unchanged'
    case $kind in
    eq) awk -F '\t' '$4 { print $3 "\t" $4 }' "lessons/exercises/$name.answers" ;;
    *) cat "lessons/exercises/$name.wrong" ;;
    esac >"$work/mistakes"
    while IFS='	' read -r hint edit; do
        sed "$edit" "$solution" >"$mine"
        cmp -s "$solution" "$mine" && complain "$name: $edit edits nothing"
        wrong "$hint" "$edit"
    done <"$work/mistakes"
    case $kind in
    eq)
        echo 'softmax(x W_i' >"$mine" && wrong 'line 1: expected' 'no equation'
        sed '$s/$/ + x W^R/' "$solution" >"$mine" && wrong 'besides, it has no form' 'more than is asked for'
        ;;
    c) echo 'int x' >"$mine" && wrong 'does not compile' 'what does not compile' ;;
    *) : >"$mine" && wrong 'not yet' 'an empty script' ;;
    esac
    cp "$solution" "$mine"
    right "$name: right" 'its solution'
    right 'already done' 'again'
done
# A mistake that is not in the list: what qkv check says of it.
name=02-cross
sed 's/matmul(y/matmul(x/' lessons/exercises/$name.c >"$EXERCISES/$name.c"
exercise $name again
says 'qkv check, x and y: ' 'an unknown mistake'
cp lessons/exercises/solutions/$name.c "$EXERCISES"
for questions in lessons/exercises/*.txt; do
    name=$(basename "$questions" .txt) answers=${questions%.txt}.answers
    mine=$EXERCISES/$name.txt
    exercise "$name" && complain "$name is done before it is begun"
    wrong 'no number yet' 'no numbers'
    answered wrong >"$work/answers"
    expect "$name: not every question has a hint for any other answer" \
        [ "$(grep -c '^[a-z]	[*]	.' "$answers")" -eq "$(grep -c '^[a-z]:' "$questions")" ]
    while IFS='	' read -r key value hint; do
        [ "$value" != '*' ] || value=4321 hint="4321 is wrong: $hint"
        sed "s/^$key:.*/$key: $value/" "lessons/exercises/$name.txt" >"$mine"
        wrong "$key: $hint" "$key: $value"
    done <"$work/answers"
    answered right | sed 's|^\([^	]*\)	\([^	]*\)	.*|s/^\1:.*/\1: \2/|' >"$work/edits"
    sed -f "$work/edits" "lessons/exercises/$name.txt" >"$mine"
    right "$name" 'the right numbers'
done
says 'All exercises are done' 'the last one'

finish
