softmax(x W W_i^Q (y W W_i^K)' / sqrt(d_k)) y W W_i^V W_i^O
