# Does QK-norm widen the range of learning rates?
# Test loss against learning rate, with and without normalised queries and keys.
# claim: Normalising queries and keys makes the final loss less sensitive to the learning rate:
#   models train at rates where others fail.
# source: arXiv 2309.14322, section 3.1.1 (abstract and setup read).
# published: Decoders of 10M to 1.2B parameters, pre-norm, AdamW with warmup and cosine decay,
#   rates from 3e-4 to 1, 100,000 steps.
# ours: A decoder of 2 layers, width 32, 4 heads, pre-norm; 400 steps of AdamW, warmup 40, cosine
#   decay; 8 seeds at each rate. A pilot with two other seeds showed where standard begins to fail:
#   between 0.1 and 0.3.
# hypothesis: At 0.003 and at 0.03 the two are the same within 0.05 nats of test loss, at 0.3
#   qk-norm is better.
# expect 1: variant=qk-norm verdict is same
# expect 2: variant=qk-norm verdict is same
# expect 3: variant=qk-norm verdict is better
qkv compare --file "$plots/recipes/lessons.text" -v standard,qk-norm --optimizer adamw \
    --schedule cosine --warmup 40 --lr 0.003 --steps 400 --seeds 8 --log-every 100 \
    --validate 200 --test 200 --judge test_loss --margin test_loss=0.05 --no-figures \
    --no-weights -o "$out" "$@"
qkv compare --file "$plots/recipes/lessons.text" -v standard,qk-norm --optimizer adamw \
    --schedule cosine --warmup 40 --lr 0.03 --steps 400 --seeds 8 --log-every 100 --validate 200 \
    --test 200 --judge test_loss --margin test_loss=0.05 --no-figures --no-weights \
    -o "$out" "$@"
qkv compare --file "$plots/recipes/lessons.text" -v standard,qk-norm --optimizer adamw \
    --schedule cosine --warmup 40 --lr 0.3 --steps 400 --seeds 8 --log-every 100 --validate 200 \
    --test 200 --judge test_loss --margin test_loss=0.05 --no-figures --no-weights \
    -o "$out" "$@"
qkv plot "$out" --x lr --y test_loss
