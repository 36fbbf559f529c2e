softmax(x W_i^Q (y W_i^K)' / sqrt(d_k), b_i) y W_i^V W_i^O
