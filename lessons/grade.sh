#!/bin/sh
# grade.sh BUILD DIR - grades a folder of submissions, for a gradebook: a row for each folder
# in DIR, a column for each exercise (1 if it is right, 0 if not, empty if it was not handed
# in), and the points. What is wrong goes to stderr, in the words of `make exercise`; the
# answers go nowhere.
#
# A submission is a folder with files of .exercises, such as 03-once.c and 03-numbers.txt.
# They are checked by exercise.sh, one after the other. Their code is run by guard.sh, which
# says what it can do there. $EXERCISE_SECONDS, if it is set, is how many seconds a command may take.

set -u
fail() {
    echo "grade: $1" >&2
    exit "$2"
}
build=$(cd "$1" && pwd)
[ -d "${2:-}" ] ||
    fail "\"${2:-}\": no such folder; make grade DIR=FOLDER, with a folder in it for each submission" 2
export GUARD=yes SUBMISSIONS
SUBMISSIONS=$(cd "$2" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
tab=$(printf '\t')

# What the guard hides may be what it needs: a compiler in the grader's home, for example.
mkdir "$work/found" "$work/given" "$work/desk"
# shellcheck disable=SC2086 # a compiler with options
sh lessons/guard.sh "$build" "$work" ${CC:-cc} --version >"$work/said" 2>&1 || {
    sed 's/^/grade: /' "$work/said" >&2
    fail "no submission was run: bubblewrap must be installed, be allowed to make namespaces, and see a compiler (CC) outside your home and /tmp" 1
}

kind() { for file in lessons/exercises/"$1".[cste]*; do echo "${file##*.}"; done; } # EXERCISE: its ending
# Only a plain file counts: a link could lead to an answer.
handed_in() { [ -f "$1" ] && [ ! -L "$1" ]; }

# grade SUBMISSION FILE: its exercise is right. If not, the reason goes to a terminal, so it
# loses what of the submission's bytes could control that.
grade() {
    rm -rf "$work/mine"
    mkdir "$work/mine"
    ln -s "$work/found" "$work/mine/.found"
    cp "$2" "$work/mine/"
    exercise=${2##*/}
    EXERCISES=$work/mine sh lessons/exercise.sh "$build" "${exercise%.*}" >"$work/said" 2>&1 </dev/null && return
    LC_ALL=C tr -d '\000-\010\013-\037\177' <"$work/said" | who=$1 awk '{ print ENVIRON["who"] ": " $0 }' >&2
    return 1
}

for folder in "$SUBMISSIONS"/*/; do
    case $folder in
    *[[:cntrl:]]*) fail "$folder: its name has control characters; rename it" 2 ;;
    esac
done
exercises=$(awk -F '\t' '/^[0-9]/ { print $1 }' lessons/exercises/list)
row=submission
for exercise in $exercises; do
    row=$row$tab$exercise
done
echo "$row${tab}points"
for folder in "$SUBMISSIONS"/*/; do
    [ -d "$folder" ] || continue # there is none
    row=$(basename "$folder") points=0
    for exercise in $exercises; do
        file=$folder$exercise.$(kind "$exercise") point=
        if handed_in "$file"; then
            point=0
            ! grade "$(basename "$folder")" "$file" || point=1
        fi
        row=$row$tab$point
        points=$((points + ${point:-0}))
    done
    echo "$row$tab$points"
done
