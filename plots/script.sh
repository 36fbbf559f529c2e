# script.sh - how each script of commands/ begins, and page.sh. `qkv NAME` runs commands/NAME.sh, whose
# head is its --help, and tells it in $QKV where the program is. The values of the options
# in $taken become variables, as $out; what else there is stays in "$@".

set -eu
export LC_ALL=C
plots=${0%/*} plots=${plots%/commands}

# die STATUS WORDS: it failed (1), or was asked wrongly (2).
die() {
    printf 'qkv: %s\n' "$2" >&2
    exit "$1"
}

# is_taken NAME: is that an option of this script?
is_taken() {
    for own in $taken; do
        [ "$own" != "$1" ] || return 0
    done
    return 1
}

# check_figure NAME VALUE: asks `plot` about an option of figures, which are drawn last.
check_figure() { "$QKV" plot "--$1=$2" --help >/dev/null || exit; }

# set_option NAME VALUE: the variable of that name. There is no eval, which would run what a
# user's word has in it.
set_option() {
    [ "$2" ] || die 2 "--$1: its value is missing; write --$1 VALUE"
    case $1 in
    out) case $2 in -*) out=./$2 ;; *) out=$2 ;; esac ;; # a path is no option
    size) check_figure "$1" "$2" && size=$2 ;;
    x) x=$2 ;;
    y) y=$2 ;;
    by) by=$2 ;;
    baseline) baseline=$2 ;;
    judge) judge=$2 ;;
    margin) margin=$2 ;;
    format) check_figure "$1" "$2" && format=$2 ;;
    tables) tables=$2 ;;
    esac
}

quiet='' plan='' takes=''
for word; do
    shift
    if [ "$takes" ]; then
        set_option "$takes" "$word"
        takes=''
        continue
    fi
    name=${word#--} name=${name%%=*}
    case $word in
    -h | --help | --help=all) sed -n '/^$/q; s/^# \{0,1\}//p' "$0" && exit ;;
    -q | --quiet) quiet=-q && continue ;;
    --plan) plan=yes ;;
    -o) takes=out && continue ;;
    --*=*) ! is_taken "$name" || { set_option "$name" "${word#*=}" && continue; } ;;
    --*) ! is_taken "$name" || { takes=$name && continue; } ;;
    esac
    set -- "$@" "$word"
done
[ ! "$takes" ] || set_option "$takes" ''

# refuse_options WORD ...: none of the words that are left may be an option, if this script
# hands no options to other commands.
refuse_options() {
    known='--help --quiet'
    for own in $taken; do
        known="$known --$own"
    done
    for word; do
        case $word in
        -?*) die 2 "unknown option $word:$("$QKV" suggest "${word%%=*}" $known) \`qkv $(basename "$0" .sh) --help\` lists them" ;;
        esac
    done
}

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
    [ -f "$script" ] ||
        die 2 "unknown ${1%s} \"$2\":$("$QKV" suggest "$2" $(find_script "$1" | cut -d ' ' -f 1)) \`qkv ${1%s}\` lists them; a file is named with a slash, ./$2"
}

# What the lines of such a script call; run_command PROGRAM WORD ... does it.
qkv() { run_command "$QKV" "$@"; }
qkv_double() { run_command "${QKV%-double}-double" "$@"; }
