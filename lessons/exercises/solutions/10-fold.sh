#!/bin/sh
# 10-fold.sh - solution: fold an embedding away.
#

qkv train -t recall --seed 1 --steps 40 --residual no -q -o trained >/dev/null
qkv equiv trained/recall.* -v standard --embed onehot -q \
    --columns from,to,is_it_the_same --tsv 2>/dev/null
echo done
