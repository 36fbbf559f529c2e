# options.sh - takes out of "$@" what recipe and claim have to know: $out, $quiet, $format
# and $plan. What is left, and --plan, is for the commands of the script.

out='' quiet='' format='' plan='' takes=''
for word; do
    shift
    case $takes$word in
    out* | format*) eval "$takes=\$word" && takes='' ;;
    -o | --out) takes=out ;;
    --format) takes=format ;;
    --out=*) out=${word#*=} ;;
    --format=*) format=${word#*=} ;;
    -q | --quiet) quiet=-q ;;
    --plan) plan=yes && set -- "$@" --plan ;;
    *) set -- "$@" "$word" ;;
    esac
done
[ ! "$takes" ] || die 2 "--$takes: needs a value after it"
[ ! "$format" ] || format=--format=$format

# What a recipe or a claim calls; run_command PROGRAM WORD ... does it.
qkv() { run_command "$QKV" "$@"; }
qkv_double() { run_command "${QKV%-double}-double" "$@"; }
