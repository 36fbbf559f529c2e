#!/bin/sh
# 29-config.sh - solution: how do two runs differ?
#

qkv train -t reverse --steps 0 --heads 2 -q -o one >/dev/null
qkv train -t reverse --steps 0 --lr 0.01 -q -o two >/dev/null
diff one/reverse*/config.tsv two/reverse*/config.tsv | awk '/^>/ { print $2 }'
