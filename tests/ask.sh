#!/bin/sh
# ask.sh BUILD [PART] - runs one part of the quick tests, and ends at its first
# fault; without PART lists all of them: Check's suites as float/NAME and
# double/NAME, pages as shown/NAME, groups of command.tsv and sections of a script
# ("# --- ...") as NAME/1 and so on, other scripts as whole/NAME; and same. coverage.sh
# goes through them.

set -eu
build=$1
part=${2:-}
if [ -z "$part" ]; then
    for program in float double; do
        ls tests/check_*.c | sed -n "/main/!s|tests/check_\(.*\)\.c|$program/\1|p"
    done
    ls tests/shown | sed 's|\(.*\)\.md|shown/\1|'
    for list in command.tsv check.sh outcomes.sh states.sh hostile.sh; do
        seq "$(grep -c '^# --- ' tests/$list)" | sed "s|^|${list%.*}/|"
    done
    for script in drawn paper parallel; do
        echo whole/$script
    done
    echo same
    exit
fi
export STOP=1
case $part in
float/* | double/*)
    CK_RUN_SUITE=${part#*/} QKV_PATH=$build/variants exec "$build/tests/${part%/*}"
    ;;
command/*) exec sh tests/command.sh "$build" "${part#*/}" ;;
whole/*) exec sh "tests/${part#*/}.sh" "$build" ;;
shown/*) exec sh lessons/check.sh "$build" "tests/$part.md" ;;
same) exec sh tests/same.sh "$build" quick ;;
esac
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
section=$folder/${part%/*}.sh
awk -v wanted="${part#*/}" '
    /^# --- / { n++ }
    !n || n == wanted
    END { print "exit 0" }' "tests/${part%/*}.sh" >"$section"
sh "$section" "$build"
