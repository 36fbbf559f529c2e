#!/bin/sh
# 15-margin.sh - solution: a question asked beforehand.

qkv compare -v standard,two-step -t recall --seeds 5 --margin test_accuracy=0.02 \
    --steps 100 --judge test_accuracy \
    --lr 0.003,0.01 -q --no-figures -o mine \
    --columns variant,seeds,verdict,margin --tsv
