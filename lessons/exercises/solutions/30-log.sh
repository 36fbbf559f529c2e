#!/bin/sh
# 30-log.sh - solution: when was it solved?
#

qkv train -t reverse --seed 1 --log-every 5 -q -o run >/dev/null
awk -F'\t' 'NR > 1 && $5 >= 0.99 { print $1; exit }' run/reverse*/log.tsv
