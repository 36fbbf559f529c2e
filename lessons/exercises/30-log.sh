#!/bin/sh
# 30-log.sh - exercise: when was it solved?
#
# Print the first step of the log at which the *validation* accuracy is at least
# 0.99. This script looks at another column. `make exercise N=30-log` runs it with
# sh in an empty directory; try it in one yourself.

qkv train -t reverse --seed 1 --log-every 5 -q -o run >/dev/null
awk -F'\t' 'NR > 1 && $4 >= 0.99 { print $1; exit }' run/reverse*/log.tsv
