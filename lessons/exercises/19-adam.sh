#!/bin/sh
# 19-adam.sh - exercise: three steps of Adam.
#
# A weight starts at 1 and gets the gradients 0.5, -0.2 and 0.1; the learning
# rate is 0.01. Print the weight after each step. The two running means are here,
# but not the correction for their start at 0: m / (1 - beta1^t),
# v / (1 - beta2^t). `make exercise N=19-adam` runs it with sh.

printf '%s\n' 0.5 -0.2 0.1 | awk '{
    m = 0.9 * m + 0.1 * $1
    v = 0.999 * v + 0.001 * $1 * $1
    mean = m
    square = v
    w = (NR == 1 ? 1 : w) - 0.01 * mean / (sqrt(square) + 1e-8)
    printf "%.6f\n", w
}'
