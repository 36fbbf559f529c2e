#!/bin/sh
# 29-config.sh - exercise: what do two runs differ in?
#
# Print the names of the settings in which the two runs differ, one in a line,
# as their config.tsv has them. This prints all. `make exercise N=29-config`
# checks it: it is run with sh, in an empty directory; try it in one.

qkv train -t reverse --steps 0 --heads 2 -q -o one >/dev/null
qkv train -t reverse --steps 0 --lr 0.01 -q -o two >/dev/null
cut -f1 one/reverse*/config.tsv
