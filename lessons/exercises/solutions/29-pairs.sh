#!/bin/sh
# 29-pairs.sh - solution: a table of your own.
#

printf 'input\ttarget\n'
for x in a b c; do
    for y in a b c; do
        for z in a b c; do
            printf '%s %s %s\t%s %s %s\n' $x $y $z $z $y $x
        done
    done
done
