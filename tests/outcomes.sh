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
            distances) printf "heads = 1\ntokens = %s\ndistances = '0'\nheight = 300\n" "$cells" ;;
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
                    distances) printf '1\t0\t%s\t%s\t%s\n' $((i - 1)) $((k - 1)) "$v" ;;
                    equivalence) printf 'n%s\tn%s\t%s\t%s\t%s\t1\n' "$i" "$k" "$i" "$k" "$v" ;;
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
fi

# --- 3: a run is read back before it is published

# --- 4: a figure is whole or not there

# --- 5: sizes that an int cannot hold

# --- 6: a digest is no comparison

# --- 7: a folder with a space and a quote in its path

# --- 8: the cost of a bias by position at any length

# --- 9: what was ended, edited, read-only or never converged

finish
