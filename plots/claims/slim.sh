# Can values be computed from keys?
# A trained standard, converted to mla with a latent as wide as the model: only the latent of each
# token has to be kept.
# claim: Where W^K is square and invertible, V = K (W^K)^-1 W^V: it is enough to cache K, and the
#   cache is half as large, with the same outputs.
# source: arXiv 2503.05840 (abstract and figure 1 read).
# published: Algebra, and code for models with multi-head attention.
# ours: Width 32, 4 heads of 8 columns: mla with latent 32 can have W^DKV = W^K. Trained for 300
#   steps on recall, then converted, in float and in double.
# hypothesis: The conversion is exact: logits on test data agree to 1e-5 of the largest in float,
#   1e-12 in double; the cache is 32 instead of 64.
# untestable: How the condition number of W^K grows with training: no command logs it.
# expect 1: from=standard to=mla is_it_the_same is exact
# expect 1: from=standard to=mla logits < 1e-5
# expect 2: from=standard to=mla is_it_the_same is exact
# expect 2: from=standard to=mla logits < 1e-12
# expect 3: variant=standard cache is 64
# expect 3: variant=mla cache is 32
qkv equiv -t recall -v standard,mla --latent 32 --steps 300 -o "$out" "$@"
qkv_double equiv -t recall -v standard,mla --latent 32 --steps 300 -o "$out" "$@"
qkv count -v standard,mla --latent 32
