softmax(x W_i (y W_i)' / sqrt(d_k)) y W_i^V W_i^O
