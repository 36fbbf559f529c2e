softmax(x W_i^Q (y W_i^KV)' / sqrt(d_k)) y W_i^KV W_i^O
