# lib.sh - what the scripts of this folder share. A script begins with
#
#     build=$1
#     . tests/lib.sh
#
# and then stands in an empty folder, which is removed when it ends, with $top (the
# project), $build, $qkv and $work as absolute paths. It ends with `finish`. With
# STOP set it ends at its first fault (ask.sh). What it skips is a line of
# BUILD/skipped/SCRIPT, which `make check` prints at its end, and by which .ci/run knows
# what a newcomer's machine cannot test.

set -u
export LC_ALL=C # the words of sed and cmp, the order of sort, and 0.5 rather than 0,5
unset MAKEFLAGS # a make that a test calls is not a part of the one that runs the test
# Under the address sanitizer: a program that ends with a message does not free first,
# and a crash looks like one. Leaks are left to valgrind.sh.
export ASAN_OPTIONS=detect_leaks=0:handle_segv=0
script=$(basename "$0" .sh)
top=$(pwd)
as_typed=$build # what make takes as BUILD, in which no name may have a blank
build=$(cd "$build" && pwd)
qkv=$build/qkv
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
cd "$work" || exit 1
passed=0 failed=0
skipped=$build/skipped/$script
mkdir -p "$build/skipped"
: >"$skipped"

ok() { passed=$((passed + 1)); }

# complain WHAT: counts a fault, with what the last command wrote to `err`.
complain() {
    failed=$((failed + 1))
    echo "$script: $*" >&2
    [ ! -f err ] || sed 's/^/    /' err >&2
    [ -z "${STOP:-}" ] || exit 1
}

# expect WHAT TEST ...: TEST succeeds, or WHAT is the complaint.
expect() {
    what=$1
    shift
    if "$@"; then ok; else complain "$what"; fi
}

# skip WHAT: WHAT is not tested here, and why; it is counted.
skip() { echo "$script: skipped: $*" >>"$skipped"; }

# companion TOOL WHAT: is TOOL, which qkv can do without, installed? WHAT is skipped if
# it is not. .ci/run runs such a script without that tool, too.
companion() {
    command -v "$1" >/dev/null && return
    skip "$2: no $1 here"
    return 1
}

# refuses STATUS WORDS COMMAND ...: exits so, with one line, with those words.
refuses() {
    wanted=$1 words=$2
    shift 2
    "$@" >out 2>err </dev/null
    status=$?
    if [ $status -ne "$wanted" ]; then
        complain "$*: status $status, not $wanted"
    elif ! grep -qF -- "$words" err; then
        complain "$*: does not say \"$words\""
    elif [ "$(wc -l <err)" -ne 1 ]; then
        complain "$*: not one line"
    else
        ok
    fi
}

# works WORDS COMMAND ...: exits 0 with those words on stdout.
works() {
    words=$1
    shift
    "$@" >out 2>err </dev/null
    status=$?
    if [ $status -ne 0 ]; then
        complain "$*: status $status"
    elif ! grep -qF -- "$words" out; then
        complain "$*: does not print \"$words\""
    else
        ok
    fi
}

# plugin NAME FLAG ...: compiles NAME.c here, as README says to.
plugin() {
    name=$1
    shift
    ${CC:-cc} -shared -fPIC -I "$top/core" "$@" "$name.c" -o "$name.so" ||
        complain "$name.c does not compile"
}

# running WORDS: does any process have these words in its command line (Linux)?
running() {
    lines=$(cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\0' ' ')
    case $lines in *"$1"*) true ;; *) false ;; esac
}
none_running() { ! running "$1"; }

# soon TEST ...: waits until TEST succeeds, for a minute at most: a machine that is slow or
# busy must only take longer.
soon() {
    for moment in $(seq 600); do
        "$@" && return
        sleep 0.1
    done
    return 1
}

finish() {
    cat "$skipped"
    echo "$script: $passed passed, $failed failed, $(wc -l <"$skipped") skipped"
    [ "$failed" -eq 0 ]
}
