#!/bin/sh
# 15-margin.sh - exercise: a question asked beforehand.
#
# Two hundredths of accuracy do not matter to you. Is two-step the same as
# standard on recall? Declare that margin, and use five seeds. This command
# uses three, and the default margin. `make exercise N=15-margin` runs it with sh
# in an empty directory; try it in one yourself.

qkv compare -v standard,two-step -t recall --seeds 3 --steps 100 --judge test_accuracy \
    --lr 0.003,0.01 -q --no-figures -o mine \
    --columns variant,seeds,verdict,margin --tsv
