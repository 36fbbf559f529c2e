#!/bin/sh
# 17-alone.sh - solution: leave it alone.

qkv train -t recall --heads 1 --seed 1 --optimizer sgd --lr 0.05 --steps 200 \
    --log conserved --log-every 200 -q -o run >said
cut -f 1,6,7 run/*/log.tsv
