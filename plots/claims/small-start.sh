# Does a smaller initialisation rescue unscaled attention?
# unscaled has no 1/sqrt(d_k); W^Q starts as usual, or at an eighth of that.
# claim: The scale is an initialisation as much as a formula: unscaled attention with d_k = 64
#   solves the task if W^Q starts at 1/8 = 1/sqrt(64) of its size.
# source: Our own, on the scale (lesson 09): with the small start 3 of 3 seeds solved it, without
#   it none.
# published: mqar, 2 layers, one head, d_k 64, pre-norm, 3000 steps.
# ours: The same, Adam, each seed at the rate of nine that was best on the others; 20 seeds. (At
#   0.003 only, 9 of 20 seeds solved it, and none without the small start: below what was expected.)
# hypothesis: As it is, mean accuracy stays below 0.5; with the small start above 0.9.
# expect 1: task=mqar.initW_Q=1 test_accuracy < 0.5
# expect 1: task=mqar.initW_Q=0.125 test_accuracy > 0.9
qkv compare -t mqar -v unscaled --heads 1 --norm pre --d-k 64 --init W_Q=1,W_Q=0.125 \
    --lr auto --judge test_accuracy --steps 3000 --seeds 20 --log-every 500 --validate 32 --no-figures --no-weights \
    -o "$out" "$@"
qkv plot "$out" --x init --y test_accuracy
