#!/bin/sh
# 18-rates.sh - exercise: each at its best rate.
#
# Compare standard with two-step on recall, 100 steps, 5 seeds: each judged at
# its best learning rate of 0.003 and 0.01. This command gives both the same
# one; see what becomes of the verdict. `make exercise N=18-rates` checks it: it
# is run with sh, in an empty directory; try it in one.

qkv compare -v standard,two-step -t recall --seeds 5 --steps 100 -q \
    --no-figures --tsv -o mine | cut -f2,5,6,11,14
