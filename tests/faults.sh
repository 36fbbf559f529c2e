#!/bin/sh
# faults.sh BUILD - what a plugin can do wrong costs its own run: it is named
# with the reason, the others finish, nothing is left of it, and the exit status
# tells. And what somebody else's run can do wrong harms nobody who reads it.

set -u
export ASAN_OPTIONS=detect_leaks=0:handle_segv=0:handle_abort=0:allocator_may_return_null=1
build=$(cd "$1" && pwd)
top=$(pwd)
qkv=$build/qkv
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
cd "$work" || exit 1
passed=0 failed=0
ok() { passed=$((passed + 1)); }
complain() {
    failed=$((failed + 1))
    echo "faults: $*" >&2
    [ -f err ] && sed 's/^/    /' err >&2
    [ -z "${STOP:-}" ] || exit 1
}
sanitized() { nm "$qkv" 2>/dev/null | grep -q __asan_init; }

# costs NAME WORDS OPTIONS < CODE: the code stands before standard's return;
# what is between two lines of -- stands before everything.
costs() {
    name=$1 words=$2
    shift 2
    cat >code
    sed -n '/^--$/,/^--$/p' code | grep -v '^--$' >"$name.c"
    sed '/^--$/,/^--$/d' code >inside
    awk -v file=inside '
        /^    return matmul/ && !done {
            while ((getline line <file) > 0)
                print line
            done = 1
        }
        { print }' "$top/variants/standard.c" >>"$name.c"
    ${CC:-cc} -O1 -shared -fPIC -I "$top/core" "$name.c" -o "$name.so" ||
        complain "$name.c does not compile"
    timeout 120 "$qkv" compare -v "standard,./$name.so" -t reverse --seeds 2 \
        --steps 30 --test 16 --validate 16 --no-figures -q -o "$name" "$@" \
        >out 2>err
    status=$?
    if [ $status -ne 1 ]; then
        complain "$name: status $status"
    elif [ "$(grep -c "reverse\.$name\..*: .*$words" err)" -ne 2 ]; then
        complain "$name: not twice \"$words\""
    elif [ "$(grep -c '^reverse	standard	.*	0/2	\|^reverse	standard	.*	2/2	' out)" -ne 1 ]; then
        complain "$name: standard did not finish"
    elif [ -n "$(ls -A "$name" | grep -v '^experiment.tsv$\|^reverse.standard')" ]; then
        complain "$name: leaves $(ls -A "$name")"
    else
        ok
    fi
}

# While it is described there are no numbers yet: `x` is looked into only in a
# run, so that the faults come to pass in a worker.
head='--
#include <qkv/variant.h>
#include <qkv/operator.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
--
    if (!x->value) return matmul(attend(a, q, k, v, 1), w[3]);'
fault() {
    name=$1 words=$2 code=$3
    shift 3
    printf '%s\n%s\n' "$head" "$code" >whole
    costs "$name" "$words" "$@" <whole
}
# --- plugins at fault
fault crash 'crashed in forward: Segmentation fault' \
    '    *(volatile int *)8 = 1;'
fault aborts 'crashed in forward: Aborted' '    abort();'
fault exits 'ended its process in forward (status 0)' '    exit(0);'
fault exits_five 'ended its process in forward (status 5)' '    exit(5);'
fault loops 'took more than 2 seconds in forward; --timeout gives more' \
    '    for (volatile int i = 0;; i++) ;' --timeout 2
# A process that it leaves behind holds nobody up; nor does what it was made of
# change under a comparison.
sed 's|return matmul|static int n; if (!n++ \&\& !fork()) { setsid(); sleep(20); _exit(0); } return matmul|
    1i #include <unistd.h>' "$top/variants/standard.c" >forks.c
${CC:-cc} -shared -fPIC -I"$top/core" forks.c -o forks.so
timeout 15 "$qkv" train -v ./forks.so --steps 1 --batch 4 --validate 4 --test 4 -q \
    -o forked >out 2>err && ok || complain "a process left behind"
cp "$top/README.md" changing.md
"$qkv" compare --file changing.md -v standard --seeds 2 -j 1 --steps 1500 -q \
    --no-figures -o changed >out 2>err &
sleep 1
echo more >>changing.md
wait $!
[ $? -eq 1 ] && grep -q 'text has changed since' err && ok || complain "a text that changes"

costs deep 'crashed in forward: Segmentation fault' <<'END'
--
#include <qkv/variant.h>
#include <qkv/operator.h>
int deeper(int n);
int (*volatile next)(int) = deeper;
int deeper(int n) { volatile char room[9999]; room[n] = 1; return next(n % 9) + room[0]; }
--
    if (x->value && next(1) == 7) return x;
END
fault narrow 'forward returned' '    return columns(x, 0, 1);'
fault nothing 'forward returned' '    return NULL;'
fault shapes 'add: ([0-9]* x 32) and .*W^O (32 x 32) do not fit' \
    '    return add(x, w[3]);'
# A node of the tape that only measured, and is gone.
costs elsewhere 'of an earlier call\|crashed' <<'END'
--
#include <qkv/variant.h>
#include <qkv/operator.h>
static Node *kept;
--
    if (!x->value) kept = matmul(x, w[0]);
    return add(matmul(x, w[0]), kept);
END
sanitized ||
    fault hog 'out of memory\|crashed.*--memory gives 200' \
        '    for (;;) memset(malloc(1 << 20), 1, 1 << 20);' --memory 200

# NaN is a result: the run is there, marked, and a note says so.
sed 's|return matmul|return scale(matmul|; s|w\[W_O\]);|w[W_O]), 1e300 * 1e300 * 0);|' \
    "$top/variants/standard.c" >not_a_number.c
${CC:-cc} -shared -fPIC -I "$top/core" not_a_number.c -o not_a_number.so
"$qkv" compare -v standard,./not_a_number.so -t reverse --seeds 2 --steps 30 \
    --test 16 --validate 16 --no-figures -q -o nan >out 2>err
[ $? -eq 0 ] && grep -q '2 runs diverged' err &&
    grep -q 'not_a_number.*runs diverged' out && ok || complain "NaN"

# --- memory
# Memory is asked for before the start, with the sum.
"$qkv" train --d-model 200000 --batch 1 -q -o large >out 2>err
[ $? -eq 1 ] && grep -q 'it needs .* TB: weights, gradients and moments .* TB, a batch .*, the matrices of a step .*; this machine has .* GB' err &&
    ok || complain "a model larger than the machine"
# A plan for a larger machine is a plan, though nothing of it is timed here.
"$qkv" compare -v standard --d-model 32,200000 -t reverse --seeds 1 --plan=slurm \
    -o plan >out 2>err
[ $? -eq 0 ] && grep -q 'cannot be timed here: it needs' err &&
    [ "$(grep -c '^qkv train' out)" -eq 2 ] && grep -q 'give --mem' out &&
    ! grep -q 'of a core like' err && ok || complain "a plan for a larger machine"
"$qkv" compare -v standard -t reverse --seeds 1 --plan=slurm -o plan >out 2>err
grep -q '^#SBATCH --mem=[0-9]*M$' out && grep -q 'of a core like' err && sh -n out && ok ||
    complain "a plan for Slurm"
sanitized || {
    "$qkv" train --d-model 1024 --memory 50 -q -o large >out 2>err
    [ $? -eq 1 ] && grep -q '; --memory gives 50 MB' err && ok || complain "--memory"
    "$qkv" train --steps 5 --memory 50 -q -o small >out 2>err && ok ||
        complain "--memory 50 is too little for a small run"
}
# A text is held once, a byte for each character, and within --memory.
yes 'Each row of weights is positive and sums to 1.' | head -c 40000000 >long.txt
sanitized || {
    "$qkv" train --file long.txt --steps 1 --validate 1 --test 1 -q -o long >out 2>err
    awk '$1 == "peak_bytes" { exit $2 > 60e6 }' long/*/timing.tsv && ok ||
        complain "a text of 40 MB: $(grep peak long/*/timing.tsv)"
    "$qkv" train --file long.txt --memory 30 -q -o long2 >out 2>err
    [ $? -eq 1 ] && grep -q '40000001 .*--memory gives 30 MB' err && ok ||
        complain "a text beyond --memory"
}
rm long.txt
# A log of a billion lines is in it too.
"$qkv" train --steps 1000000000 --log-every 1 --memory 900 -q -o long2 >out 2>err
[ $? -eq 1 ] && grep -q 'its file and log 40 GB; --memory' err && ok || complain "a long log"
sanitized || {
    (ulimit -v 400000 && exec "$qkv" compare -v standard -t reverse --seeds 100000 --plan \
        -q -o long2) >out 2>err && [ "$(wc -l <out)" -eq 100000 ] && ok ||
        complain "100,000 runs do not fit into 400 MB"
}
# A limit on files is a message, not a signal.
sanitized || {
    (ulimit -f 0 && exec "$qkv" train --steps 1 -q -o limited) 2>&1 | grep -q 'File too large' &&
        ok || complain "ulimit -f 0"
}
# As many tasks as Slurm takes, and time for the longest.
"$qkv" compare -v standard,fused -t reverse --seeds 500 --plan=slurm -q -o plan >out
grep -q -- '--array=0-999$' out && grep -qF 'first + 0))p' out && ok ||
    complain "1000 runs are 1000 tasks"
"$qkv" compare -v standard,fused -t reverse --seeds 501 --plan=slurm -q -o plan >out
grep -q -- '--array=0-500$' out && grep -qF 'first + 1))p' out && ok ||
    complain "1002 runs are 501 tasks"
"$qkv" compare -v standard -t reverse --seeds 1 --d-model 4,1024 --steps 1000000 \
    --plan=slurm -q -o plan >out
[ "$(sed -n 's/^#SBATCH --time=//p' out)" -gt 300 ] && ok ||
    complain "the longest of two runs is not what Slurm is asked for"
# A container has what its limit is, not what the machine has.
if unshare -rm true 2>/dev/null && [ -d /sys/fs/cgroup ]; then
    unshare -rm sh -c 'mount -t tmpfs tmpfs /sys/fs/cgroup && cd /sys/fs/cgroup &&
        echo 40000000 >memory.max && cd "$OLDPWD" &&
        exec "$1" train --d-model 1024 -q -o large' sh "$qkv" >out 2>err
    [ $? -eq 1 ] && grep -q '; this machine has 40 MB' err && ok || complain "a container"
fi

# --- somebody else's runs
"$qkv" train --steps 5 -q -o sound >out 2>err || complain "a run"
run=$(ls -d sound/reverse*)
spoil() { # NAME STATUS WORDS COMMANDS: of a copy of the run, which is read
    rm -rf foreign
    cp -r "$run" foreign
    (cd foreign && eval "$4") || complain "$1: cannot be made"
    timeout 20 "$qkv" inspect foreign >out 2>err
    status=$?
    [ $status -eq "$2" ] && grep -qF -- "$3" err && [ "$(wc -l <err)" -eq 1 ] &&
        ok || complain "$1: status $status"
}
echo secret >secret
spoil link 1 'a link' 'ln -sf ../secret log.tsv'
spoil 'link to a matrix' 1 'a link' \
    'mv weights/unembedding.npy ../m.npy; ln -s ../../m.npy weights/unembedding.npy'
spoil 'link to a folder' 1 'a link' 'mv weights ..; ln -s ../weights weights'
rm -rf weights
spoil pipe 1 'not a plain file' 'rm log.tsv; mkfifo log.tsv'
spoil folder 1 'not a plain file' 'rm log.tsv; mkdir log.tsv'
spoil size 1 'its shape is' "sed -i 's/^d-model	.*/d-model	900000/' config.tsv"
spoil 'a sparse matrix' 1 'bytes of numbers where' 'truncate -s 1T weights/unembedding.npy'
spoil 'a sparse table' 1 'has 1099511627776 bytes, and 1 GiB is the most' 'truncate -s 1T log.tsv'
spoil 'a table of many cells' 1 'log.tsv:2: 1 cells where the first line has 200001' \
    'yes "" | head -n 200000 | tee lines | tr "\n" "\t" >log.tsv; cat lines >>log.tsv; rm lines'
cat >evil.c <<'END'
#include <stdio.h>
__attribute__((constructor)) static void evil(void) { fclose(fopen("done", "w")); }
END
cc -shared -fPIC evil.c -o evil.so
spoil code 1 'only a path that you typed' "sed -i 's|^variant	.*|variant	./evil.so|' config.tsv"
spoil 'code, from elsewhere' 1 'only a path that you typed' \
    "sed -i 's|^variant	.*|variant	$work/evil.so|' config.tsv"
[ ! -e done ] && ok || complain "a run's plugin was opened"
"$qkv" train --from foreign -q -o further >out 2>err
[ $? -eq 1 ] && [ ! -e done ] && ok || complain "train --from opens a run's plugin"

# --- a stranger's experiment, reported: its words are nobody's code
strange="strange/reverse'; system(\"touch done\"); a='." # and the digest
"$qkv" compare -v standard,two-step -t reverse --steps 5 --seeds 1 --test 16 \
    --validate 16 --no-figures -q -o strange >out 2>err
if command -v gnuplot >/dev/null; then
    "$qkv" equiv -v standard,two-step -t reverse --steps 5 --test 16 --validate 16 \
        -q -o strange >out 2>err || complain "equiv"
    cp strange/figures/equivalence.svg before.svg
    echo 'system("touch done")' >>strange/figures/equivalence.gp
    printf '%s\n' '# one' '# more \end{verbatim}\input{secret}' 'plot --y validation_loss' \
        '# ````' >strange/recipe.txt
    for run in strange/reverse.standard*; do
        strange=$strange${run##*.}
        mv "$run" "$strange"
    done
    "$qkv" report strange -o told -q 2>err || complain "report of a stranger's experiment"
    cmp -s before.svg told/figures/equivalence.svg && ok || complain "the square, reported, is another"
    "$qkv" inspect "$strange" --attention -q -o named >out 2>err &&
        "$qkv" inspect "$strange" --spectrum -q -o named >out 2>err &&
        [ -s named/figures/spectrum.svg ] && ok || complain "a run's name in gnuplot"
    [ -z "$(find . -name done)" ] && ok || complain "a stranger's experiment ran a command"
    for fault in 's/two-step/two step/' '$d' 's/	2$/	7/' 's/^from/out/' '2s/standard/fused/'; do
        cp strange/figures/equivalence.tsv kept
        sed -i "$fault" strange/figures/equivalence.tsv
        "$qkv" report strange -o told -q 2>err
        [ $? -ne 0 ] && [ "$(wc -l <err)" -eq 1 ] && grep -q 'equivalence.tsv\|two step' err && ok ||
            complain "a square with $fault"
        mv kept strange/figures/equivalence.tsv
    done
fi

# --- a system that does not say where the program is
if unshare -rm true 2>/dev/null; then
    for word in "$qkv" "../$(basename "$build")/qkv" qkv; do
        unshare -rm sh -c 'mount -t tmpfs tmpfs /proc && cd "$1" && PATH=$1:$PATH
            exec $2 list --variants' sh "$build" "$word" >out 2>err
        grep -q '^full-rank' out && ok || complain "without /proc, called as $word"
    done
fi

# --- what is printed and what is noted, in one file, in order
"$qkv" compare -v standard,two-step -t reverse,sort,recall --steps 2 --test 4 --validate 4 --seeds 2 \
    --no-figures -o noted >mixed 2>&1
grep -q '^qkv: a single' mixed && ! grep -q '.qkv: ' mixed && ok || complain "a note in the middle of a row"

# --- experiments brought together
small="--steps 5 --test 16 --validate 16 -q --no-figures -t reverse"
"$qkv" compare -v standard --seed 1,2 $small -o one >table 2>err
"$qkv" compare -v standard,fused --seed 2,3 $small -o two >table 2>err
"$qkv" compare -v standard,fused --seed 1,2,3 $small -o all >table 2>err
cp -r two both && cp -r one/reverse*seed1* both # by hand
"$qkv" compare -v standard --seed 1,2,3 $small -o both >table2 2>err
"$qkv" compare -v standard --seed 1,2,3 $small -o all >table 2>err
cmp -s table table2 && ok || complain "experiments brought together make another table"
"$qkv" plot one two -q --format svg -o drawn12 2>err && "$qkv" plot both -q --format svg -o drawn3 &&
    diff -r -x '*.txt' drawn12 drawn3 >differs && # captions name the experiments
    grep -q 'standard (one, two)' drawn12/figures/*.txt && ok ||
    complain "two experiments are drawn as one"
"$qkv" report one two -q -o reported 2>err
grep -q '^5 runs: reverse' reported/report.md && grep -q 'seed 1,2 .*--out one' reported/report.md &&
    grep -q 'seed 2,3 .*--out one' reported/report.md && ok || complain "a run of both counts once"
sed -i 's/finished/diverged/' one/*seed2*/result.tsv
"$qkv" plot one two -q --format svg -o drawn12 2>err
[ $? -eq 1 ] && grep -q 'the same settings and another result' err && ok ||
    complain "two results of one run"
# Runs of which nothing is recorded are averaged with none that differs.
"$qkv" compare -v standard --seed 2 --lr 0.5 $small -o other >table 2>err
cp -r other/reverse* two
"$qkv" plot two -q --format svg -o drawn12 2>err
[ $? -eq 1 ] && grep -q 'differ in lr, which no command asked for' err && ok ||
    complain "a run that was put there by hand"
"$qkv" compare -v standard --seed 2 --lr 0.5 $small -o two >table 2>err
"$qkv" plot two -q --format svg -o drawn12 2>err && [ -e drawn12/figures/curves-reverse.lr0.5.svg ] &&
    ok || complain "the command that made it records it"

# --- a terminal
if ! script -qec true /dev/null >/dev/null 2>&1; then
    echo "faults: skipped, on a terminal: it needs script and a pseudo-terminal"
else
    draws() { # ENVIRONMENT: a comparison on a terminal of 80 columns
        script -qec "stty cols 80 rows 24; env $1 $qkv compare -v standard,fused \
            -t reverse --seeds 2 --steps 3000 --test 16 --no-figures -o terminal$2" \
            /dev/null >drawn 2>&1
    }
    esc=$(printf '\033')
    draws TERM=xterm 1
    grep -q "#\.*\].* left" drawn && grep -q 'of 4 runs' drawn &&
        grep -q '/3000  loss' drawn && ok || complain "no progress on a terminal"
    tail -n 3 drawn | grep -q '\[[#.]*\]' && complain "the last lines still have a bar" || ok
    # Tables for a terminal, in its 80 columns.
    table() { # WORDS COMMAND
        words=$1
        shift
        script -qec "stty cols 80 rows 24; $*" /dev/null 2>&1 | tr -d '\r' >drawn
        grep -qF -- "$words" drawn && ! grep -q '	' drawn &&
            awk 'length > 80 { exit 1 }' drawn && ok || {
            cp drawn err
            complain "on a terminal: $*"
        }
    }
    table 'softmax(x W_i y' "$qkv list"
    table '= the same function' "$qkv equiv -v standard,two-step --steps 5 -q -o tabled"
    table ' 2 mqa              =  =  ' "$qkv equiv -v standard,mqa --steps 5 -q -o tabled"
    table 'cache' "$qkv count -v standard,mla"
    table 'identical at 2 seeds' "$qkv compare -v standard,fused -t reverse --seeds 2 --steps 30 -q --no-figures -o tabled2"
    table 'rank' "$qkv inspect terminal1/reverse.fused*seed1*"
    for length in 69 70; do # keys of which a map shows 69
        "$qkv" train -t reverse --length $length --steps 0 --test 8 --validate 8 -q -o mapped >out 2>&1
        table 'block0.attention, head 4' "$qkv inspect mapped/reverse*length$length.* --attention -q"
        [ "$(grep -c ' \.\.$' drawn)" -gt 0 ] && cut=yes || cut=no
        [ $length$cut = 69no ] || [ $length$cut = 70yes ] && ok || complain "a map of $length keys"
    done
    draws TERM=dumb 2
    ! grep -q "$esc" drawn && grep -q '^4/4 reverse' drawn && ok || complain "TERM=dumb"
fi

echo "faults: $passed passed, $failed failed"
[ $failed -eq 0 ]
