#!/bin/sh
# guard.sh BUILD WORK COMMAND ... - runs a command on a submission, WORK/given, in the folder
# WORK/desk. Called by exercise.sh for grade.sh.
#
# The command can write in that folder and in an empty /tmp, and nowhere else. It sees no
# answers, no other submission, nothing of the grader's home, no network, no sockets of
# services (/run) and no other process; all that it started ends with it. A process may take
# 60 seconds of a processor, 4 GB of memory and files of 100 MB. Not limited are how many
# processes and files there are, so a submission can keep the machine busy, or its disk full,
# until its time is up.

set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
build=$1 work=$2
shift 2
ulimit -t 60
ulimit -v 4000000
ulimit -f 200000
ulimit -c 0

# What is hidden first is shown again where the program is in it.
hide() { # FOLDER ...: those that are there
    for folder; do
        [ ! -d "$folder" ] || printf '%s\n' --tmpfs "$folder"
    done
}
hidden=$(hide "${HOME:-}" /tmp /var/tmp /run)
answers=$(hide "$top/lessons" "$top/.git" "$top/.exercises" "$SUBMISSIONS")
newline='
'
IFS=$newline
# shellcheck disable=SC2086 # a line is a word
exec bwrap --unshare-all --new-session --die-with-parent --clearenv \
    --setenv PATH "$PATH" --setenv HOME "$work/desk" \
    --ro-bind / / --dev /dev --proc /proc $hidden \
    --ro-bind "$top" "$top" --ro-bind "$build" "$build" $answers \
    --ro-bind "$work/given" "$work/given" --bind "$work/desk" "$work/desk" \
    --chdir "$work/desk" -- "$@"
