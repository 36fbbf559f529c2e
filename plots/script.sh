# script.sh - what the scripts of commands/ share; each reads it first. `qkv NAME` runs
# commands/NAME.sh, and says in $QKV where the program is.

set -eu
export LC_ALL=C
plots=${0%/commands/*}

# die STATUS WORDS: as every command of qkv ends that fails (1), or was asked wrongly (2).
die() {
    echo "qkv: $2" >&2
    exit "$1"
}

# listing FOLDER: a line for each script there, its name and its question.
listing() {
    for script in "$plots/$1"/*.sh; do
        name=${script##*/}
        printf '%-16s %s\n' "${name%.sh}" "$(sed -n '1s/^# //p' "$script")"
    done
}

# find_script FOLDER NAME: $script is that of this name, or a path.
find_script() {
    script=$plots/$1/$2.sh
    case $2 in
    */*) script=$2 ;;
    esac
    [ -f "$script" ] ||
        die 2 "$2: no such file in $plots/$1: \`qkv ${1%s}\` lists what is there; a path has a slash"
}
