#!/bin/sh
# found.sh BUILD - what the random commands (random.sh) and experiments (fuzz.sh)
# have found, each as small as it goes.

set -u
export ASAN_OPTIONS=detect_leaks=0:handle_segv=0:handle_abort=0:allocator_may_return_null=1
build=$(cd "$1" && pwd)
top=$(pwd)
qkv=$build/qkv
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
passed=0 failed=0
ok() { passed=$((passed + 1)); }
complain() {
    failed=$((failed + 1))
    echo "found: $*" >&2
    [ ! -s err ] || sed 's/^/    /' err | cut -c1-200 >&2
    [ -z "${STOP:-}" ] || exit 1
}
sanitized() { nm "$qkv" 2>/dev/null | grep -q __asan_init; }
small="-t reverse --steps 2 --batch 2 --validate 2 --test 4 --d-model 8 --heads 2
    --length 4 --symbols 3 --log-every 1 --seed 1 -q"
$qkv train -v standard $small -o base >out 2>err || complain "no experiment"
run=$(basename base/reverse*)

# ends STATUS WORDS COMMAND: so, and what it says are messages, with those words.
ends() {
    wanted=$1 words=$2
    shift 2
    (
        sanitized || ulimit -S -v 2000000
        timeout 20 "$@"
    ) >out 2>err </dev/null
    status=$?
    if [ $status -ne "$wanted" ]; then
        complain "$*: status $status, not $wanted"
    elif grep -qv '^qkv: ' err || { [ -n "$words" ] && ! grep -q -- "$words" err; }; then
        complain "$*: does not say \"$words\" as a message"
    else
        ok
    fi
}

# A title, or a run's name, that begins with a quote: gnuplot reads ''' otherwise
# there than within a text.
if command -v gnuplot >/dev/null; then
    ends 0 '' $qkv plot base -q --format svg --title "'x" -o drawn
    ends 0 '' $qkv plot base -q --format svg --title "''" -o drawn
    cp -r base quote
    mv "quote/$run" "quote/'x.${run##*.}"
    ends 0 '' $qkv inspect "quote/'x.${run##*.}" --spectrum --format svg -q -o drawn
    # And one whose run has as long a name as a file can have.
    long=$(printf '%0246d' 0).${run##*.}
    cp -r base long
    mv "long/$run" "long/$long"
    for format in svg tikz; do
        ends 0 '' $qkv inspect "long/$long" --attention --format $format -q -o drawn
        ends 0 '' $qkv inspect "long/$long" --spectrum --format $format -q -o drawn
    done
fi

# A table or a matrix of 3 GB, of which nothing is on the disk: refused by its
# size, before memory is asked for.
if truncate -s 3G sparse 2>/dev/null && ! sanitized; then
    for file in config.tsv log.tsv result.tsv weights/embedding.npy; do
        rm -rf sparse
        cp -r base sparse
        truncate -s 3G "sparse/$run/$file"
        ends 1 "$file" $qkv inspect "sparse/$run"
        ! grep -q 'out of memory' err && ok || complain "$file of 3 GB: memory was asked for"
    done
    for file in recipe.txt figures/equivalence.tsv; do
        rm -rf sparse
        cp -r base sparse
        mkdir sparse/figures
        truncate -s 3G "sparse/$file"
        ends 1 "$file" $qkv report sparse -q -o told
        ! grep -q 'out of memory' err && ok || complain "$file of 3 GB: memory was asked for"
        rm -rf told*
    done
fi

# A plugin that ends its process while it is counted or traced ends that alone.
plugin() { # NAME CODE: stands before standard's return
    sed "s|return matmul|$2 return matmul|
        1i #include <signal.h>\n#include <stdlib.h>\n#include <unistd.h>" \
        "$top/variants/standard.c" >"$1.c"
    ${CC:-cc} -O1 -shared -fPIC -I"$top/core" "$1.c" -o "$1.so" 2>/dev/null ||
        complain "$1.c does not compile"
}
plugin stray '*(volatile int *)8 = 1;'
plugin aborts 'abort();'
plugin divides 'raise(SIGFPE);'
plugin exits 'exit(5);'
plugin leaves '_exit(0);'
plugin misfits 'return add(x, w[3]);'
plugin nothing 'return NULL;'
for name in stray aborts divides exits leaves misfits nothing; do
    ends 1 "$name" $qkv count -v "./$name.so" --d-model 8 --heads 2
    ends 1 "$name" $qkv trace abc -v "./$name.so" --d-model 8 --heads 2
    ends 1 "$name" $qkv equiv -v "standard,./$name.so" $small --format svg -o converted
done

# What a plugin says is printed by check as one line, whatever is in it.
sed 's|"W^Q"|"\\033[2J"|' "$top/variants/standard.c" >painted.c
$qkv check ./painted.c >out 2>err
[ $? -eq 1 ] && grep -q 'is no matrix with a name' out && ! LC_ALL=C grep -q "$(printf '\033')" out &&
    ok || complain "check prints a plugin's control character"

echo "found: $passed passed, $failed failed"
[ $failed -eq 0 ]
