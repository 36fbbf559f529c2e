#!/bin/sh
# check.sh BUILD - `qkv check` and `qkv new`, the gate for plugins: what ships passes,
# and each planted bug of tests/broken/faults.tsv fails the check that is there for
# it. Nothing else asks whether a check can fail.

build=$1
. tests/lib.sh
check() { "$build/qkv" check "$@" -q >out 2>err; }

# --- what ships
mkdir tests && cp -r "$top/variants" . && cp -r "$top/tests/right" "$top/tests/broken" tests
cp tests/right/standard.h .
for plugin in variants/*.c ./tests/right/*.c ./tests/broken/operator.c ./tests/broken/heads.c; do
    case $plugin in
    variants/*) plugin=$(basename "$plugin" .c) ;;
    esac
    expect "$plugin does not pass" check "$plugin"
done
check ./variants/standard.c && expect "standard.c: not twelve checks" [ "$(grep -cP '\tok\t' out)" -eq 12 ]

# A key bias cancels in the softmax, so its gradient is rounding, which is not 0.
for plugin in standard biased; do
    check $plugin
    [ $plugin = biased ] && depends='; the output does not depend on b^K without positions: the gradient there is only rounding' || depends=
    expect "$plugin: which matrices the output depends on" \
        grep -qxF "all used	ok	the output is computed from every matrix declared$depends" out
done

check ./tests/right/yoco.c
expect "yoco.c: no line says that its upper blocks have keys which nothing uses" \
    grep -q '^all used	ok	.*; W^K is unused in block 9, 10, 11, 12, 13, 14, 15, 16;' out
expect "yoco.c: of 16 blocks, 8 keep 24 + 20 numbers" grep -q 'keeping 22 numbers per token and block$' out
check ./tests/right/flamingo.c
expect "flamingo.c: a gate of cross-attention is called unused" sh -c '! grep -q unused out'

check ./tests/right/defined.c
expect "defined.c: a name that its equation defines is not read: $(cat out)" \
    grep -q '^equation	ok	.*, and so does .equation' out

# --- what a stack of blocks costs: parameters and cache of a variant with two layers
costs() { "$build/qkv" count -v "$1" --layers 2 2>err | awk 'NR == 2 { print $2, $5 }'; }
cat >only-y.c <<'EOF'
#include "standard.h"
static Node *
forward(Attention *a, Node *x, Node *y, Node **w)
{
    Node *q = split(matmul(x, w[W_Q]), a->heads);
    Node *k = split(matmul(cached(y), w[W_K]), a->heads);
    Node *v = split(matmul(y, w[W_V]), a->heads);
    return matmul(attend(a, q, k, v, 1 / sqrt(a->d_k)), w[W_O]);
}
const Variant qkv_variant = {.abi = QKV_ABI,
                             .equation = "note: standard, with y cached for its keys",
                             .shape = "heads d-k d-v",
                             .weights = standard_weights,
                             .forward = forward};
EOF
expect "standard's costs" [ "$(costs standard)" = "8192 128" ]
expect "keys and values are shared, and priced twice" [ "$(costs ./tests/right/yoco.c)" = "6144 64" ]
expect "a window in one of two blocks" [ "$(costs ./tests/right/gpt-oss.c)" = "8200 80" ]
expect "values that are made from a cached y are kept too" [ "$(costs ./only-y.c)" = "8192 128" ]

# --- a plugin's own operator has the name of one of the core's: it is not taken for it
for name in add columns concat hadamard rotate scale scores softmax spread; do
    sed "s/\"own\", own_forward/\"$name\", own_forward/" "$top/tests/broken/operator.c" >"called-$name.c"
    "$qkv" derive "./called-$name.c" >out 2>err
    expect "an operator called $name: derive" grep -q "^  M_i = .*\[$name\].*" out
    expect "an operator called $name: count" [ "$(costs "./called-$name.c")" = "$(costs ./tests/broken/operator.c)" ]
done
expect "an operator called columns: check" check ./called-columns.c
works called "$qkv" train -v ./called-columns.c -t recall --steps 2 --log gauge -o called

# --- the world of an answer: a mask that changes it is named, and can be chosen
real() { "$build/qkv" count --real --d-model 16 --tsv -v "$@" 2>err | awk -F'\t' 'NR > 1 { print $1 ":" $3 }'; }
expect "forgetting: not a number without a mask and another one with it" \
    [ "$(real ./tests/right/forgetting.c)" = "forgetting, no mask:896
forgetting, causal:964" ]
expect "--mask does not choose" [ "$(real ./tests/right/forgetting.c --mask causal)" = forgetting:964 ]
expect "a mask changes standard" [ "$(real standard)" = standard:896 ]
check ./tests/right/forgetting.c
expect "forgetting: its form is not said to hold only without a mask" grep -q '^linear	.*only without a mask' out
"$build/qkv" derive ./tests/right/forgetting.c >out 2>err
expect "derive names no mask" grep -q '964 real under a causal mask, and 896 without' out
refuses 2 'causal-only is for causal attention only' \
    "$qkv" compare -v standard,./tests/right/causal-only.c -t mqar,recall -o refused
refuses 2 'self-only is for self-attention only' \
    "$qkv" compare -v standard,./tests/right/self-only.c -t translate -o refused
refuses 2 'causal-only is for causal attention only' \
    "$qkv" count --real -v ./tests/right/causal-only.c --mask none
expect "a run was trained before a variant was refused" [ ! -e refused ]

# --- the costs of a plugin's own operator: unknown, unless it says them
sed 's/    return compute(new_node(\(.*\)));/    Node *c = new_node(\1);\n    c->flops = 2. * a->rows * a->cols * b->cols;\n    c->state = 7;\n    return compute(c);/' \
    tests/broken/operator.c >told.c
forward() { "$build/qkv" count --tsv -v "$1" 2>err | awk 'NR == 2 { print $3 }'; }
expect "work that nobody knows is a number" [ "$(forward ./tests/broken/operator.c)" = NA ]
expect "nobody says why it is NA" grep -q 'because one of its own operators does not set c->flops' err
expect "what an operator says of its work is not used" [ "$(forward ./told.c)" = 14336 ]
expect "its state is not named" grep -q 'a state of 7 numbers' err

# An operator of its own between the scores and the softmax, whose heads are split.
sed 's/attend(a, q, k, v, \(.*\)), w/apply_weights(a, softmax(a, split(own(scores(a, q, k, \1)), a->heads)), v), w/' \
    tests/broken/across.c >between.c
"$build/qkv" derive ./between.c >out 2>err
expect "scores that an operator has changed are taken for a matrix" grep -q 'M_i = \[own\]' out

# --- planted bugs
# planted: the source with the edit fails that check, in a line with all the words.
planted() {
    sed "$edit" "$top/$source" >"$name.c"
    case $source in */across.c) ;; *) ! cmp -s "$top/$source" "$name.c" || return 1 ;; esac
    check "./$name.c"
    [ $? -eq 1 ] && ! grep -q 'no such plugin' out || return 1
    grep -P "^$check\tFAILED\t" out | grep -F -- "${words%% & *}" | grep -qF -- "${words##* & }"
}
grep -v '^#' "$top/tests/broken/faults.tsv" >faults
while IFS='	' read -r name check words source edit; do
    planted && ok || complain "$name: $check does not say \"$words\": $(cat out)"
done <faults

# --- plugins that cannot be checked
cp "$top/variants/standard.c" wide.c
"$build/qkv-double" check ./wide.c >out 2>err && [ "$(grep -c '	ok	' out)" -eq 5 ] && ok ||
    complain "qkv-double check of a source"
cp wide.c 'two words.c'
refuses 2 'qkv: "./two words.so" cannot name a variant' "$qkv" check './two words.c'
fails() { # WORDS ARGUMENT ...
    words=$1
    shift
    ! check "$@" && grep -qF -- "$words" err out && ok || complain "check $*: does not say \"$words\""
}
sed 's|return matmul|matmul|' wide.c >nothing.c
fails 'nothing.c: does not compile' ./nothing.c # for want of a return
fails 'check: a word is missing: it takes PLUGIN'
fails 'could not read the source' ./none.c
fails 'could not read the plugin' ./none.so
echo 'int;;' >empty.c
fails 'no symbol qkv_variant' ./empty.c
sed 's/QKV_ABI/99/' wide.c >other.c
fails '.abi is 99' ./other.c
echo 'int x = ;' >wrong.c
fails 'does not compile' ./wrong.c
CC=no-such-compiler fails 'set CC' ./empty.c
sed 's/+= dc/-= dc/' "$top/tests/broken/operator.c" >alone.c
plugin alone
rm alone.c
fails 'DQKV_DOUBLE' ./alone.so

# --- a plugin to start from
"$qkv" new mine >said 2>err && check ./mine.c && ok || complain "qkv new: does not pass"
! grep -q family mine.c && [ "$(grep -c '' mine.c)" -gt 40 ] && ok ||
    complain "qkv new: is in the family of standard"
for program in qkv qkv-double; do
    works mine "$build/$program" count -v standard,./mine.c
done
[ -s mine.so ] && [ -s double/mine.so ] && [ "$(ls | grep -c 'mine.so')" -eq 1 ] && ok ||
    complain "a named source is not compiled beside it"
echo 'int x = ;' >wrong.c
"$qkv" compare -v ./wrong.c -o wrong >out 2>err
[ $? -eq 1 ] && grep -q './wrong.c: does not compile' err && [ ! -e wrong.so ] && ok ||
    complain "compare of a source that does not compile"
# Words that name no matrix claim nothing.
sed "s|\.equation = .*|.equation = \"softmax(q k' / sqrt(d_k)) v\",|" mine.c >words.c
works 'names no matrix of the code, and is not compared' "$qkv" check ./words.c
refuses 1 'already exists' "$qkv" new mine
refuses 2 '' "$qkv" new ../mine
expect "qkv new wrote elsewhere" [ ! -e ../mine.c ]
refuses 2 '' "$qkv" new standard "x W"
"$qkv" new sum "softmax(x W_i^Q (y W_i^K)' / d_k) y W_i^V W_i^O /* not a comment */" >out 2>err
expect "qkv new: a wrong equation: status $?" [ $? -eq 1 ] && [ ! -e sum.c ]
refuses 2 '' "$qkv" new standard
expect "qkv new took a name that is there" [ ! -e standard.c ]
# A compiler that is ended in the middle leaves nothing: ended by a signal, at once; killed,
# after the next command.
cat >compiler <<'END'
#!/bin/sh
for word; do
    [ "${last:-}" != -o ] || echo half >"$word"
    last=$word
done
exec sleep 600
END
chmod +x compiler
mkdir apart && cp mine.c apart
half_compiled() { grep -qs half $(find apart -name '*.so*' -type f) /dev/null; }
for signal in TERM KILL; do
    CC=$work/compiler "$qkv" count -v ./apart/mine.c >out 2>err &
    soon half_compiled
    kill -$signal $!
    wait $! 2>/dev/null
    # A child that was killed with it may hold the draft a moment longer.
    [ $signal = TERM ] || flock -w 60 "$(find apart -name '.mine.so@*')" true
    [ $signal = TERM ] || works mine "$qkv" count -v ./apart/mine.c
    expect "a compiler, ended by $signal, leaves $(ls -A apart)" \
        [ -z "$(ls -A apart | grep -vx 'mine.c\|mine.so')" ]
done
# Ended in the middle, it leaves no process behind, though the plugin wants to stay.
sed 's|return matmul|for (;;) ; return matmul|' "$top/variants/standard.c" >slow.c
{ echo '#include <signal.h>' && sed 's|for (;;)|for (signal(SIGTERM, SIG_IGN);;)|' slow.c; } >stays.c
for name in slow stays; do
    timeout --foreground 300 "$qkv" check ./$name.c -q >out 2>err &
    soon test -e $name.so # it is compiled, and asked
    kill -TERM $!
    wait $! 2>/dev/null
    status=$?
    [ $status -eq 143 ] && soon none_running "check ./$name.c" && ok || complain "check: SIGTERM, $name"
done

finish
