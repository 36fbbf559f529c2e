#!/bin/sh
# check.sh BUILD - the gate for plugins: what ships passes it, and each planted
# bug of tests/broken fails the check that is there for it.

set -u
export ASAN_OPTIONS=detect_leaks=0:handle_segv=0
build=$(cd "$1" && pwd)
top=$(pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir tmp
export TMPDIR=$work/tmp
passed=0 failed=0
verdict() { # TRUTH WORDS
    if [ "$1" -eq 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "check: $2" >&2
        sed 's/^/    /' out err >&2
        [ -z "${STOP:-}" ] || exit 1 # the first is enough (mutants.sh)
    fi
}

# --- what ships
for variant in "$top"/variants/*.c; do
    "$build/qkv" check "$(basename "$variant" .c)" -q >out 2>err
    verdict $? "$(basename "$variant") does not pass"
done
for right in "$top"/tests/right/*.c; do
    "$build/qkv" check "$right" -q >out 2>err
    verdict $? "right/$(basename "$right") does not pass"
done
"$build/qkv" check "$top/variants/standard.c" -q >out 2>err
[ $? -eq 0 ] && [ "$(grep -cP '\tok\t' out)" -eq 12 ]
verdict $? "standard.c does not pass twelve checks"
[ -z "$(ls -A tmp)" ]
verdict $? "a folder was left behind"

# --- planted bugs
# finds NAME CHECK WORDS: that check fails, and says so.
finds() {
    cp "$top/tests/broken/$1.c" . 2>/dev/null # or made here
    "$build/qkv" check "./$1.c" -q >out 2>err
    [ $? -eq 1 ] && grep -P "^$2\tFAILED\t" out | grep -qF -- "$3"
    verdict $? "broken/$1.c: $2 does not say \"$3\""
}
finds sign gradients 'its sign is wrong'
sed 's/QKV_ABI/99/' "$top/variants/standard.c" >abi.c
finds abi loads 'ABI 99'
finds transpose gradients 'a transpose is missing'
finds overwrite gradients '= for +='
finds scale fit 'times as large: is the scale'
finds swapped fit 'transposed'
finds order fit 'the order of heads differs'
finds future causality 'token 2 moves the output of token 1'
finds state 'same bits' 'keep something between calls'
sed 's/calls++/(x != y) * calls++/' "$top/tests/broken/state.c" >cross_state.c
finds cross_state 'same bits' 'keep something'
finds forgetful fit 'does fit fill the matrices of every head'
finds across batches 'cross-attention: sequence 2 gives another output'
finds unused 'all used' 'W^W is declared'
finds zero 'all used' 'not times 0'
finds rows shapes "written past the end of an operator's result, or of its gradient (6 x 8)"
finds entry shapes 'did not write its row 1, column 1'
finds block shapes 'other matrices in the second block'
finds third shapes 'nothing was remembered in slot 0 of block 1'
finds cached 'x and y' 'cached marks what is made from x'
sed 's/cached(/(/' "$top/variants/kv-shift.c" >shift.c
finds shift decoding 'token 4 has another output when forward gets one token after'
sed 's/    return matmul(attend/cached(y);&/' "$top/variants/standard.c" >idle.c
finds idle decoding '52 numbers of a token, and keys and values are made from 8'
finds clip gradients 'is not the derivative of f at -13.6'
finds four-heads fit 'head 3 of 3: they count from 0'
finds beyond shapes 'read past the end of an operand'
finds locale shapes 'changes the locale (setlocale)'
finds rounding shapes 'changes the rounding mode (fesetround)'
finds umask shapes 'changes the umask'
finds prints shapes 'prints to stdout'
# It says at which shape, and with how many tokens.
finds scale fit '[d_model 8, heads 4, d_k 6, d_v 5]'
finds future causality 'd_v 5; 1 sequence of 6 tokens]'
finds across batches 'keys each]'
[ "$(ls "$top/tests/broken" | wc -l)" -eq 24 ]
verdict $? "a file of tests/broken is not tried"

# --- plugins that break
# A crash, a hang or an exit fails its own checks.
breaks() {
    words=$1
    shift
    sed "$@" "$top/variants/standard.c" >broken.c
    "$build/qkv" check ./broken.c -q >out 2>err
    [ $? -eq 1 ] && grep -P '\tFAILED\t' out | grep -qF -- "$words" &&
        ! grep -q 'no such plugin' out
    verdict $? "does not say \"$words\""
}
cp "$top/variants/standard.c" wide.c
"$build/qkv-double" check ./wide.c >out 2>err
[ $? -eq 0 ] && [ "$(grep -c '	ok	' out)" -eq 4 ]
verdict $? "qkv-double check of a source"
cp wide.c 'two words.c'
"$build/qkv" check './two words.c' >out 2>err
[ $? -eq 2 ] && grep -q '^qkv: "two words": not the name of a variant' err
verdict $? "the name of a source"
sed 's|return matmul|matmul|' "$top/variants/standard.c" >nothing.c
"$build/qkv" check ./nothing.c >out 2>err
[ $? -eq 1 ] && grep -q 'nothing.c: does not compile' err
verdict $? "a forward without return is compiled"
breaks 'w[i] past the weights declared' \
    's|return matmul|*(volatile int *)8 = 1; return matmul|'
breaks 'ended its process in forward (status 0)' \
    's|return matmul|extern void _exit(int); _exit(0); return matmul|'
breaks 'ended its process in forward (status 3)' \
    's|return matmul|extern void exit(int); exit(3); return matmul|'
breaks "in a map, f' is not the derivative of f" \
    -e 's|^enum.*|&\nstatic double f(double x) { return x * x * x; }|' \
    -e 's|matmul(x, w.W_Q.)|map(matmul(x, w[W_Q]), f, f)|'
breaks 'add: x (6 x 8) and W^Q (8 x 24) do not fit' \
    's|return matmul|return add(x, w[W_Q]); matmul|'
breaks 'split(w, a->heads)' \
    -e 's|^enum.*|enum { W_Q, W_K, W_V, W_O, G };|' \
    -e 's|.*"W^O".*|&\n    weight(w, G, "g", 1, a->heads);|' \
    -e 's|    return|    q = hadamard(q, w[G]);\n    return|'
breaks 'leave it one, as the key at its own position' \
    -e 's|^enum.*|&\nstatic double\nnone(const Attention *a, int h, int i, int j)\n{\n    return a \&\& h == i + j ? 0 : -INFINITY;\n}|' \
    -e 's|attend(a, q, k, v, \(.*\)), w|attend_biased(a, q, k, v, \1, none), w|'
breaks 'forward returned (6 x 1)' \
    's|return matmul|return columns(x, 0, 1); matmul|'
breaks '(6 x 8) has no columns 5 to 9' 's|return matmul|return columns(x, 5, 5); matmul|'
breaks 'd_v 5; 2 sequences of 3 tokens]' 's|return matmul|return add(x, w[W_Q]); matmul|'
breaks 'is not finite' 's|1 / sqrt(a->d_k)), w|0. / 0 * a->d_k), w|'

breaks 'it uses d-k, which .shape does not name' 's/"heads d-k d-v"/"heads d-v"/'
breaks 'or write into its operands' \
    -e 's|qkv/variant.h>|qkv/operator.h>\n#include <qkv/variant.h>|' \
    -e 's|return matmul|if (x->value) w[W_Q]->value[0] *= 2; return matmul|'
breaks 'the queries come from x' 's|matmul(x, w.W_Q|matmul(y, w[W_Q|'
breaks 'declared twice' 's/"W^K"/"W_Q"/'
breaks 'split gives a matrix its heads' 's|split(matmul(x, w.W_Q.), a->heads)|matmul(x, w[W_Q])|'
breaks 'where x is the first 4 of 6 tokens' 's|matmul(y, w|matmul(x, w|'
breaks 'does not divide into 4 heads [d_model 12, heads 3' 's|a->heads);|4);|'
breaks 'does split give q, k and v a->heads each' \
    's|split(matmul(\(.\), w.W_\(.\).), a->heads)|matmul(\1, w[W_\2])|'
breaks 'a table in a static variable' -e 's|^static Node|static double table;\n&|' \
    -e 's|    Node .q|    table = table ? table : 1 / sqrt(a->d_k);\n&|' \
    -e 's|1 / sqrt(a->d_k)), w|table), w|'
breaks '.shape names latent' 's|heads d-k d-v"|heads d-k d-v latent"|'
breaks '.settings declares window' 's|    .fit = fit|    .settings = "window=4"|'
breaks 'a mask that `a` does not ask for' 's|    Node .q|    a->causal = x == y;\n&|'
breaks 'token 2 moves the output of token 1' \
    's|    return matmul|    a->causal *= a->layer == 0;\n&|'
breaks 'no gradient arrives at any of them' \
    's|.*"W^O".*|&\n    initialise(w, W_V, 0, 0);\n    initialise(w, W_O, 0, 0);|'
breaks 'out of memory in forward: it had taken' -e '1i #include <stdlib.h>' \
    -e 's|    Node .q|    for (;;) for (int i = 0; i < 1 << 20; i++)\n((volatile char *)malloc(1))[0] = 1;\n&|'
breaks 'out of memory in forward: it had taken 9' -e '1i #include <stdlib.h>' \
    -e 's|    Node .q|    *(volatile char *)malloc(60000000) = 1;\n&|'
breaks 'each call keeps 2' -e '1i #include <stdlib.h>' \
    -e 's|    Node .q|    *(volatile char *)malloc(200) = 1;\n&|'
breaks 'is of an earlier call' -e 's|    Node .q|    static Node *once;\n&|' \
    -e 's|    return|    q = once = once ? once : q;\n    return|'
breaks 'draw from rand()' -e '1i #include <stdlib.h>' \
    -e 's|    return|    q = scale(q, rand() / 1e9);\n    return|'
[ "$(grep -c FAILED out)" -eq 1 ]
verdict $? "rand() fails more than one check"
breaks 'is optional' 's|return matmul(attend|return matmul(tanh_of(attend|; s|d_k)), w|d_k))), w|'

# --- what cannot be checked
# What cannot be checked is said, and is no pass.
refuses() {
    words=$1
    shift
    "$build/qkv" check "$@" >out 2>err
    [ $? -ne 0 ] && grep -qF -- "$words" err out
    verdict $? "check $*: does not say \"$words\""
}
refuses 'check takes PLUGIN'
refuses 'cannot be read' ./none.c
refuses 'no such plugin file' ./none.so
echo 'int;;' >empty.c
refuses 'no symbol qkv_variant' ./empty.c
echo 'int x = ;' >wrong.c
refuses 'does not compile' ./wrong.c
CC=no-such-compiler refuses 'set CC' ./empty.c
${CC:-cc} -shared -fPIC -I "$top/core" "$top/tests/broken/sign.c" -o sign.so
refuses 'give its .c' ./sign.so

# --- a plugin to start from
# A plugin to start from passes as it is, and is built as it says.
"$build/qkv" new mine >said 2>err && "$build/qkv" check ./mine.c -q >out 2>err
verdict $? "qkv new: does not pass"
! grep -q family mine.c && [ $(grep -c '' mine.c) -gt 40 ]
verdict $? "qkv new: is in the family of standard"
for qkv in qkv qkv-double; do
    "$build/$qkv" count -v standard,./mine.c >out 2>err && grep -q mine out
    verdict $? "$qkv count -v ./mine.c"
done
[ -s mine.so ] && [ -s double/mine.so ] && [ "$(ls | grep -c 'mine.so')" -eq 1 ]
verdict $? "a named source is compiled beside it"
echo 'int x = ;' >wrong.c
"$build/qkv" compare -v ./wrong.c -o wrong >out 2>err
[ $? -eq 1 ] && grep -q './wrong.c: does not compile' err && [ ! -e wrong.so ]
verdict $? "compare of a source that does not compile"
"$build/qkv" new mine >out 2>err
[ $? -eq 1 ] && grep -q 'exists already' err
verdict $? "qkv new: wrote over a file"
"$build/qkv" new ../mine >out 2>err
[ $? -eq 2 ] && [ ! -e ../mine.c ]
verdict $? "qkv new: wrote elsewhere"
"$build/qkv" new standard >out 2>err
[ $? -eq 2 ] && [ ! -e standard.c ]
verdict $? "qkv new: took a name that is there"
# Ended in the middle, it leaves nothing behind, though the plugin does not want to.
sed 's|return matmul|for (;;) ; return matmul|' "$top/variants/standard.c" >slow.c
{ echo '#include <signal.h>' && sed 's|for (;;)|for (signal(SIGTERM, SIG_IGN);;)|' slow.c; } >stays.c
for name in slow stays; do
    timeout --foreground 60 "$build/qkv" check ./$name.c -q >out 2>err &
    for wait in $(seq 300); do # until it is compiled and asked
        [ -n "$(find tmp -path "*double/$name.so")" ] && break
        sleep 0.1
    done
    kill -TERM $!
    wait $! 2>/dev/null
    [ $? -eq 143 ] && ! pgrep -f "check ./$name.c" >/dev/null
    verdict $? "check: SIGTERM, $name"
    [ -z "$(ls -A tmp)" ]
    verdict $? "a folder was left behind by SIGTERM, $name"
done

echo "check: $passed passed, $failed failed"
[ $failed -eq 0 ]
