#!/bin/sh
# 29-config.sh - exercise: how do two runs differ?
#
# Print the names of the settings in which the two runs differ, one per line,
# as config.tsv spells them. This script prints all names. `make exercise
# N=29-config` runs it with sh in an empty directory; try it in one yourself.

qkv train -t reverse --steps 0 --heads 2 -q -o one >/dev/null
qkv train -t reverse --steps 0 --lr 0.01 -q -o two >/dev/null
cut -f1 one/reverse*/config.tsv
