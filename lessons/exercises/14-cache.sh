#!/bin/sh
# 14-cache.sh - exercise: the cache of a published model.
#
# How many numbers does Llama 3 with 8 billion parameters keep for each token as
# published (gqa), and how many would it keep with standard and with mqa? Print
# variant and cache, in this order: standard, gqa, mqa. The command below prints
# parameters instead, for our own small shape. `make exercise N=14-cache` runs
# it with sh in an empty directory; try it in one yourself.

qkv count -v standard,gqa,mqa --columns variant,parameters --tsv
