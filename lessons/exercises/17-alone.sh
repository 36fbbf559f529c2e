#!/bin/sh
# 17-alone.sh - exercise: leave it alone.
#
# Train one head on recall for 200 steps, with an optimizer and a rate at which
# M moves but W_Q' W_Q - W_K' W_K hardly does: SGD, at 0.05. This command uses
# Adam, and you see that both move. `make exercise N=17-alone` runs it with sh in
# an empty directory; try it in one yourself.

qkv train -t recall --heads 1 --seed 1 --optimizer adam --lr 0.003 --steps 200 \
    --log conserved --log-every 200 -q -o run >said
cut -f 1,6,7 run/*/log.tsv
