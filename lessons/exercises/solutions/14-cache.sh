#!/bin/sh
# 14-cache.sh - solution: the cache of a published model.

qkv count -v standard,gqa,mqa --d-model 4096 --layers 32 --heads 32 --kv-heads 8 \
    --columns variant,cache --tsv
