#!/bin/sh
# 31-weights.sh - solution: read a matrix without NumPy.
#

qkv train -t reverse --seed 1 --steps 0 -q -o run >/dev/null
od -A n -t f4 -j 128 -N 8 run/reverse*/weights/embedding.npy
