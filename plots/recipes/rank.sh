# What does a narrow head cost?
# Each token must sum up a fixed set of four places: that takes scores of high rank. One head;
# full-rank has one matrix in place of W^Q W^K' and no d_k. More steps do not lift a rank that is
# too small.
qkv compare -t subset -v standard,full-rank --heads 1 --d-k 1,2,3,4,6,8,16 --lr auto \
    --judge test_accuracy --seeds 5 --log-every 100 --no-figures --no-weights -o "$out" "$@"
qkv plot "$out" --x d-k --y test_accuracy
