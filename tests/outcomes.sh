#!/bin/sh
# outcomes.sh BUILD - no outcome is believed before it was looked at: a run that was
# written, a figure that gnuplot drew, a product of two sizes, a digest, a process that
# was ended. Other scripts spoil what goes into the program; this one, what comes out.

build=$1
. tests/lib.sh

# --- 2: every plot script, on data without a spread
# A script of plots/ meets data of every kind: all values equal, zero, or no number, in
# several cells or in one. The program itself writes such ranges into $panels. Each is
# drawn, as SVG and on a terminal.
if command -v gnuplot >/dev/null; then
    words() { # words KEY WORD ...: a block of the script
        printf '$%s << END\n' "$1"
        shift
        printf '|%s\n' "$@"
        printf 'END\n'
    }
    # flat KIND VALUE CELLS [LOGARITHMIC]: NAME.tsv and NAME.gp, of so many cells a side
    flat() {
        kind=$1 v=$2 cells=$3 range=${2#nan}
        seq=$(seq "$cells") name=flat
        {
            printf "name = 'flat'\ndata = 'flat.tsv'\n"
            words title 'A title'
            case $kind in
            panels | map)
                for block in by xlabel titles ylabels; do words $block "$block"; done
                words series $(printf 's%s ' $seq)
                [ "$kind" = panels ] || words words $(printf 'w%s ' $seq)
                printf "xs = '%s'\nticks = 1\nlog_x = 0\nlongest_run = 1\n" "$(echo $seq)"
                printf '$panels << END\n%s 0 %s %s\nEND\n' "${4:-0}" "${range:-0}" "${range:-0}"
                printf 'upward = 1\ntitle_asked = 0\n'
                ;;
            bars) words panels task && words rows $(printf 'r%s ' $seq) && printf 'height = 200\n' ;;
            attention)
                words first $(printf 't%s ' $seq) && words second t
                printf '$maps << END\n0 0 a head\nEND\nacross = 1\ndown = 1\nheight = 400\n'
                ;;
            equivalence) words names $(printf 'n%s ' $seq) ;;
            spectrum) printf "heads = '0.1'\nmost = %s\n" "$cells" ;;
            scaling)
                words ylabel time
                printf "quantity = 'seconds'\naxes_ = 'tokens'\nwhos = 'ours'\n"
                printf '$fits << END\n%s\nEND\nfits = "$fits"\n' 'axis	who	quantity	exponent	interval	factor	interval	first'
                ;;
            esac
            cat "$build/plots/style.gp" "$build/plots/$kind.gp"
        } >flat.gp
        {
            echo heading
            for i in $seq; do
                for k in $seq; do
                    case $kind in
                    panels | map) printf '1\ts%s\t%s\t%s\t%s\t%s\n' "$i" "$k" "$v" "$v" "$v" ;;
                    bars) [ "$k" -gt 1 ] || printf 'task\tr%s\t%s\t%s\t%s\tNA\n' "$i" "$v" "$v" "$i" ;;
                    attention) printf 'head\t%s\t%s\ta\tb\t%s\n' $((i - 1)) $((k - 1)) "$v" ;;
                    equivalence) printf 'n%s\tn%s\t%s\t%s\t%s\t%s\n' "$i" "$k" "$i" "$k" "$v" $((${v#nan} + 0 > 0)) ;;
                    spectrum) [ "$k" -gt 1 ] || printf '%s\t0.1\t%s\t%s\n' M "$i" "$v" N "$i" "$v" ;;
                    scaling) [ "$k" -gt 1 ] || printf 'tokens\tours\t%s\t%s\tNA\n' "$i" "$v" ;;
                    esac
                done
            done
        } >flat.tsv
    }
    for file in "$build"/plots/*.gp; do
        kind=$(basename "$file" .gp)
        [ "$kind" != style ] || continue
        for case in '3 2' '3 1' '0 2' '0 1' 'nan 2' 'nan 1' '3 2 1' '3 1 1'; do
            flat "$kind" $case
            for term in svg dumb; do
                rm -f flat.svg
                gnuplot -d -e "term='$term'" flat.gp >out 2>err </dev/null
                status=$?
                [ $term = dumb ] || tail -n 2 flat.svg >out
                expect "$kind.gp on $case as $term: status $status" \
                    test $status -eq 0 -a -s out
                [ $term = dumb ] || expect "$kind.gp on $case: half an SVG" grep -q '^</svg>' out
            done
        done
    done
    # Each panel has a scale of its own: of N_i, 40 times as large, all is drawn.
    flat spectrum 1 2
    sed -i 's/^N\(.*\)1$/N\140/' flat.tsv
    gnuplot -d -e "term='svg'" flat.gp >out 2>err </dev/null
    expect "spectrum.gp: what is large in one panel only is cut off" grep -q '> 40<' flat.svg
fi

# --- 3: a run is read back before it is published
# as_user COMMAND ...: without root's rights, who may read and write everything.
as_user() {
    if [ "$(id -u)" -eq 0 ]; then
        setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
    else
        "$@"
    fi
}
small='--steps 2 --test 8 --validate 8 --batch 4 --d-model 16 -t reverse --no-figures --seed 1 -q'

# A default that no option could have is refused when the plugin is loaded, and -0
# is 0: in either case the experiment can be read afterwards.
for value in 1e308 1e-320 0x nan; do
    sed "s|    .fit = fit|    .settings = \"limit=$value\"|" "$top/variants/standard.c" >limit.c
    plugin limit
    refuses 1 "has \"limit=$value\", which is not NAME=NUMBER" \
        "$qkv" compare -v standard,./limit.so $small -o limit
done
sed 's|    .fit = fit|    .settings = "limit=-0"|' "$top/variants/standard.c" >limit.c
plugin limit
"$qkv" compare -v standard,./limit.so $small -o limit >first 2>err
works "$(sed -n 3p first)" "$qkv" compare -v standard,./limit.so $small -o limit
expect 'limit=-0 is not limit=0' grep -qx 'limit	0' limit/reverse.limit.*/config.tsv

# spoils NAME INCLUDE STATEMENT: a plugin whose forward does that.
spoils() {
    sed -e "1i #define _GNU_SOURCE\n#include <$2>" -e "s|    Node .q|    $3\n&|" \
        "$top/variants/standard.c" >"$1.c"
    plugin "$1"
}
# loses NAME WORDS: the run of that plugin fails with one line, that of standard is
# made, and the experiment can be read, by the same command too.
loses() {
    mkdir -m 777 "$1"
    for again in 1 2; do
        as_user "$qkv" compare -v "standard,./$1.so" $small -o "$1" >out 2>err
        [ $? -eq 1 ] && grep -q '^reverse.standard' out && [ "$(wc -l <err)" -eq 2 ] &&
            grep "^qkv: reverse.$1.*$2" err >one && ok || complain "a run of $1"
    done
    works standard as_user "$qkv" table "$1"
    expect "$1: a draft is left" [ -z "$(find "$1" -name '.*@*')" ]
}
if [ "$(id -u)" -ne 0 ] || setpriv --reuid=65534 true 2>/dev/null; then
    chmod 755 .
    spoils mask sys/stat.h 'umask(0444);'
    loses mask 'config.tsv.* cannot be read'
else
    echo 'outcomes: no setpriv here: umask is skipped'
fi
# A comma for a point, in the whole program and in one thread of it.
if localedef -i de_DE -f UTF-8 "$work/de_DE.UTF-8" 2>/dev/null; then
    chmod -R a+rX .
    export LOCPATH="$work"
    spoils comma locale.h 'setlocale(LC_ALL, "de_DE.UTF-8");'
    spoils thread locale.h 'uselocale(newlocale(LC_ALL_MASK, "de_DE.UTF-8", NULL));'
    works comma "$qkv" compare -v standard,./comma.so $small -o comma
    works 0.003 "$qkv" compare -v standard,./comma.so $small -o comma
    "$qkv" equiv -q -o comma comma/reverse.standard.* --to ./comma.so >out 2>err
    works comma "$qkv" table comma
    loses thread 'config.tsv.*0,003'
    mkdir threads
    "$qkv" equiv -q -o threads comma/reverse.standard.* --to ./thread.so >out 2>err
    [ $? -ne 0 ] && [ "$(wc -l <err)" -eq 1 ] && [ "$(ls -A threads)" = '' ] && ok ||
        complain 'equiv wrote what cannot be read'
    unset LOCPATH
else
    echo 'outcomes: no localedef here: setlocale is skipped'
fi

# --- 4: a figure is whole or not there
# gnuplot does not tell that a file is cut short: not by a limit, and not by a full disk.
# Then nothing of the figure is there, what was there before still is, and one line says
# so. Each format is drawn under a limit that is too small for it.
if command -v gnuplot >/dev/null; then
    "$qkv" compare -v standard,two-step -t reverse --lr 0.003,0.01 --seeds 2 --steps 20 --test 16 \
        --validate 16 --log-every 1 --no-figures -q -o whole >out 2>err || complain "compare"
    plot="$qkv plot whole --x lr --y test_loss -q"
    formats=svg,png,pdf,cairolatex,dumb
    ! gnuplot -e 'set terminal tikz' 2>err || formats=$formats,tikz
    $plot --format "$formats" >whole.txt 2>err || complain "plot --format $formats"
    rm -f err
    cp -r whole/figures before
    # One that writes only so many bytes, and says that all went well.
    mkdir bin
    real=$(command -v gnuplot)
    cat >bin/gnuplot <<END
#!/bin/sh
"$real" "\$@" || exit 1
for file in .shown *.svg *.png *.pdf *.tex *.sty; do
    case \$file in
    *\$CUT) head -c "\$LEFT" "\$file" >cut && cat cut >"\$file" ;;
    esac
done
rm -f cut
END
    chmod +x bin/gnuplot
    for pair in svg=.svg png=.png pdf=.pdf cairolatex=latex.tex cairolatex=latex.pdf dumb=.shown \
        tikz=tikz.tex tikz=-tikz.sty tikz=-common.tex; do
        format=${pair%=*} cut=${pair#*=}
        case ,$formats, in *,$format,*) ;; *) continue ;; esac
        for left in 0 100 -9; do
            [ "$left$cut" != 100-tikz.sty ] || continue
            refuses 1 'did not write all of it' env PATH="$work/bin:$PATH" CUT="$cut" LEFT="$left" \
                $plot --format "$format" --title changed
            expect "$format, $left bytes of *$cut: something is published" diff -r before whole/figures
        done
    done
    (ulimit -f 1 && $plot -o small --format svg,png,pdf) >out 2>err
    expect "a limit of a block: status" test $? -eq 1
    expect "a limit of a block: one line" test "$(wc -l <err)" -eq 1
    expect "a limit of a block: something is there" test -z "$(ls -A small/figures)"
    # A disk of so many kilobytes: a figure is on it as elsewhere, or nothing of it.
    cat >full.sh <<'END'
mkdir disk && mount -t tmpfs -o size="$1"k none disk || exit 77
shift
"$@" -o disk 2>err
status=$?
[ $status -eq 0 ] || [ "$(wc -l <err)" -eq 1 ] || exit 3
[ $status -ne 0 ] || { diff -r before disk/figures && exit 0; exit 4; }
[ ! -e disk/figures ] || [ -z "$(ls -A disk/figures)" ] || exit 5
END
    if unshare -rm true 2>err; then
        for size in 16 32 48 64 80 96 112 128 160 200 256 512; do
            rm -rf disk
            unshare -rm sh full.sh $size $plot --format "$formats" >out
            status=$?
            [ $status -ne 77 ] || break # no mount is allowed here
            expect "a disk of ${size}k: case $status" test $status -eq 0
        done
    fi
fi

# --- 5: sizes that an int cannot hold

# No matrix has more entries than an int counts; who asks for one is told at once.
most='more than 2,147,483,647 entries'
refuses 2 "(92682 x 92682) would have $most" "$qkv" trace --characters \
    "$(printf '%92682s' '' | tr ' ' a)"
refuses 2 "$most" "$qkv" count -v standard --heads 1000000 --d-k 1000000 --d-v 1
"$qkv" train --d-model 1000000 --heads 1 --d-k 1 --d-v 1 --mlp 1 -o big >out 2>err
[ $? -eq 1 ] && grep -q "(1000000 x 1000000) would have $most" err && ok ||
    complain "an MLP that is too wide"
"$qkv" train --length 2 --symbols 2 --d-model 46341 --heads 1 --d-k 1 --d-v 1 --batch 1 \
    --steps 0 --test 1 --validate 1 -o wide >out 2>err || complain "a wide run"
wide=$(dirname wide/*/config.tsv)
refuses 2 "46341) would have $most" "$qkv" inspect "$wide"
refuses 2 "46341) would have $most" "$qkv" inspect --spectrum "$wide"

# A plugin is blamed for what happens while its code runs. The program prints this one's
# equation, which cannot be read any more.
sed -e 's/^#include <qkv.variant.h>/#include <sys\/mman.h>\n&\n#define PAGE 65536\
static _Alignas(PAGE) char page[PAGE] = "out = x";/' \
    -e 's/\.equation = .*/.equation = page,/' -e '/^ *"softmax.*/d' \
    -e 's/^    weight(w, W_Q, .*/    mprotect(page, PAGE, PROT_NONE);\n&/' \
    "$top/variants/standard.c" >unread.c
"$qkv" trace -v ./unread.c "a b" >out 2>err
[ $? -eq 1 ] && grep -q "^qkv: crashed: Seg.*outside a plugin's code" err &&
    ! grep -q unread err && ok || complain "a crash while no plugin runs"

# --- 6: a digest is no comparison
# These two starts have one digest of 32 bits, so their runs would have one name; of 200,000
# starts ten pairs have, and others when a setting comes or goes.
few='-v standard -t reverse --steps 2 --seed 1 --test 8 --validate 8 --batch 4'
one=W_Q=0.110557 two=W_Q=0.588829 words='the name of two runs, which differ in init'
refuses 1 "$words" "$qkv" compare $few --no-figures --init $one,$two -o digest
expect 'refused, and begun' [ ! -e digest ]
works standard "$qkv" train $few --init $one -o digest -q
refuses 1 "$words" "$qkv" train $few --init $two -o digest -q
works standard "$qkv" train $few --init $two -o digest-2 -q
# In two directories they are two runs, and a copy of one is the same run.
cp -r digest digest-3
"$qkv" table digest digest-2 digest-3 >out 2>err
[ $? -eq 0 ] && [ "$(grep -c '^reverse' out)" -eq 2 ] && ok || complain 'two runs of one name'
# However it is written, it is one start.
"$qkv" compare $few --no-figures --init W_Q=1,W_Q=01,W_Q=1.0,W_Q=1e0 -o written -q >out 2>err
[ $? -eq 0 ] && [ "$(ls -d written/reverse.* | wc -l)" -eq 1 ] && ok || complain 'a start written in four ways'
works standard "$qkv" train $few --init W_Q=1e+1+W_K=-0 -o written -q
expect 'of two factors' grep -qx 'init	W_Q=1e+01+W_K=0' written/*/config.tsv

# --- 7: a folder with a space and a quote in its path

# A folder may be called anything: make links and installs there, and the program
# draws, compiles and asks qkv-double. What make would compile is copied.
odd="$work/it's a \"folder\" & \$HOME"
mkdir -p "$odd/build" "$odd/tests" "$odd/lessons"
cp -R "$top/Makefile" "$top/core" "$top/plots" "$top/variants" "$odd"
cp "$top/tests/rules.mk" "$odd/tests"
cp "$top/lessons/rules.mk" "$odd/lessons"
cp -R "$build/qkv" "$build/qkv-double" "$build/variants" "$odd/build"
made() { MAKEFLAGS='' make -s -C "$odd" BUILD=build -o all -o build/qkv "$@"; }
made build/plots build/include >out 2>err
expect 'make does not link plots' [ -e "$odd/build/plots/style.gp" ]
expect 'make does not link the headers' [ -e "$odd/build/include/qkv/variant.h" ]

# PREFIX has a blank and a quote, too. pkg-config gives the flag as one word.
prefix="$work/o'ther place"
made install PREFIX="$prefix" >out 2>err
expect 'make install does not install' [ -x "$prefix/bin/qkv" ]
if command -v pkg-config >/dev/null; then
    flags=$(PKG_CONFIG_PATH="$prefix/lib/pkgconfig" pkg-config --cflags qkv)
    eval "set -- $flags"
    expect "pkg-config: $flags" [ "$1" = "-I$prefix/include" ]
fi
made uninstall PREFIX="$prefix" >out 2>err
expect 'make uninstall leaves files' [ -z "$(find "$prefix" -type f)" ]

mkdir "$odd/desk"
cd "$odd/desk" || exit 1
format=
! command -v gnuplot >/dev/null || format='--format svg'
works reverse ../build/qkv compare -v standard -t reverse --steps 1 --seeds 1 --test 8 \
    $format -q --tsv -o runs
[ ! "$format" ] || expect 'compare draws no figure' [ -s runs/figures/curves-reverse.svg ]
works mine ../build/qkv new mine
works gradients ../build/qkv check ./mine.c --tsv
works 3584 ../build/qkv count -v ./mine.c --real --tsv
cd "$work" || exit 1

# --- 8: the cost of a bias by position at any length

# Ten thousand million pairs of a query and a key in each head: a mask by distance is
# summed in closed form. Of the seven keys that a query sees, those at the ends lack 12:
# a token takes 2 x 4,096 + 4 x 32 (7 - 12 / n) FLOPs.
timeout 60 "$qkv" count -v window --length 100000 --tsv >out 2>err
expect "what a window costs at a great length" grep -q "	9087.98464	" out
timeout 60 "$qkv" count --preset llama-3-8b -v window --window 4096 --tsv >out 2>err
expect "what a wide window costs" test "$(cut -f 3 out | tail -n 1)" = 7515930624

# --- 9: what was ended, edited, read-only or never converged
# A plot of which no curve has a number is no success; it says why in one line.
"$qkv" compare -v standard -t reverse --lr 1e3,1e4 --optimizer sgd --seeds 1 --steps 20 --test 8 --validate 8 \
    --no-figures -q -o diverged >out 2>err
refuses 1 'none of its numbers is finite' "$qkv" plot diverged --x lr --y test_loss --format svg -q
expect "a figure of diverged runs" test ! -e diverged/figures
"$qkv" compare -v standard,two-step -t reverse --lr 0.003,0.01 --seeds 1 --steps 5 --test 8 --validate 8 \
    --no-figures -q -o seen >out 2>err
if command -v gnuplot >/dev/null; then
    # One that has a single point is drawn.
    expect "a figure is not drawn" "$qkv" plot seen --x d-k --y test_loss -q --format svg -o point
    expect "a figure is not drawn" "$qkv" plot seen --map --x lr --by d-k --y test_loss -q --format svg -o point
    # A script that was edited is its editor's: neither replaced nor run.
    expect "a figure is not drawn" "$qkv" plot seen --x lr --y test_loss -q --format svg
    for edit in '$d' 1d 's/0072B2/0072B3/' '$s/[0-9a-f]*$/0/' "\$a system('touch RUN')" d; do
        cp seen/figures/test_loss-lr-reverse.gp kept.gp
        sed -i "$edit" seen/figures/test_loss-lr-reverse.gp
        cp -r seen/figures edited
        refuses 1 'was edited, so it is not replaced' "$qkv" plot seen --x lr --y test_loss -q --format svg
        expect "a script with $edit is replaced" diff -r edited seen/figures
        rm -rf edited
        mv kept.gp seen/figures/test_loss-lr-reverse.gp
    done
    expect "an edited script is run" test -z "$(find . -name RUN)"
    expect "a figure is not drawn" "$qkv" plot seen --x lr --y test_loss -q --format svg --title another
    # The same report is the same files, whenever it is made.
    "$qkv" report seen -o page-1 -q 2>err || complain "report"
    expect "a figure is not drawn" "$qkv" plot seen -o page-1 -q --format svg,png,pdf,cairolatex
    sleep 1
    "$qkv" report seen -o page-2 -q 2>err || complain "report"
    expect "a figure is not drawn" "$qkv" plot seen -o page-2 -q --format svg,png,pdf,cairolatex
    expect "two reports of the same differ" diff -r page-1 page-2
fi

# outlives PROCESS COMMAND ...: kills the driver, or the child that does its work
# (child), once it has had time to begin; is any process of it still there five seconds
# later? All of them hold file 9, which `cat` reads to its end.
outlives() {
    which=$1
    shift
    { "$qkv" "$@" 9>&1 >/dev/null 2>&1 </dev/null & echo $! >pid; } | timeout 8 cat &
    sleep 3
    victim=$(cat pid)
    [ "$which" = driver ] || victim=$(ps -o pid= --ppid "$victim")
    kill -9 $victim
    wait $!
    [ $? -eq 124 ]
}

# A driver that is killed leaves nothing that computes, qkv-double no more than others.
if [ "$(uname)" = Linux ]; then
    long='--real --d-model 38 --heads 1 --d-k 38 --d-v 38'
    outlives driver list $long && complain 'qkv-double lives on without the driver' || ok
    outlives child list $long && complain 'qkv-double lives on without who asked it' || ok
    outlives driver compare --recipe rank -q -o killed &&
        complain "a recipe's runs live on without the driver" || ok
fi

# A reader that has gone ends every command as it ends any other program: by SIGPIPE,
# without a word. A disk that is full is a failure.
ended() { # COMMAND ...
    { "$qkv" "$@" 2>err </dev/null; echo $? >status; } | true
    expect "$* | true: status $(cat status)" [ "$(cat status)" = 141 ]
    expect "$* | true: says something" [ ! -s err ]
    [ -w /dev/full ] || return
    "$qkv" "$@" >/dev/full 2>err </dev/null
    expect "$* >/dev/full: status" [ $? -eq 1 ]
    expect "$* >/dev/full: no word of it" grep -q 'stdout: cannot be written' err
}
ended list
ended help
ended --version
ended compare --help
ended check standard -q
ended count -v standard --real
ended equiv -v standard,fused -t reverse --steps 1 --test 8 -q
ended compare -v standard -t reverse --steps 1 --seeds 1 --test 8 -q --no-figures -o runs
ended table runs

# What is interrupted says how far it is, and ends by the signal. (SIGINT is ignored in
# what a script starts with &.)
for signal in TERM HUP; do
    for what in '-v standard -t reverse --steps 100000 --seeds 2 --no-figures' '--recipe rank'; do
        rm -rf stopped
        "$qkv" compare $what -q -o stopped >out 2>err </dev/null &
        sleep 1
        kill -s $signal $!
        wait $! 2>/dev/null
        status=$?
        expect "$what: SIG$signal: status $status" [ "$(kill -l $status)" = $signal ]
        expect "$what: SIG$signal: no word of what is done" grep -q 'stopped with' err
        expect "$what: SIG$signal: other words" [ "$(wc -l <err)" -eq 1 ]
    done
done
# All numbers of options are read in one way.
for option in memory seed lr timeout; do
    for number in ' 5' 5x '' nan 1e-320; do
        refuses 2 "--$option: " "$qkv" train --$option "$number"
    done
done
refuses 2 '0.5 is not a whole number' "$qkv" train --memory 0.5
refuses 2 '0 is not within 1 and 1000000' "$qkv" train --memory 0
refuses 2 '" 1..3" is not a number' "$qkv" compare --seed ' 1..3'
refuses 2 '1001 is not within 0 and 1000' "$qkv" generate --temperature 1001 some

# A complete experiment that is read-only: its table, and no complaint.
as_other() { # root may write everywhere
    if [ "$(id -u)" -eq 0 ]; then
        setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
    else
        "$@"
    fi
}
if [ "$(id -u)" -ne 0 ] || setpriv --reuid=65534 true 2>/dev/null; then
    few='-v standard,full-rank -t reverse --steps 2 --seeds 2 --test 8 --validate 8 --no-figures'
    "$qkv" compare $few -o sealed -q >wanted 2>err
    chmod -R a-w,a+rX sealed
    chmod 755 .
    as_other "$qkv" compare $few -o sealed -q >out 2>err
    [ $? -eq 0 ] && cmp -s out wanted && [ ! -s err ] && ok || complain 'a read-only experiment'
    refuses 1 'sealed: nothing can be written there' as_other "$qkv" compare $few --lr 0.01 -o sealed
else
    echo 'outcomes: no setpriv here: a read-only experiment is skipped'
fi

finish
