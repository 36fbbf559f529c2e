# Does training find low rank by itself?
# Effective rank of M after training, against the factor that W^Q and W^K, or W of full-rank,
# started with. A product of small matrices ends low in rank, one small matrix does less so.
qkv compare -t recall -v standard,full-rank --heads 1 --log rank \
    --init W_Q=0.03+W_K=0.03+W=0.03,W_Q=0.1+W_K=0.1+W=0.1,W_Q=0.3+W_K=0.3+W=0.3,W_Q=1+W_K=1+W=1 \
    --steps 1000 --seeds 5 --log-every 100 --no-figures --no-weights -o "$out" "$@"
qkv plot "$out" --x init --y rank_m,test_accuracy
