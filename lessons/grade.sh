#!/bin/sh
# grade.sh BUILD DIR - grades a folder of submissions, for a gradebook: a row for each folder
# in DIR, a column for each exercise (1 if it is right, 0 if not, empty if it was not handed
# in), and the points. What is wrong goes to stderr, in the words of `make exercise`; the
# answers go nowhere.
#
# A submission is a folder with files of .exercises, such as 03-once.c and 03-numbers.txt.
# They are checked by exercise.sh, one after the other. Their code is run by guard.sh, which
# says what it can do there; UNGUARDED=yes runs it without.

set -u
build=$(cd "$1" && pwd)
export SUBMISSIONS
SUBMISSIONS=$(cd "${2:-}" 2>/dev/null && pwd) && [ "${2:-}" ] || {
    echo "grade: \"${2:-}\": no such folder; make grade DIR=FOLDER, with a folder in it for each submission" >&2
    exit 2
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
tab=$(printf '\t')

mkdir "$work/found" "$work/given" "$work/desk"
export GUARD=yes
if [ "${UNGUARDED:-}" ]; then
    GUARD=
    echo "grade: submissions can read and delete whatever you can" >&2
elif ! sh lessons/guard.sh "$build" "$work" true 2>"$work/said"; then
    sed 's/^/grade: /' "$work/said" >&2
    echo "grade: submissions cannot be kept from your files: install bubblewrap, allow it" \
        "to make namespaces, or set UNGUARDED=yes if you trust them" >&2
    exit 1
fi

kind() { for file in lessons/exercises/"$1".[cst]*; do echo "${file##*.}"; done; } # EXERCISE: its ending
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
    *[[:cntrl:]]*)
        echo "grade: $folder: its name has control characters; rename it" >&2
        exit 2
        ;;
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
