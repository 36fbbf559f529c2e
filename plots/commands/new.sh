# qkv new NAME ['EQUATION']
# start your own variant: write NAME.c, with the standard code or an equation's
#
#   qkv new mine
#   qkv new bent "softmax(tanh(x W_i^Q) (y W_i^K)' / sqrt(d_k)) y W_i^V W_i^O"

taken=
. "${0%/commands/*}/script.sh"
refuse_options "$@"
[ $# -eq 1 ] || [ $# -eq 2 ] || die 2 "new: it takes NAME or NAME 'EQUATION'; \`qkv new --help\` has examples"
case $1 in
'' | -* | *[!A-Za-z0-9_-]*) die 2 "\"$1\" cannot name a variant: use letters, digits, - and _, without a folder or an ending" ;;
esac
! "$QKV" list --names | grep -qx -- "$1" ||
    die 2 "$1: a variant has this name, and the two could not be compared; choose another name"
[ ! -e "$1.c" ] || die 1 "$1.c: it already exists; choose another name"

# copy_of_standard NAME: standard.c under that name, without its family, because it will change.
copy_of_standard() {
    sed "s/NAME/$1/" <<'END'
/* NAME.c - a variant of attention; so far, the standard one.

   Check it, train it:

       qkv check ./NAME.c
       qkv compare -v standard,./NAME.c -t reverse,induction

   <qkv/variant.h> is the manual, <qkv/tape.h> and <qkv/attend.h> list
   the operators. */
END
    sed -n '/^#include/,$ { /^    \.family/d; p; }' "$plots/../variants/standard.c"
}

if [ $# -eq 2 ]; then
    text=$("$QKV" write-plugin "$1" "$2") || exit
    change=
else
    text=$(copy_of_standard "$1")
    change=' Change forward, then:'
fi
printf '%s\n' "$text" >"$1.c" || { rm -f "$1.c" && die 1 "$1.c: could not write it"; }
cat <<END
$1.c is written.$change

  qkv check ./$1.c
  qkv compare -v standard,./$1.c -t reverse,induction
END
