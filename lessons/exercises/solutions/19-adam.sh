#!/bin/sh
# 19-adam.sh - solution: three steps of Adam.
#

printf '%s\n' 0.5 -0.2 0.1 | awk '{
    m = 0.9 * m + 0.1 * $1
    v = 0.999 * v + 0.001 * $1 * $1
    mean = m / (1 - 0.9 ^ NR)
    square = v / (1 - 0.999 ^ NR)
    w = (NR == 1 ? 1 : w) - 0.01 * mean / (sqrt(square) + 1e-8)
    printf "%.6f\n", w
}'
