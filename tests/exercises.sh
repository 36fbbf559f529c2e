#!/bin/sh
# exercises.sh BUILD - every exercise's solution is right, and every known mistake in it
# is named. Nothing else does the exercises.

build=$1
. tests/lib.sh
export EXERCISES=$work/mine
exercise() { sh lessons/exercise.sh "$build" "$@" >"$work/out" 2>&1; }
cd "$top" || exit 1
says() { grep -qF -- "$1" "$work/out" && ok || complain "$2: does not say \"$1\": $(cat "$work/out")"; }
exercise && says '03-once' 'the list'
exercise 3-once && complain "a fresh stub is right"
says 'then run this command again' '3 for 03'
rm -f "$EXERCISES/03-once.c"
exercise 99 && complain "an exercise that is not there"
says 'there is no exercise 99' 'none'
for solution in lessons/exercises/solutions/*; do
    kind=${solution##*.}
    name=$(basename "$solution" .$kind)
    exercise "$name" && complain "$name is done before it is begun"
    says "$name: edit $EXERCISES/$name.$kind" "$name"
    exercise "$name" && complain "$name: an unchanged stub passes"
    says 'you have not changed it yet' "$name, unchanged"
    while IFS='	' read -r hint edit; do
        sed "$edit" "$solution" >"$EXERCISES/$name.$kind"
        cmp -s "$solution" "$EXERCISES/$name.$kind" && complain "$name: $edit edits nothing"
        exercise "$name" </dev/null && complain "$name: $edit passes"
        says "$hint" "$name: $edit"
    done <"lessons/exercises/$name.wrong"
    if [ $kind = c ]; then
        echo 'int x' >"$EXERCISES/$name.c"
        exercise "$name" && complain "$name: what does not compile passes"
        says 'does not compile' "$name"
    else
        : >"$EXERCISES/$name.sh"
        exercise "$name" && complain "$name: an empty script passes"
        says 'not yet' "$name"
    fi
    cp "$solution" "$EXERCISES/$name.$kind"
    exercise "$name" || complain "$solution is refused: $(cat "$work/out")"
    says "$name: right" "$name"
    exercise "$name" && says 'already done' "$name again"
done
for answers in lessons/exercises/*.answers; do
    name=$(basename "$answers" .answers)
    exercise "$name" && complain "$name is done before it is begun"
    exercise "$name" && complain "$name: no numbers pass"
    says 'no number yet' "$name"
    while IFS='	' read -r key value hint; do
        [ "$hint" != ok ] || continue
        sed "s/^$key:.*/$key: $value/" "lessons/exercises/$name.txt" >"$EXERCISES/$name.txt"
        exercise "$name" && complain "$name $key: $value passes"
        says "$key: $hint" "$name $key: $value"
    done <"$answers"
    cp "lessons/exercises/$name.txt" "$EXERCISES/$name.txt"
    while IFS='	' read -r key value hint; do
        [ "$hint" = ok ] || continue
        sed "s/^$key:.*/$key: $value/" "$EXERCISES/$name.txt" >"$work/x"
        mv "$work/x" "$EXERCISES/$name.txt"
    done <"$answers"
    exercise "$name" && ok || complain "$name: the right numbers are refused"
done
says 'All exercises are done' 'the last one'

finish
