# Does RoPE keep W^Q and W^K from folding into one matrix?
# Trained without positions, then with RoPE: which conversions are exact?
# claim: With RoPE a matrix that depends on the distance comes between W^Q and W^K: W^UK can no
#   longer be absorbed into W^Q, so MLA has a separate rotary part.
# source: DeepSeek-V2, arXiv 2405.04434, section 2.1.3 (quoted passage read).
# published: Algebra.
# ours: Width 32, 4 heads, trained for 300 steps on recall, then converted.
# hypothesis: Without positions standard becomes full-rank, and mla its absorbed form, exactly.
#   With RoPE neither can be converted at all.
# expect 1: from=standard to=full-rank is_it_the_same is exact
# expect 1: from=mla to=mla-absorbed is_it_the_same is exact
# expect 2: from=standard to=full-rank is_it_the_same is none
# expect 2: from=mla to=mla-absorbed is_it_the_same is none
qkv equiv -t recall -v standard,full-rank,mla,mla-absorbed --steps 300 -o "$out" "$@"
qkv equiv -t recall -v standard,full-rank,mla,mla-absorbed --positions rope --steps 300 \
    -o "$out" "$@"
