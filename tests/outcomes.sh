#!/bin/sh
# outcomes.sh BUILD - no outcome is believed before it was looked at: a figure that
# gnuplot drew, a product of two sizes, a digest, a process that was ended. Other scripts
# spoil what goes into the program; this one, what comes out.

build=$1
. tests/lib.sh
PATH=$build:$PATH # a command that is split into words names its program without its folder
few='-t reverse --steps 2 --test 8 --validate 8 --batch 4 -q'
tiny="$few --d-model 8 --heads 2 --length 4 --symbols 3"
draws=
companion gnuplot "figures" && draws=yes
# fails WORDS COMMAND ...: status 1, and words among what it says.
fails() {
    words=$1
    shift
    "$@" >out 2>err </dev/null
    [ $? -eq 1 ] && grep -q -- "$words" err && ok || complain "$*: does not fail with \"$words\""
}
works_silently() { "$@" >out 2>err </dev/null && [ ! -s err ]; }

# --- each kind of figure, of data without a spread
# The figures are the program's own, of experiments with one value of each setting and with
# two. All that they show is then made equal, zero, or no number. Each is drawn.
if [ "$draws" ]; then
    flat() { # FIGURE VALUE SCALE: NAME.tsv and NAME.gp, a copy with that value only
        name=$(basename "$1")
        awk -F '\t' -v OFS='\t' -v v="$2" 'NR == 1 { split($0, names) }
            { for (i = 1; i <= NF && NR > 1; i++)
                if (names[i] ~ /^(mean|low|high|weight|logits|attention|rest|value)$/) $i = v
              print }' "$1.tsv" >"$name.tsv"
        sed "/^array scales/s/'[a-z]*'/'$3'/g" "$1.gp" >"$name.gp"
    }
    draw() { # NAME
        gnuplot -d "$name.gp" >out 2>err </dev/null && grep -q '^</svg>' "$name.svg"
    }
    for of in one two; do
        more=
        [ $of = one ] || more=,two-step
        "$qkv" compare -v standard$more $tiny --seeds 1 --lr 0.003${more:+,0.01} --log-every 1 \
            --no-figures -o $of >out 2>err
        its=$(find $of -name 'reverse.standard.*' | head -n 1)
        for command in "plot $of" "plot $of --x lr --y test_loss" "inspect $its --attention" \
            "plot $of --x lr --y test_loss --map --by d-k" \
            "equiv -v standard$more $tiny"; do
            expect "no figure by $command" "$qkv" $command -q --format svg -o $of
        done >said
    done
    for figure in one/figures/*.gp two/figures/*.gp; do
        for values in '3 share' '3 log' '0 log' '0 share'; do
            flat "${figure%.gp}" $values
            expect "$figure, all values ${values% *}" draw
        done
    done
    expect "not all kinds of figures" [ "$(ls one/figures/*.gp two/figures/*.gp | wc -l)" -eq 12 ]
fi

# --- sizes that an int cannot hold
# No matrix has more entries than an int counts; who asks for one is told at once.
most='would have more than 2,147,483,647 entries'
refuses 2 "(46341 x 46341) $most" "$qkv" trace "$(printf '%46341s' '' | sed 's/ /a /g')"
refuses 2 "$most" "$qkv" count -v standard --heads 1000000 --d-k 1000000 --d-v 1
fails "(1000000 x 1000000) $most" "$qkv" train --d-model 1000000 --heads 1 --d-k 1 --d-v 1 --mlp 1 -o big
works '' "$qkv" train --length 2 --symbols 2 --d-model 46341 --heads 1 --d-k 1 --d-v 1 --batch 1 \
    --steps 0 --test 1 --validate 1 -o wide
refuses 2 "(46342 x 46343) $most" "$qkv" inspect wide/reverse*

# A plugin is blamed for what happens while its code runs. The program prints this one's
# equation, which cannot be read any more.
sed -e 's/^#include <qkv.variant.h>/#include <sys\/mman.h>\n&\n#define PAGE 65536\
static _Alignas(PAGE) char page[PAGE] = "out = x";/' \
    -e 's/\.equation = .*/.equation = page,/' -e '/^ *"softmax.*/d' \
    -e 's/^    weight(w, W_Q, .*/    mprotect(page, PAGE, PROT_NONE);\n&/' \
    "$top/variants/standard.c" >unread.c
fails "^qkv: crashed: Seg" "$qkv" trace -v ./unread.c "a b"
expect "a plugin is blamed that does not run" [ -z "$(grep unread err)" ]

# --- a folder with a space and a quote in its path
# A folder may be called anything: make links and installs there, and the program
# draws, compiles and asks qkv-double. What make would compile is copied.
odd="$work/it's a \"folder\" & \$HOME" prefix="$work/o'ther place"
mkdir -p "$odd/build" "$odd/tests" "$odd/lessons" "$odd/desk"
cp -R "$top/Makefile" "$top/README.md" "$top/LICENSE" "$top/core" "$top/plots" "$top/variants" "$odd"
for folder in tests lessons; do cp "$top/$folder/rules.mk" "$odd/$folder"; done
cp -R "$build/qkv" "$build/qkv-double" "$build/variants" "$odd/build"
made() { MAKEFLAGS='' make -s -C "$odd" BUILD=build -o all -o build/qkv "$@" >out 2>err; }
expect 'make does not link' made build/plots build/include
expect 'make does not link plots' [ -e "$odd/build/plots/style.gp" ]
expect 'make does not link the headers' [ -e "$odd/build/include/qkv/variant.h" ]
expect 'make does not install' made install PREFIX="$prefix"
if companion pkg-config "the flags of an odd prefix"; then
    eval "set -- $(PKG_CONFIG_PATH="$prefix/lib/pkgconfig" pkg-config --cflags qkv)"
    expect "pkg-config: $1" [ "$1" = "-I$prefix/include" ]
fi
expect 'make does not uninstall' made uninstall PREFIX="$prefix"
expect 'make uninstall leaves files' [ -z "$(find "$prefix" -type f)" ]
cd "$odd/desk" || exit 1
works reverse ../build/qkv compare -v standard $few --seeds 1 ${draws:+--format svg} -o runs
[ ! "$draws" ] || expect 'compare draws no figure' [ -s runs/figures/curves-reverse.svg ]
works mine ../build/qkv new mine
works gradients ../build/qkv check ./mine.c --tsv
works 3584 ../build/qkv count -v ./mine.c --real --tsv

# --- the cost of a bias by position at any length
# Ten thousand million pairs of a query and a key in each head: a mask by distance is
# summed in closed form. Of the seven keys that a query sees, those at the ends lack 12:
# a token takes 2 x 4,096 + 4 x 32 (7 - 12 / n) FLOPs.
works '	9087.98464	' timeout 60 "$qkv" count -v window --length 100000 --tsv
works '	7515930624	' timeout 60 "$qkv" count -v window --window 4096 --d-model 4096 --layers 32 --heads 32 --length 8192 --tsv

# --- a figure that has no number, was edited, or is drawn again
# A plot of which no curve has a number is no success; it says why in one line.
works '' "$qkv" compare -v standard $few --steps 20 --lr 1e3,1e4 --optimizer sgd --seeds 1 --no-figures -o diverged
refuses 1 'no run has a finite value' "$qkv" plot diverged --x lr --y test_loss --format svg -q
expect "a figure of diverged runs" [ ! -e diverged/figures ]
if [ "$draws" ]; then
    works '' "$qkv" compare -v standard $few --lr 0.003,0.01 --seeds 1 --no-figures -o seen
    # A script that was edited is its editor's: neither replaced nor run.
    plot="qkv plot seen --x lr --y test_loss -q --format svg"
    expect "a figure is not drawn" works_silently $plot
    cp seen/figures/test_loss-lr-reverse.gp kept.gp
    for edit in '$d' 1d 's/0072B2/0072B3/' '$s/[0-9a-f]*$/0/' "\$a system('touch RUN')" d; do
        sed "$edit" kept.gp >seen/figures/test_loss-lr-reverse.gp
        rm -rf edited && cp -r seen/figures edited
        refuses 1 'was edited, so it is not replaced' $plot
        expect "a script with $edit is replaced" diff -r edited seen/figures
    done
    expect "an edited script is run" [ -z "$(find . -name RUN)" ]
    cp kept.gp seen/figures/test_loss-lr-reverse.gp
    expect "a figure is not drawn again" works_silently $plot --gnuplot "heading = 1"
    # The same report is the same files, whenever it is made.
    for page in page-1 page-2; do
        expect "no report" works_silently "$qkv" report seen -o $page -q
        expect "a figure is not drawn" works_silently "$qkv" plot seen -o $page -q --format svg,png,pdf,cairolatex
        sleep 1
    done
    expect "two reports of the same differ" diff -r -x "*.pdf" page-1 page-2
fi

# --- what was ended
# outlives PROCESS FILE COMMAND ...: kills the driver, or the child that does its work
# (child), once it has made FILE; is any process of it still there a minute later? All of
# them hold file 9, which `cat` reads to its end, and no COMMAND ends by itself.
outlives() {
    which=$1 file=$2
    shift 2
    { "$qkv" "$@" 9>&1 >/dev/null 2>&1 </dev/null & echo $! >pid; } | timeout 120 cat &
    soon test -e "$file" || complain "has not begun: $*"
    victim=$(cat pid)
    [ "$which" = driver ] || victim=$(cat "/proc/$victim/task/$victim/children")
    kill -9 $victim
    wait $!
    [ $? -eq 124 ] && complain "killed, its $which leaves a process behind: $*" || ok
}
# A driver that is killed leaves nothing that computes, qkv-double no more than others.
if [ "$(uname)" = Linux ]; then
    sed 's|return matmul|fclose(fopen("asked", "w")); for (;;) ; &|' "$top/variants/standard.c" |
        sed 's|^#include <qkv.*|#include <stdio.h>\n&|' >endless.c
    export QKV_CALL_SECONDS=0
    outlives driver asked count -v ./endless.c
    rm asked
    outlives child asked count -v ./endless.c
    unset QKV_CALL_SECONDS
    outlives driver killed recipe rank -q -o killed
fi

# A reader that has gone ends every command as it ends any other program: by SIGPIPE,
# without a word. A disk that is full is a failure.
mkfifo gone
exec 5<>gone 6>gone 5<&-
while read -r command; do
    "$qkv" $command >&6 2>err </dev/null
    expect "$command, and nobody reads: status, or it says something" [ "$? $(cat err)" = '141 ' ]
    [ ! -w /dev/full ] || fails 'stdout: could not write to it' sh -c '"$@" >/dev/full' sh "$qkv" $command
done <<END
list
help
--version
compare --help
check standard -q
count -v standard --real
equiv -v standard,fused $few
compare -v standard $few --seeds 1 --no-figures -o runs
table runs
END

# What is interrupted ends by the signal. (SIGINT is ignored in
# what a script starts with &.)
for signal in TERM HUP; do
    for what in 'compare -v standard -t reverse --steps 100000 --seeds 2 --no-figures' 'recipe rank'; do
        rm -rf halted
        "$qkv" $what -q -o halted >out 2>err </dev/null &
        soon test -e halted
        kill -s $signal $!
        wait $! 2>/dev/null
        status=$?
        soon none_running "-o halted" # a script ends before its command
        expect "$what: SIG$signal: status $status" [ "$(kill -l $status)" = $signal ]
        expect "$what: SIG$signal: words" [ ! -s err ]
    done
done

# --- numbers, and what can only be read
# All numbers of options are read in one way.
for option in memory seed lr; do
    for number in ' 5' 5x '' nan; do
        refuses 2 "--$option: " "$qkv" train --$option "$number"
    done
done
refuses 2 '0.5 is not a whole number' "$qkv" train --memory 0.5
refuses 2 '0 is not between 1 and 1000000' "$qkv" train --memory 0
refuses 2 '" 1..3" is not a number' "$qkv" compare --seed ' 1..3'
refuses 2 '1001 is not between 0 and 1000' "$qkv" generate --temperature 1001 some

# A complete experiment that is read-only: its table, and no complaint. Root may write
# everywhere.
other='' all="-v standard,full-rank $few --seeds 2 --no-figures -o sealed"
[ "$(id -u)" -ne 0 ] || other='setpriv --reuid=65534 --regid=65534 --clear-groups'
if $other true 2>/dev/null; then
    works '' "$qkv" compare $all
    cp out wanted
    chmod -R a-w,a+rX sealed
    chmod 755 .
    expect 'a read-only experiment' works_silently $other "$qkv" compare $all
    expect 'another table of it' cmp out wanted
    refuses 1 'sealed/experiment.tsv: could not write it' $other "$qkv" compare $all --lr 0.01
else
    skip 'a read-only experiment: no setpriv here'
fi

# --- what a terminal of 80 columns shows
works '' sh -c '"$@" 2>&1' sh "$qkv" compare -v standard,two-step ${few% -q} --seeds 2 --no-figures -o noted
expect "no note in one file with a table" grep -q '^qkv: a single' out
expect "a note in the middle of a row" [ -z "$(grep '.qkv: ' out)" ]
if ! script -qec true /dev/null >/dev/null 2>&1; then
    skip "tables on a terminal: no script here, or no pseudo-terminal"
    finish
    exit
fi
shows() { # WORDS COMMAND: shown, without the line ends of a terminal
    words=$1
    shift
    script -qec "stty cols 80 rows 24; $*" /dev/null 2>&1 | tr -d '\r' >shown
    expect "on a terminal: $*: no $words" grep -q -- "$words" shown
}
table() { # WORDS ARGUMENT ...: a table for 80 columns
    words=$1
    shift
    shows "$words" qkv "$@"
    expect "on a terminal: $*: tabs, or too wide" awk '/\t/ || length > 80 { exit 1 }' shown
}
compare="qkv compare -v standard,fused -t reverse --seeds 2 --steps 3000 --test 16 --no-figures"
shows 'of 4 runs' "TERM=xterm $compare -o progress"
expect "no loss on a terminal" grep -q 'of 3000, loss' shown
expect "the last lines still have it" [ -z "$(tail -n 3 shown | grep 'of 3000')" ]
table 'softmax(x W_i y' list
table 'two-step-tanh  none' equiv -v standard,two-step-tanh --steps 5 -q -o tabled
expect 'equiv: none without its reason' grep -q 'its plugin has no .fit.' shown
table 'cache' count -v standard,mla
table ' identical ' compare -v standard,fused $few --seeds 2 --steps 30 --no-figures -o tabled2
table 'rank' inspect progress/reverse.fused*seed1*
for length in 69 70; do # keys of which a map shows 69
    works '' "$qkv" train -t reverse --length $length --steps 0 --test 8 --validate 8 -q -o mapped
    table 'block0.attention, head 4' inspect mapped/reverse*length$length.* --attention -q
    expect "a map of $length keys" [ $(($(grep -c ' \.\.$' shown) > 0)) -eq $((length - 69)) ]
done

finish
