#!/bin/sh
# 29-pairs.sh - exercise: a table of your own.
#
# Print a table for `qkv train -t pairs`: all 27 words of three letters a, b, c,
# in alphabetical order, each with its letters backwards as the answer. This
# script copies the letters, and has no first line. `make exercise N=29-pairs`
# runs it with sh in an empty directory; try it in one yourself.

for x in a b c; do
    for y in a b c; do
        for z in a b c; do
            printf '%s %s %s\t%s %s %s\n' $x $y $z $x $y $z
        done
    done
done
