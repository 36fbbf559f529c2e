# Can many narrow heads replace a wide one?
# More and more heads of two columns, compared with as many full-rank heads, on sums over fixed
# places.
# claim: A target that one full-rank head represents cannot be represented by low-rank heads unless
#   their number is exponential in the width.
# source: arXiv 2407.16153 (abstract and contents read; its code's configurations read).
# published: The nearest of 6 or 12 points on a sphere in 64 dimensions; 1 to 64 heads, 1 to 3
#   layers, batches of 256, off-the-shelf encoders.
# ours: Another target, since no task here has points: each token sums 4 fixed places of 16. One
#   layer of width 32, d_k = 2, 1 to 16 heads, 1500 steps of Adam, each seed at the rate of nine
#   that was best on the others; 5 seeds.
# hypothesis: With d_k = 2 standard stays worse than full-rank, by more than 0.02 of R^2, however
#   many heads both have.
# expect 1: variant=standard verdict is worse
qkv compare -t subset -v standard,full-rank --baseline full-rank --d-k 2 --heads 1,2,4,8,16 \
    --lr auto --seeds 5 --log-every 500 --judge test_accuracy --margin test_accuracy=0.02 --no-figures \
    --no-weights -o "$out" "$@"
qkv plot "$out" --x heads --y test_accuracy
