#!/bin/sh
# check.sh [-u | -q] BUILD [LESSON ...] - what a lesson, or README, shows is so: its code is in
# the files that it names, its commands print what is shown below them, its numbers
# that are marked as measured are what their sources say (measured.awk), its names,
# links and figures are there, and the claims are those of their scripts; and all lessons
# together show each function of the heart once, and each variant's equation. -u writes
# into the lessons what the commands print now, and the functions that blocks of code
# name, to be looked at before it is committed; -q runs no commands except `make stage`,
# which builds the heart as far as a lesson has it. STOP=1 ends a lesson at its first fault.

set -u
update= quick=
[ "$1" = -u ] && update=yes && shift
[ "$1" = -q ] && quick=yes && shift
build=$(cd "$1" && pwd)
shift
all=
[ $# -gt 0 ] || all=yes
[ $# -gt 0 ] || set -- README.md lessons/[0-9]*.md lessons/claims.md lessons/reference.md lessons/teach.md lessons/changes.md
work=$(mktemp -d)
export LC_ALL=C
trap 'rm -rf "$work"' EXIT
failed=0
complain() {
    echo "$*" >&2
    failed=$((failed + 1))
}

# Runs what stands behind each "$ " of the console blocks, one lesson's commands
# in one directory, and writes the lesson with what they print. A line "..."
# stands for any lines. `make stage` is typed in the project's directory.
run_console() {
    awk -v work="$work" -v quick="$quick" '
    function flush(    i, line, from, skip, ok) {
        if (!command)
            return
        if (quick && command !~ /^make stage /) {
            for (i = 1; i <= m; i++)
                print wanted[i] > (work "/lesson")
            command = ""
            m = 0
            return
        }
        print "make() { sh \"$TOP/lessons/stage.sh\" \"$BUILD\" ${2#N=} ${3#ARGS=}; }" > (work "/command")
        print command > (work "/command")
        close(work "/command")
        system("cd \"" work "/desk\" && sh ../command >../out 2>&1 </dev/null")
        n = 0
        while ((getline line < (work "/out")) > 0)
            got[++n] = line
        close(work "/out")
        # expected lines against those that came
        from = 1
        ok = 1
        skip = 0
        for (i = 1; i <= m; i++) {
            if (wanted[i] == "...") {
                skip = 1
                continue
            }
            while (skip && from <= n && got[from] != wanted[i])
                from++
            if (from > n || got[from] != wanted[i]) {
                ok = 0
                break
            }
            from++
            skip = 0
        }
        if (ok && !skip && from <= n) {
            ok = 0
            i = m + 1
        }
        if (!ok) {
            printf "%s:%d: %s\n    shows  %s\n    prints %s\n", FILENAME, at,
                substr(command, 1, 60), i <= m ? wanted[i] : "(nothing more)",
                from <= n ? got[from] : "(nothing more)" > "/dev/stderr"
            bad = 1
            if (ENVIRON["STOP"])
                exit
        }
        for (i = 1; i <= (ok ? m : n); i++)
            print (ok ? wanted[i] : got[i]) > (work "/lesson")
        command = ""
        m = 0
    }
    /^```console/ { inside = 1; print > (work "/lesson"); next }
    /^```$/ && inside { flush(); inside = 0; print > (work "/lesson"); next }
    inside && /^\$ / {
        flush()
        command = substr($0, 3)
        at = FNR
        print > (work "/lesson")
        next
    }
    inside && command && /^> / { command = command "\n" substr($0, 3); print > (work "/lesson"); next }
    inside { wanted[++m] = $0; next }
    { print > (work "/lesson") }
    END { exit bad }' "$1"
}

# Every name() in prose is a function of the code, or of the C library.
check_names() {
    grep -o '`[a-z_]*()`' "$1" | tr -d '`()' | sort -u | while read -r name; do
        grep -qE "\b$name\(" core/*/*.[ch] variants/*.c ||
            echo "$1: \`$name()\` is no function of the program"
    done
}

# Every link and figure leads somewhere, in a lesson nowhere outside of the book; README's
# begin in the folder above the lessons'.
check_links() {
    from=lessons
    [ "$1" != README.md ] || from=.
    grep -oE '\]\([^)]*\)|src(set)?="[^"]*"' "$1" |
        sed -E 's/^(\]\(|src(set)?=")//; s/[)"]$//; s/ ".*//; s/#.*//' | grep -v '^$' |
        while read -r path; do
            case $from:$path in
            .:http*) ;;
            *:http*) echo "$1: $path is outside of the book: write it as text" ;;
            *) [ -e "$from/$path" ] || echo "$1: $path is not there" ;;
            esac
        done
}

# What the page of claims says of a claim before it is run, its hypothesis with the
# numbers in it, its commands and what they must find, is what its script says.
check_claims() {
    tr -d '\\' <"$1" >"$work/claims"
    for claim in plots/claims/*.sh; do
        awk '{ gsub(/\\/, "") }
            /^#   / { text = text substr($0, 4); next }
            { if (text) print text; text = "" }
            /^# [a-z]+( [0-9]+)?: / { text = substr($0, index($0, ": ") + 2); next }
            /^[^#]/' "$claim" | while read -r words; do
            grep -qF -- "$words" "$work/claims" || echo "$1: not what $claim says: $words"
        done
    done
}

for lesson; do
    if [ "$update" ]; then
        awk -v fill="$work/filled" -f lessons/excerpts.awk "$lesson" >>"$work/shown" &&
            cp "$work/filled" "$lesson" || failed=$((failed + 1))
    else
        awk -f lessons/excerpts.awk "$lesson" >>"$work/shown" || failed=$((failed + 1))
    fi
    check_names "$lesson" >"$work/said"
    check_links "$lesson" >>"$work/said"
    [ "$lesson" != lessons/claims.md ] || check_claims "$lesson" >>"$work/said"
    [ ! -s "$work/said" ] || complain "$(cat "$work/said")"
    rm -rf "$work/desk"
    mkdir "$work/desk"
    : >"$work/lesson"
    if ! TOP=$PWD BUILD=$build PATH=$build:$PATH run_console "$lesson"; then
        [ "$update" ] && cp "$work/lesson" "$lesson" || failed=$((failed + 1))
    fi
    awk -f lessons/measured.awk "$lesson" || failed=$((failed + 1))
done

if [ "$all" ]; then
    awk -v shown="$work/shown" -f lessons/items.awk variants/*.c core/heart/*.[ch] core/operators/*.[ch] >"$work/said"
    [ ! -s "$work/said" ] || complain "$(cat "$work/said")"
fi
echo "lessons: $# checked, $failed with faults"
[ $failed -eq 0 ]
