# How many parameters of a pair of matrices can be removed exactly?
# claim: From two matrices in a row that meet in r columns, r^2 weights can be removed exactly:
#   from W^V and W^O of each head, from W^Q and W^K of each head without RoPE, at the latent of
#   MLA; with g queries per key, g times fewer.
# source: Matrix-shrink, a draft of OpenMachine-ai/transformer-tricks (tex/matShrink.tex, read).
# published: Algebra; savings of 8% to 17% for Whisper, CodeGemma and T5.
# ours: Width 16, 4 heads of 4 columns, latent 8: the rank of the Jacobian of a layer with respect
#   to its weights, in double. Weights beyond this rank can be removed.
# hypothesis: standard 4 (4^2 + 4^2) = 128; gqa with 2 key heads 64, mqa 32; mla 128 and 8^2 more:
#   192. Exactly these numbers.
# untestable: That low precision needs pivoting: no precision here is below float.
# expect 1: variant=standard gauge is 128
# expect 1: variant=gqa gauge is 64
# expect 1: variant=mqa gauge is 32
# expect 1: variant=mla gauge is 192
qkv count -v standard,gqa,mqa,mla --real --d-model 16 "$@"
