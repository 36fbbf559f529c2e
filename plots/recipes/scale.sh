# Where does 1/sqrt(d_k) belong?
# Inside the softmax (standard), nowhere (unscaled), or behind it (scale-outside). The wider the
# head, the larger the scores without it.
qkv compare -t mqar -v standard,unscaled,scale-outside --heads 1 --norm pre --d-k 4,16,64 \
    --lr auto --judge test_accuracy --steps 2000 --seeds 5 --log-every 100 --validate 32 --no-figures \
    --no-weights -o "$out" "$@"
qkv plot "$out" --x d-k --y test_accuracy --gnuplot 'level_side = "left"'
