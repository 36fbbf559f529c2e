#!/bin/sh
# 14-cache.sh - solution: the cache of a published model.

qkv count --preset llama-3-8b -v standard,gqa,mqa --columns variant,cache --tsv 2>/dev/null
