# What does it cost to share projections?
# Keys = values (shared-kv), queries = keys (shared-qk) and all three equal (shared-qkv), each
# compared with standard at predicting the next character of the lessons.
# claim: Keys = values costs 3.1% in perplexity (0.031 nats), queries = keys 4.9% (0.048 nats), all
#   three equal 25.4% (0.226 nats).
# source: arXiv 2606.04032 (ICML 2026), abstract and section 3.3. Read: the abstract, the code's
#   README and its notes on the synthetic tasks; the tables only as others quote them.
# published: A decoder of 300M parameters (and another of 1.2B), 10 billion tokens of SlimPajama,
#   one seed.
# ours: A decoder of 2 layers, width 32, 4 heads, 32 characters; 400 steps of Adam at 0.005, 0.01,
#   0.02 and 0.04, each seed at the rate that was best on the others; 8 seeds.
# hypothesis: The first two cost less than 0.05 nats of test loss (5% of perplexity), the third
#   more.
# expect 1: variant=shared-kv verdict is same,better
# expect 1: variant=shared-qk verdict is same,better
# expect 1: variant=shared-qkv verdict is worse
qkv compare --file "$plots/recipes/lessons.text" -v standard,shared-kv,shared-qk,shared-qkv \
    --lr 0.005,0.01,0.02,0.04 --steps 400 --seeds 8 --log-every 100 --validate 200 --test 200 \
    --judge test_loss --margin test_loss=0.05 --no-figures --no-weights -o "$out" "$@"
qkv plot "$out" --x lr --y test_loss
