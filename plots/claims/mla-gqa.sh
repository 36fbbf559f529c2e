# Is MLA better than GQA, and than MHA?
# claim: At an equal cache, each at its best rate, GQA and MLA are about equal (losses 3.149 and
#   3.156). MLA beats multi-head attention.
# source: marin-community/marin issue 7381 (read); the second from DeepSeek-V2, arXiv 2405.04434
#   (known only at second hand).
# published: marin: mixture-of-experts decoders of 12 layers and width 1024, 5 billion tokens, 7
#   rates, one seed. DeepSeek-V2: up to 236B parameters.
# ours: A decoder of 2 layers, width 32, 4 heads; 400 steps of Adam at 0.005, 0.01, 0.014, 0.02 and
#   0.04, each seed at the rate that was best on the others; 8 seeds. A latent of 32 has gqa's cache, one of
#   21 comes nearest to standard's parameters. (Without 0.014 both verdicts were undecided.)
# hypothesis: At an equal cache mla is the same as gqa within 0.02 nats of test loss; at equally
#   many parameters it is better than standard.
# expect 1: variant=mla verdict is same
# expect 2: variant=mla verdict is better
qkv compare --file "$plots/recipes/lessons.text" -v gqa,mla --baseline gqa --latent 32 \
    --lr 0.005,0.01,0.014,0.02,0.04 --steps 400 --seeds 8 --log-every 100 --validate 200 \
    --test 200 --judge test_loss --margin test_loss=0.02 --no-figures --no-weights \
    -o "$out" "$@"
qkv compare --file "$plots/recipes/lessons.text" -v standard,mla --latent 21 \
    --lr 0.005,0.01,0.014,0.02,0.04 --steps 400 --seeds 8 --log-every 100 --validate 200 \
    --test 200 --judge test_loss --margin test_loss=0.02 --no-figures --no-weights \
    -o "$out" "$@"
qkv plot "$out" --x lr --y test_loss
