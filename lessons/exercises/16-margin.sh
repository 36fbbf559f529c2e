#!/bin/sh
# 16-margin.sh - exercise: a question asked beforehand.
#
# Two hundredths of accuracy do not matter to you. Is two-step the same as
# standard on recall? Declare that margin, and take five seeds. This command has
# three, and the margin that it finds. `make exercise N=16-margin` checks it: it
# is run with sh, in an empty directory; try it in one.

qkv compare -v standard,two-step -t recall --seeds 3 --steps 100 \
    --lr 0.003,0.01 -q --no-figures --tsv -o mine | cut -f2,14,21
