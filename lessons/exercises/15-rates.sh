#!/bin/sh
# 15-rates.sh - exercise: each at its best rate.
#
# Compare standard with two-step on recall, with 100 steps and 5 seeds, and judge
# each at the better of two learning rates, 0.003 and 0.01. This command gives
# both the same rate; see how the verdict changes. `make exercise N=15-rates`
# runs it with sh in an empty directory; try it in one yourself.

qkv compare -v standard,two-step -t recall --seeds 5 --steps 100 -q \
    --no-figures -o mine --columns variant,solved,median_steps,rate,verdict --tsv
