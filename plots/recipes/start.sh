# What does the scale do before the first step?
# No training. Without it the scores grow with sqrt(d_k), a row of weights becomes one-hot, and the
# gradient of the median row of scores dies away, while that of W^Q as a whole need not (`qkv table`).
qkv compare -t reverse -v standard,unscaled --heads 1 --d-k 1,4,16,64,256 --steps 0 \
    --log attention+scores+gradients --seeds 10 --no-figures --no-weights -o "$out" "$@"
qkv plot "$out" --x d-k --y saturated,score_gradient_median
