#!/bin/sh
# exercise.sh BUILD [NAME] [again] - gives the learner an exercise of the lessons, checks
# the answer, and remembers which exercises are done.
#
# The learner's files and progress are in $EXERCISES, or .exercises: `make clean`
# leaves them alone. NAME is 03, or 03-once; without it, all are listed. An exercise that
# is done is not checked again without `again`.

set -u
top=$(pwd)
build=$(cd "$1" && pwd)
name=${2:-}
again=${3:-}
[ "$again" != 0 ] || again=
case $name in [0-9] | [0-9]-*) name=0$name ;; esac
here=lessons/exercises
where=${EXERCISES:-.exercises}
mkdir -p "$where" 2>/dev/null
mine=$(cd "$where" 2>/dev/null && pwd) || {
    echo "$where: cannot use this directory; set EXERCISES to another one" >&2
    exit 2
}
work=$(mktemp -d)
tab=$(printf '\t')
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM PIPE
touch "$mine/done"
mkdir -p "$mine/.found"
PATH=$build:$PATH
program=$(cksum <"$build/qkv")
finished() { grep -qxF "$1" "$mine/done"; }

# limited SECONDS COMMAND ...: stops a command that takes longer, or longer than
# $EXERCISE_SECONDS if that is set, and says so. If GUARD is set (by grade.sh), the command
# can do nothing but compute.
limited() {
    seconds=${EXERCISE_SECONDS:-$1}
    shift
    [ -z "${GUARD:-}" ] || set -- sh "$top/lessons/guard.sh" "$build" "$work" "$@"
    ! command -v timeout >/dev/null || set -- timeout "$seconds" "$@"
    "$@"
    status=$?
    [ $status -ne 124 ] || echo "it did not finish within $seconds seconds" >&2
    return $status
}

# found FILE: the result of a learner's file, or of ours; nothing if it does not work,
# with the reason in $work/err. For a plugin: the test loss of models that start from
# the same weights as all others, of another width before training, and after twenty
# steps; or why the program refuses it. For a script: what it prints, in an empty
# directory. For an equation: its form. Results are remembered until the program changes.
found() {
    case $1 in
    *.c | *.sh | *.eq) key="$(cksum <"$1") ${1##*.}" ;;
    *) key=$1 ;;
    esac
    key=$mine/.found/$(echo "$key $options $program" | cksum | tr ' ' -)
    if [ ! -s "$key" ]; then
        compute "$1" >"$work/found" 2>"$work/err"
        [ -s "$work/err" ] || cp "$work/found" "$key"
        cat "$work/found"
    else
        : >"$work/err"
        cat "$key"
    fi
}
compute() (
    rm -rf "$work/given" "$work/desk"
    mkdir "$work/given" "$work/desk"
    cd "$work/desk" || exit
    given=$work/given/${1##*/}
    case $1 in *.*) cp "$1" "$given" ;; esac
    case $1 in
    *.sh)
        limited 60 sh "$given" </dev/null | head -c 100000
        ;;
    *.c)
        # shellcheck disable=SC2086 # a compiler with options
        limited 20 ${CC:-cc} -O2 -shared -fPIC -I "$build/include" "$given" -o variant.so &&
            measure ./variant.so
        ;;
    *.eq) limited 20 qkv derive "$given" ;;
    *) measure "$1" ;; # a variant of ours, by name
    esac
)
measure() {
    if [ "$options" = equiv ]; then # what it makes of a trained standard
        limited 60 qkv equiv -v standard,"$1" -t reverse --seed 1 --steps 20 -q --tsv -o runs |
            awk '$1 == "standard" && $2 != $1 { print $3, $4 }'
        return
    fi
    lines=test_loss task=${options:--t reverse}
    [ "$options" != flops ] || lines='test_loss|flops' task='-t reverse'
    for one in "0 --d-model 40" 20; do
        # shellcheck disable=SC2086 # these are several words
        limited 20 qkv train -v "$1" $task --optimizer sgd --lr 0.3 --steps $one \
            --test 64 --validate 8 -q -o runs >"$work/table" || {
            sed -n '1s/^qkv: [^ ]*: /refused: /p' "$work/err"
            return
        }
        awk -F'\t' -v lines="^($lines)$" '$1 ~ lines { printf "%.5g ", $2 }' \
            runs/*.steps"${one%% *}".*/result.tsv
    done
}

# The known mistake that gives the learner's result: NAME.wrong has a hint, a tab, and
# what sed must do to the solution to make that mistake.
known_mistake() {
    while IFS="$tab" read -r hint edit; do
        sed "$edit" "$here/solutions/$1.$kind" >"$work/wrong.$kind"
        [ "$(found "$work/wrong.$kind" </dev/null)" = "$2" ] || continue
        echo "$hint"
        return
    done <"$here/$1.wrong"
    case $2 in refused*)
        echo "the program does not run it, for the reason above"
        return
        ;;
    esac
    if [ "$(found "$top/$here/$1.$kind")" = "$2" ]; then
        echo "its result has not changed"
        return
    fi
    echo "its result is wrong; see lesson $3"
    [ $kind != c ] || first_failure "$mine/$1.c"
}

# The first line that a plugin fails in `qkv check`, without the sizes that were tried.
first_failure() {
    mkdir -p "$work/given" "$work/desk"
    cp "$1" "$work/desk/mine.c"
    (cd "$work/desk" && limited 60 qkv check -q ./mine.c --tsv) 2>/dev/null |
        awk -F '\t' '$2 == "FAILED" { sub(/ \[d_model [^]]*\]$/, "", $3); print "qkv check, " $1 ": " $3; exit }'
}

# A plugin, compared with the variant that it should be; or a plugin or a script,
# compared with our solution.
check_code() {
    if cmp -s "$mine/$1.$kind" "$here/$1.$kind"; then
        echo "$1: you have not changed it yet"
        return 1
    fi
    got=$(found "$mine/$1.$kind")
    sed -n "s|$work/given|$mine|; s/^qkv: //; /runs failed/d; 1,12p" "$work/err" >"$work/said"
    if [ -z "$got" ] && [ $kind = c ] && [ ! -e "$work/desk/variant.so" ]; then
        cat "$work/said"
        echo "$1: it does not compile (see the message above)"
        return 1
    fi
    [ -n "$got" ] || [ $kind = c ] || got='(nothing)'
    [ "$3" = = ] && right=$top/$here/solutions/$1.$kind || right=$3
    [ -n "$got" ] && [ "$got" = "$(found "$right")" ] && return 0
    [ ! -s "$work/said" ] || sed "s|^|$1: it says: |; s|\./variant.so: ||" "$work/said" | head -3
    echo "$1: not yet: $(known_mistake "$1" "${got:-refused}" "$2")"
    return 1
}

# judged NAME: the answers on stdin are right; if not, those that are wrong are named.
judged() {
    awk -F '\t' -v name="$1" -f "$here/answers.awk" "$here/$1.answers" - >"$work/wrong" || return 1
    cat "$work/wrong"
    [ ! -s "$work/wrong" ]
}

# An equation is judged by its form, as the program derives it.
check_equation() {
    if cmp -s "$mine/$1.eq" "$here/$1.eq"; then
        echo "$1: you have not changed it yet"
        return 1
    fi
    found "$mine/$1.eq" >"$work/form"
    if [ ! -s "$work/form" ]; then
        sed 's|^qkv: [^:]*\.eq:|line |' "$work/err"
        echo "$1: not yet: correct the mistake above"
        return 1
    fi
    judged "$1" <"$work/form"
}

# The title of an exercise, from the first lines of its file.
title() {
    sed -n 's/.* - exercise: \(.*\)\.$/\1/p; s/^[0-9][0-9] \([^.]*\)\. Write .*/\1: numbers/p' "$here/$1".[cste]* | head -1
}

# One exercise; true if it is done.
exercise() {
    for kind in c sh txt eq; do
        [ ! -e "$here/$1.$kind" ] || break
    done
    if finished "$1" && [ -z "$again" ]; then
        echo "$1: already done (make exercise N=$1 AGAIN=1 checks it again, or gives you" \
            "a fresh copy if you have removed yours)"
        return 0
    fi
    if [ ! -e "$mine/$1.$kind" ]; then
        cp "$here/$1.$kind" "$mine/$1.$kind"
        echo "$1: edit $where/$1.$kind, then run this command again"
        return 1
    fi
    case $kind in
    txt) tr -d '\r' <"$mine/$1.txt" | judged "$1" || return 1 ;;
    eq) check_equation "$1" || return 1 ;;
    *) check_code "$1" "$2" "$3" || return 1 ;;
    esac
    finished "$1" || echo "$1" >>"$mine/done"
    echo "$1: right"
    [ ! -e "$here/$1.why" ] || cat "$here/$1.why"
}

status=0 there=0 left=0
while read -r one lesson answer options; do
    case $one in
    \#*) continue ;;
    "$name" | "$name"-*) ;;
    *) [ -z "$name" ] || continue ;;
    esac
    there=$((there + 1))
    if [ -n "$name" ]; then
        exercise "$one" "$lesson" "$answer" </dev/null || status=1
        continue
    fi
    state='' file=
    for kind in c sh txt eq; do
        [ ! -e "$mine/$one.$kind" ] || state=begun file=", $where/$one.$kind"
    done
    ! finished "$one" || state=done
    printf '%-6s %-12s  %s (lessons/%s.md%s)\n' "$state" "$one" "$(title "$one")" "$lesson" "$file" >>"$work/list"
done <"$here/list"
# cat ends without a word if its reader has seen enough, as head has; echo would complain.
[ -n "$name" ] || cat "$work/list"
if [ $there -eq 0 ]; then
    echo "there is no exercise $name; make exercise lists them all" >&2
    exit 2
fi
while read -r one lesson answer options; do
    case $one in \#*) continue ;; esac
    finished "$one" || left=$((left + 1))
done <"$here/list"
[ $left -gt 0 ] || [ $status -ne 0 ] || echo "All exercises are done."
exit $status
