#!/bin/sh
# install.sh BUILD - an installed copy works from an empty folder, wherever it is put,
# and goes again without a trace. Every other test runs it where it was built.

build=$1
. tests/lib.sh
cd "$top" || exit 1
files() { (cd "$1" && find . -type f -o -type l | sort); }

# Into a folder whose name has blanks, where others have put things already.
root="$work/a root"
mkdir -p "$root/usr/bin" "$root/usr/share/man/man1"
echo theirs >"$root/usr/bin/theirs"
make -s install BUILD="$as_typed" DESTDIR="$root" PREFIX=/usr || complain "make install"
for file in bin/qkv bin/qkv-double lib/qkv/variants/standard.so \
    lib/qkv/variants/double/collaborative.so include/qkv/variant.h \
    share/qkv/plots/style.gp share/qkv/models/keys.tsv share/qkv/plots/recipes/rank.sh \
    share/qkv/plots/recipes/lessons.text share/qkv/plots/claims/shrink.sh \
    lib/pkgconfig/qkv.pc share/man/man1/qkv.1 share/man/man1/qkv-double.1 \
    share/doc/qkv/lessons/figures/diagrams/merge.svg share/bash-completion/completions/qkv; do
    [ -s "$root/usr/$file" ] && ok || complain "$file is not installed"
done
[ -z "$(find "$root" -name '*.new')" ] && ok || complain "something half-written is left"
grep -rlF "$PWD" "$root/usr/lib/pkgconfig" "$root/usr/share" && complain "a path of the sources" || ok

# What the manual, messages, help and headers name is there: beside the program, or below one
# of the two folders that the manual's FILES names.
paths=$({
    sed 's/\\//g' "$root/usr/share/man/man1/qkv.1"
    strings "$root/usr/bin/qkv"
    cat "$root"/usr/include/qkv/*.h
} | grep -oE '(\.\./|\b(core|lessons|plots|variants|tests|build)/)[A-Za-z0-9./_-]*[A-Za-z0-9]' |
    grep -v NAME | sort -u)
[ "$(echo "$paths" | wc -l)" -ge 8 ] && ok || complain "few paths are named: $paths"
for path in $paths; do
    ls -d "$root/usr/bin/$path" "$root/usr/share/qkv/$path" "$root/usr/share/doc/qkv/$path" 2>/dev/null |
        grep -q . && ok || complain "$path is named, but not installed"
done

# Moved away from the sources and from where it was put.
mv "$root/usr" "$work/moved"
mkdir "$work/desk"
cd "$work/desk" || exit 1
PATH="$work/moved/bin:$PATH"
export PATH
works 'collaborative' qkv list
works 'exact' qkv-double equiv -v standard,collaborative -t reverse --steps 5 -q --tsv
works 'reverse' qkv compare -v standard,mqa -t reverse --seeds 1 --steps 20 -q --no-figures --tsv -o runs
if companion gnuplot "plot and report of an installed copy"; then
    expect 'plot' qkv plot runs --format svg -q
    [ -s runs/figures/curves-reverse.svg ] && ok || complain "plot draws nothing"
    expect 'report' qkv report runs --out page -q
    [ -s page/report.md ] && ok || complain "no report"
fi
works 'qkv compare' qkv new mine
works 'parameters' qkv count -v ./mine.c --tsv
[ -s mine.so ] && ok || complain "mine.c is not compiled beside itself"
works 'gradients' qkv check ./mine.c --tsv
works '-ffp-contract=off' env PKG_CONFIG_PATH="$work/moved/lib/pkgconfig" pkg-config --cflags qkv

# Completion knows what there is, from --help=all.
if companion bash "completion"; then
    cat >try.bash <<'END'
. "$1"
shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_qkv
echo "${COMPREPLY[*]}"
END
    completes() { # WORDS, what follows
        words=$1
        shift
        found=$(bash try.bash "$work/moved/share/bash-completion/completions/qkv" "$@")
        [ "$found" = "$words" ] && ok || complain "$*: completed as \"$found\""
    }
    completes 'compare count check claim' qkv c
    completes 'standard,two-step standard,two-step-narrow standard,two-step-tanh' qkv compare -v standard,two
    completes 'reverse' qkv train -t rev
    for command in $(qkv help | sed -n 's/^  qkv \([a-z]*\) .*/\1/p'); do
        wanted=$(qkv "$command" --help=all | sed -n 's/^  ... \(--[a-z0-9-]*\).*/\1/p' | sort)
        found=$(bash try.bash "$work/moved/share/bash-completion/completions/qkv" qkv "$command" -- |
            tr ' ' '\n' | sort)
        [ "$wanted" = "$found" ] && ok || complain "$command: --help=all and completion differ"
    done
fi
# The manual: every command and nothing that man complains of.
for command in $(qkv help | sed -n 's/^  qkv \([a-z]*\) .*/\1/p'); do
    grep -qx ".SS $command" "$work/moved/share/man/man1/qkv.1" && ok ||
        complain "the manual does not have $command"
done
if companion groff "what man complains of"; then
    groff -man -Tutf8 -ww -z "$work/moved/share/man/man1/qkv.1" 2>err
    [ ! -s err ] && ok || complain "the manual: $(cat err)"
fi

# And away, without what others have put there.
cd "$top" || exit 1
mv "$work/moved" "$root/usr"
make -s uninstall BUILD="$as_typed" DESTDIR="$root" PREFIX=/usr || complain "make uninstall"
[ "$(files "$root")" = ./usr/bin/theirs ] && ok || complain "is left: $(files "$root")"
[ ! -e "$root/usr/lib/qkv" ] && [ ! -e "$root/usr/include/qkv" ] && ok || complain "empty folders are left"

# The sources as a tarball, which builds without git and in spite of warnings; with the flags
# of a packager in what it builds, and the same bits even if a flag is for fast maths.
git rev-parse --git-dir >/dev/null 2>&1 || { skip "make dist: this is no checkout"; finish; exit; }
make -s dist BUILD="$as_typed" && mkdir "$work/dist" &&
    tar xzf "$build/qkv-$("$qkv" --version | cut -d ' ' -f 2).tar.gz" -C "$work/dist" || complain "make dist"
cd "$work"/dist/qkv-* || exit 1
env -i PATH="$PATH" CFLAGS='-O1 -Wtraditional -fstack-protector-strong -ffast-math' \
    CPPFLAGS=-D_FORTIFY_SOURCE=2 LDFLAGS='-Wl,-z,relro,-z,now -Ofast' \
    make -j2 build/qkv build/variants/standard.so >"$work/out" 2>&1 || complain "the tarball: $(tail "$work/out")"
grep -q 'warning:' "$work/out" && ok || complain "no warning was there to be survived"
[ "$(grep -cE 'left out of (CFLAGS.*-ffast-math|LDFLAGS.*-Ofast)' "$work/out")" -eq 2 ] && ok || complain "fast maths is left out without a word"
for file in build/qkv build/variants/standard.so; do
    readelf -d $file | grep -q 'BIND_NOW\|FLAGS.*NOW' && ok || complain "$file: without LDFLAGS"
done
readelf --dyn-syms -W build/qkv | grep -q '__[a-z]*_chk' && ok || complain "without CPPFLAGS and CFLAGS"
cd "$work/desk" || exit 1
for program in "$qkv" "$work"/dist/qkv-*/build/qkv; do
    rm -rf packaged
    "$program" train -t recall --mlp 4 --steps 20 -q -o packaged >out 2>err &&
        cat packaged/*/weights/*.npy | cksum >>sums
done
[ "$(uniq -c sums | grep -c " 2 ")" -eq 1 ] && ok || complain "flags of the user change bits"
finish
