#!/bin/sh
# exercise.sh BUILD [NAME] [again] - an exercise of the lessons: lays it out, checks
# what the learner has made of it, and keeps what is done.
#
# The learner's files and progress lie in $EXERCISES, or .exercises: `make clean`
# leaves them alone. NAME is 03, or 03-once; none lists all. What is done is not
# marked again unless `again` is said.

set -u
build=$(cd "$1" && pwd)
name=${2:-}
again=${3:-}
here=lessons/exercises
top=$(pwd)
mkdir -p "${EXERCISES:-.exercises}"
mine=$(cd "${EXERCISES:-.exercises}" && pwd)
work=$(mktemp -d)
tab=$(printf '\t')
trap 'rm -rf "$work"' EXIT
touch "$mine/done"
mkdir -p "$mine/.found"
program=$(cksum <"$build/qkv")
PATH=$build:$PATH
finished() { grep -qxF "$1" "$mine/done"; }

# found FILE: what a learner's file, or ours, comes to; nothing where it does not
# work, with the reason in $work/err. Of a plugin: the test loss of a model that starts
# from the same numbers as every other, before training and after twenty steps, or why the
# program refuses it. Of a script: what it prints, in an empty directory of its own.
# What a file came to is remembered, as long as the program is the same.
found() {
    case $1 in
    *.c | *.sh) key=$(cksum <"$1") ;;
    *) key=$1 ;;
    esac
    key=$(echo "$key $options $program" | cksum | tr ' ' -)
    if [ ! -s "$mine/.found/$key" ]; then
        compute "$1" >"$work/found"
        cp "$work/found" "$mine/.found/$key"
    fi
    cat "$mine/.found/$key"
}
compute() {
    case $1 in
    *.sh)
        rm -rf "$work/desk"
        mkdir "$work/desk"
        (cd "$work/desk" && sh "$1" </dev/null) 2>"$work/err"
        ;;
    *.c)
        ${CC:-cc} -O2 -shared -fPIC -I "$build/include" "$1" -o "$work/variant.so" \
            2>"$work/err" && measure "$work/variant.so"
        ;;
    *) measure "$1" ;; # a variant of ours, by name
    esac
}
measure() {
    rm -rf "$work/runs"
    if [ "$options" = equiv ]; then # what it makes of a trained standard
        qkv equiv -v standard,"$1" -t reverse --seed 1 --steps 20 -q --tsv -o "$work/runs" \
            2>"$work/err" | awk '$1 == "standard" && $2 != $1 { print $3, $4 }'
        return
    fi
    for steps in 0 20; do
        # shellcheck disable=SC2086 # options are several words
        qkv train -v "$1" ${options:--t reverse} --optimizer sgd --lr 0.3 --steps $steps \
            --test 64 --validate 8 -q -o "$work/runs" >/dev/null 2>"$work/err" &&
            awk -F'\t' '$1 == "test_loss" { printf "%.5g ", $2 }' \
                "$work"/runs/*.steps$steps.*/result.tsv
        [ ! -s "$work/err" ] || sed 's/^qkv: [^ ]*: /refused: /' "$work/err"
    done
}

# The mistake of which the learner's result is known: NAME.wrong has a hint, a tab,
# and what sed must do to the solution to make it.
known_mistake() {
    while IFS="$tab" read -r hint edit; do
        sed "$edit" "$here/solutions/$1.$kind" >"$work/wrong.$kind"
        [ "$(found "$work/wrong.$kind" </dev/null)" = "$2" ] || continue
        echo "$hint"
        return
    done <"$here/$1.wrong"
    [ "$(found "$top/$here/$1.$kind")" = "$2" ] && echo "nothing is changed yet" ||
        echo "it comes to something else; lesson $3 has what is needed"
}

# A plugin, held against the variant that it should be, or a plugin or a script
# against our solution.
check_code() {
    got=$(found "$mine/$1.$kind")
    if [ -z "$got" ]; then
        cat "$work/err"
        [ $kind = c ] && echo "$1: it does not compile, or does not run: the message stands above" ||
            echo "$1: it prints nothing yet"
        return 1
    fi
    case $got in refused*) echo "$got" ;; esac
    [ "$3" = = ] && right=$top/$here/solutions/$1.$kind || right=$3
    [ "$got" = "$(found "$right")" ] && return 0
    echo "$1: not yet: $(known_mistake "$1" "$got" "$2")"
    return 1
}

# Numbers: each is right, known to be wrong for a reason, or wrong.
check_numbers() {
    awk -F'\t' -v name="$1" '
    NR == FNR { said[$1 FS $2] = $3; if ($3 == "ok") keys[++n] = $1; next }
    match($0, /^[a-z]:/) {
        key = substr($0, 1, 1)
        value = substr($0, 3)
        gsub(/[ ,]/, "", value)
        if (value ~ /^[-+0-9.e]+$/)
            value += 0 # .25 is 0.25
        given[key] = value ""
    }
    END {
        for (i = 1; i <= n; i++) {
            value = given[keys[i]]
            hint = said[keys[i] FS value]
            if (hint == "ok")
                continue
            bad = 1
            if (value == "")
                hint = "no number yet"
            else if (hint == "")
                hint = value " is not it"
            printf "%s %s: %s\n", name, keys[i], hint
        }
        exit bad
    }' "$here/$1.answers" "$mine/$1.txt"
}

# One exercise; true where it is done.
exercise() {
    for kind in c sh txt; do
        [ ! -e "$here/$1.$kind" ] || break
    done
    if finished "$1" && [ -z "$again" ]; then
        echo "$1: done before (make exercise N=$1 AGAIN=1 checks it again)"
        return 0
    fi
    if [ ! -e "$mine/$1.$kind" ]; then
        cp "$here/$1.$kind" "$mine/$1.$kind"
        echo "$1: is in ${EXERCISES:-.exercises}/$1.$kind now; change it, and say this again"
        return 1
    fi
    if [ $kind = txt ]; then
        check_numbers "$1" || return 1
    else
        check_code "$1" "$2" "$3" || return 1
    fi
    finished "$1" || echo "$1" >>"$mine/done"
    echo "$1: right"
}

status=0 there=0 left=0
while read -r one lesson answer options; do
    case $one in
    \#*) continue ;;
    "$name" | "$name"-*) ;;
    *) [ -z "$name" ] || continue ;;
    esac
    there=$((there + 1))
    if [ -z "$name" ]; then
        finished "$one" && echo "done  $one" || echo "      $one  (lessons/$lesson.md)"
    else
        exercise "$one" "$lesson" "$answer" </dev/null || status=1
    fi
done <"$here/list"
if [ $there -eq 0 ]; then
    echo "there is no exercise $name; make exercise lists those there are" >&2
    exit 2
fi
while read -r one lesson answer options; do
    case $one in \#*) continue ;; esac
    finished "$one" || left=$((left + 1))
done <"$here/list"
[ $left -gt 0 ] || echo "All exercises are done."
exit $status
