#!/bin/sh
# 14-cache.sh - exercise: the cache of a published model.
#
# Llama 3 with 8 billion parameters has 32 layers of d-model 4096, with 32 heads,
# whose keys and values are 8 heads (gqa). How many numbers does it keep for each
# token, and how many would it keep with standard and with mqa? Print variant and
# cache, in this order: standard, gqa, mqa. The command below prints
# parameters instead, for our own small shape. `make exercise N=14-cache` runs
# it with sh in an empty directory; try it in one yourself.

qkv count -v standard,gqa,mqa --columns variant,parameters --tsv
