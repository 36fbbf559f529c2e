#!/bin/sh
# referee.sh BUILD - what `derive A = B` answers, for all pairs of the shipped variants,
# beside a brute force that knows nothing of it: B's matrices are fitted to A's outputs
# by gradients in double, from 20 starts (tests/referee/referee.c), at a small shape.
# derive may never say "cannot" where a fit is found. Where it says that B computes what A
# does, it has run both; a fit that is not found in 20 starts is looked for in 200.

build=$1
. tests/lib.sh
referee=$build/tests/referee
export QKV_PATH=$build/variants/double:$build/variants

names=${NAMES:-$("$qkv" list --columns variant --tsv | sed 1d)}
# FITS=FILE: what the referee has found already; it takes half an hour.
if [ "${FITS:-}" ]; then
    cp "$FITS" fits
else
    "$referee" 20 $names >fits 2>err || complain "the referee ended early"
fi

# answer FROM TO: what derive says of it.
answer() {
    awk -v to="$2" -v from="$1" '
        index($0, to " computes what " from " does") == 1 { print "computes" }
        index($0, to " cannot compute what " from " does") == 1 { print "cannot" }
        index($0, to ": not known whether it can compute what " from) == 1 { print "unknown" }' derived
}
# With two heads, as the referee has, one group of keys is all there is.
small_shape() { case $1:$2 in gqa:mqa | gqa-qk-norm:qk-norm) true ;; *) false ;; esac }
: >table
while IFS='	' read -r from to found off starts; do
    "$qkv" derive "$from" = "$to" >derived 2>err
    says=$(answer "$from" "$to")
    if [ "$says" = computes ] && [ "$found" = differs ]; then
        found=$("$referee" 200 "$from" "$to" 2>err | awk -v f="$from" '$1 == f { print $3 }')
    fi
    echo "$from	$to	$says	$found	$off" >>table
    case $says:$found in
    cannot:fits) small_shape "$from" "$to" && ok || complain "derive says that $to cannot compute what $from does: a fit is found" ;;
    :*) complain "derive $from = $to gives no answer" ;;
    *) ok ;;
    esac
done <fits
awk -F '\t' '{ n[$3 "\t" $4]++ } END { for (k in n) print n[k] "\t" k }' table | sort >&2
finish
