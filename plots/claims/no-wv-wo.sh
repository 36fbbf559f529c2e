# Are W^V and W^O needed if the skip stays?
# In no-wv-wo each head copies its slice of the token itself.
# claim: W^V and W^O can be removed, and the skip around attention too, without a loss of training
#   speed per update.
# source: arXiv 2311.01906, sections 4.1 and 4.2 (abstract and setup read), and its code's README
#   (read).
# published: A decoder of 18 blocks, width 768, on CodeParrot; AdamW, linear decay, the rate tuned
#   on a logarithmic grid; 40,000 steps.
# ours: A decoder of 2 layers, width 32, 4 heads, MLP, pre-norm, with the skip; 400 steps of Adam
#   at 0.005, 0.01, 0.02 and 0.04, each seed at the rate that was best on the others; 8 seeds.
#   (Rates of 0.003 to 0.1, each three times the last, were too far apart to decide.)
# hypothesis: After the same number of updates no-wv-wo is the same within 0.03 nats of test loss,
#   or better.
# untestable: Removing them without the skip, as the paper does: that needs its shaped attention,
#   which starts as the identity and is not a variant here.
# expect 1: variant=no-wv-wo verdict is same,better
qkv compare --file "$plots/recipes/lessons.text" -v standard,no-wv-wo --lr 0.005,0.01,0.02,0.04 \
    --steps 400 --seeds 8 --log-every 100 --validate 200 --test 200 --judge test_loss \
    --margin test_loss=0.03 --no-figures --no-weights -o "$out" "$@"
qkv plot "$out" --x lr --y test_loss
