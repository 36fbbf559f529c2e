# Should a query be nonlinear?
# In nonlinear-query a query is half the token and half the output of a small MLP.
# claim: With queries (x + f(x)) / 2, f a bottleneck MLP with as many parameters as W^Q, validation
#   log-loss is 2.4% lower.
# source: arXiv 2603.13381 (abstract read); its code's README, model.py and configurations (read).
# published: GPT-3 small: 12 layers, width 768, 12 heads, OpenWebText, 60,000 steps of AdamW; rate
#   and weight decay tuned for each.
# ours: A decoder of 2 layers, width 32, 4 heads, MLP, pre-norm; 400 steps of Adam at 0.0056 to 0.056,
#   each seed at the rate that was best on the others, no weight decay; 4,128 parameters in a
#   layer's attention, where standard has 4,096; 8 seeds.
# hypothesis: The test loss of nonlinear-query is lower, by more than 1%.
# expect 1: variant=nonlinear-query verdict is better
qkv compare --file "$plots/recipes/lessons.text" -v standard,nonlinear-query \
    --lr 0.0056,0.01,0.018,0.03,0.056 --steps 400 --seeds 8 --log-every 100 --validate 200 --test 200 \
    --judge test_loss --margin test_loss=1% --no-figures --no-weights -o "$out" "$@"
qkv plot "$out" --x lr --y test_loss
