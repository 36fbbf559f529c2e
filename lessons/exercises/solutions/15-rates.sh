#!/bin/sh
# 15-rates.sh - solution: each at its best rate.
#

qkv compare -v standard,two-step -t recall --seeds 5 --steps 100 --lr 0.003,0.01 -q \
    --no-figures -o mine --columns variant,solved,median_steps,rate,verdict --tsv
