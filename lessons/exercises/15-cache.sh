#!/bin/sh
# 15-cache.sh - exercise: the cache of a published model.
#
# What does Llama 3 of 8 billion parameters keep of each token as published
# (gqa), and what would it keep with standard and with mqa? Print variant and
# cache, in this order: standard, gqa, mqa. This prints the parameters of our
# own small shape. `make exercise N=15-cache` checks it: it is run with sh, in
# an empty directory; try it in one.

qkv count -v standard,gqa,mqa --tsv | cut -f1,2
