# script.sh - how each script of commands/ begins. `qkv NAME` runs commands/NAME.sh, whose
# head is its --help, and tells it in $QKV where the program is. The values of the options
# in $taken become variables, as $out; what else there is stays in "$@".

set -eu
export LC_ALL=C
plots=${0%/commands/*}

# die STATUS WORDS: it failed (1), or was asked wrongly (2).
die() {
    printf 'qkv: %s\n' "$2" >&2
    exit "$1"
}

quiet='' plan='' takes=''
for word; do
    shift
    if [ "$takes" ]; then
        eval "$takes=\$word" && takes='' && continue
    fi
    name=${word#--} name=${name%%=*}
    case $word in
    -h | --help | --help=all) sed -n 's/^# \{0,1\}//p; /^$/q' "$0" && exit ;;
    -q | --quiet) quiet=-q && continue ;;
    --plan) plan=yes ;;
    -o) takes=out && continue ;;
    --*)
        case " $taken $word" in
        *" $name "*=*) eval "$name=\${word#*=}" && continue ;;
        *" $name "*) takes=$name && continue ;;
        esac
        ;;
    esac
    set -- "$@" "$word"
done
[ ! "$takes" ] || die 2 "--$takes: needs a value after it"

# find_script FOLDER [NAME]: $script is that of this name, or a path, and $out its name if
# it is not given. Without a name it lists what is there, with the first line of each.
find_script() {
    if [ $# -eq 1 ]; then
        for script in "$plots/$1"/*.sh; do
            printf '%-16s %s\n' "$(basename "$script" .sh)" "$(sed -n '1s/^# //p' "$script")"
        done
        exit
    fi
    case $2 in
    */*) script=$2 ;;
    *) script=$plots/$1/$2.sh ;;
    esac
    name=${2##*/} name=${name%.sh}
    out=${out:-$name}
    [ -f "$script" ] || die 2 "$2: not in $plots/$1; the name comes first, and a path has a slash"
}

# What the lines of such a script call; run_command PROGRAM WORD ... does it.
qkv() { run_command "$QKV" "$@"; }
qkv_double() { run_command "${QKV%-double}-double" "$@"; }
