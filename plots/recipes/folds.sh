# Which variants are the same function?
# Each variant is trained, and then written in the matrices of each other one: green where the
# logits agree to rounding, orange where it is only the nearest there is. A tanh between two maps
# leaves nothing to fold.
qkv equiv -t recall \
    -v standard,two-step,full-rank,symmetric,scale-outside,mla,mla-absorbed,two-step-tanh \
    --steps 300 -o "$out" "$@"
qkv_double equiv -t recall \
    -v standard,two-step,full-rank,symmetric,scale-outside,mla,mla-absorbed,two-step-tanh \
    --steps 300 -o "$out" "$@"
