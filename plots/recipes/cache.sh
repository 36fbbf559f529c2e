# What do fewer keys and values cost?
# Numbers that a decoder must keep for each token, against steps to the
# threshold: mqa and gqa share heads, mla keeps a narrow middle of width r from
# which all of them are made (r = 2, 4, 8, 16, 32).
qkv compare -t recall -v standard,gqa,mqa,mla --latent 2,4,8,16,32 --lr auto --judge solved_at \
    --steps 800 --seeds 5 --log-every 50 --no-figures --no-weights -o "$out" "$@"
qkv plot "$out" --x cache --y solved_at --log-y --gnuplot 'ticks = 1'
qkv plot "$out" --x cache --y test_accuracy
