softmax(x W_i^Q (y W^K)' / sqrt(d_k)) y W^V W_i^O
