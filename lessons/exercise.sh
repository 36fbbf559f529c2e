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
mine=${EXERCISES:-.exercises}
work=$(mktemp -d)
tab=$(printf '\t')
trap 'rm -rf "$work"' EXIT
mkdir -p "$mine"
touch "$mine/done"
finished() { grep -qxF "$1" "$mine/done"; }

# loss FILE.c: what a variant computes, in a number: the test loss of a model
# that starts from the same numbers as every other, before training and after
# five steps. Nothing where it does not compile or run.
loss() {
    so=$work/variant.so
    ${CC:-cc} -O2 -shared -fPIC -I "$build/include" "$1" -o "$so" \
        2>"$work/err" || return
    measure "$so"
}
measure() {
    rm -rf "$work/runs"
    for steps in 0 5; do
        "$build/qkv" train -v "$1" -t reverse --steps $steps --test 64 \
            --validate 8 -q --tsv -o "$work/runs" 2>"$work/err" |
            awk -F'\t' 'NR == 2 { printf "%s ", $10 }'
    done
}

# The mistake of which the learner's number is known: NAME.wrong has a hint, a tab,
# and what sed must do to the solution to make it.
known_mistake() {
    while IFS="$tab" read -r hint edit; do
        sed "$edit" "$here/solutions/$1.c" >"$work/wrong.c"
        [ "$(loss "$work/wrong.c" </dev/null)" = "$2" ] || continue
        echo "$hint"
        return
    done <"$here/$1.wrong"
    [ "$(loss "$here/$1.c")" = "$2" ] && echo "nothing is changed yet" ||
        echo "it computes something else; lesson $3 has the formula"
}

# A plugin, held against the variant that it should be.
check_code() {
    found=$(loss "$mine/$1.c")
    if [ -z "$found" ]; then
        cat "$work/err"
        echo "$1: it does not compile, or does not run: the message stands above"
        return 1
    fi
    [ "$found" = "$(measure "$3")" ] && return 0
    echo "$1: not yet: $(known_mistake "$1" "$found" "$2")"
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
        given[key] = value
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
    kind=c
    [ "$3" != - ] || kind=txt
    if finished "$1" && [ -z "$again" ]; then
        echo "$1: done before (make exercise N=$1 AGAIN=1 checks it again)"
        return 0
    fi
    if [ ! -e "$mine/$1.$kind" ]; then
        cp "$here/$1.$kind" "$mine/$1.$kind"
        echo "$1: is in $mine/$1.$kind now; change it, and say this again"
        return 1
    fi
    if [ $kind = c ]; then
        check_code "$1" "$2" "$3" || return 1
    else
        check_numbers "$1" || return 1
    fi
    finished "$1" || echo "$1" >>"$mine/done"
    echo "$1: right"
}

status=0 there=0 left=0
while read -r one lesson variant; do
    case $one in
    \#*) continue ;;
    "$name" | "$name"-*) ;;
    *) [ -z "$name" ] || continue ;;
    esac
    there=$((there + 1))
    if [ -z "$name" ]; then
        finished "$one" && echo "done  $one" || echo "      $one  (lessons/$lesson.md)"
    else
        exercise "$one" "$lesson" "$variant" || status=1
    fi
done <"$here/list"
if [ $there -eq 0 ]; then
    echo "there is no exercise $name; make exercise lists those there are" >&2
    exit 2
fi
while read -r one lesson variant; do
    case $one in \#*) continue ;; esac
    finished "$one" || left=$((left + 1))
done <"$here/list"
[ $left -gt 0 ] || echo "All exercises are done."
exit $status
