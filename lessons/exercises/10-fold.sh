#!/bin/sh
# 10-fold.sh - exercise: fold an embedding away.
#
# Train a model whose embedding can be folded into its attention, convert it
# into one on one-hot tokens, and print the first three columns of the result.
# This one is refused; to see why, remove 2>/dev/null. Leave the last line.
# `make exercise N=10-fold` checks the script by running it with sh in an empty
# directory; try it in one yourself.

qkv train -t recall --seed 1 --steps 40 -q -o trained >/dev/null
qkv equiv trained/recall.* -v standard --embed onehot -q \
    --columns from,to,is_it_the_same --tsv 2>/dev/null
echo done
