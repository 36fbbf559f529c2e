#!/bin/sh
# 31-weights.sh - exercise: read a matrix without NumPy.
#
# Print the first two entries of the embedding of this run, with od: they
# come after the header. This script reads the header as if it were entries.
# `make exercise N=31-weights` runs it with sh in an empty directory; try it in
# one yourself.

qkv train -t reverse --seed 1 --steps 0 -q -o run >/dev/null
od -A n -t f4 -j 0 -N 8 run/reverse*/weights/embedding.npy
