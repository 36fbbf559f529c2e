#!/bin/sh
# hf.sh BUILD - published models counted, and checkpoints opened, as the package
# `transformers` has them (in_transformers.py, in_whole.py), and those that it saved compared
# and converted (in_checkpoints.py). Skipped where there is none: pip install
# torch transformers safetensors.

build=$1
. tests/lib.sh
qkv=$build/qkv
python=${PYTHON:-python3}
if ! "$python" -c 'import torch, transformers, safetensors' 2>/dev/null; then
    echo "hf: skipped, $python has no torch, transformers or safetensors (pip install torch==2.13.0 transformers safetensors)"
    exit 0
fi
for script in in_transformers in_whole in_checkpoints; do
    "$python" "$top/tests/$script.py" "$qkv" "$work" >>"$work/out" 2>"$work/err" || {
        tail -n 3 "$work/err"
        exit 1
    }
done
grep -v '^ok' "$work/out"
echo "hf: $(grep -c ^ok "$work/out") passed, $(grep -c ^wrong "$work/out") failed"
! grep -q ^wrong "$work/out"
