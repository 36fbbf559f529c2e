softmax(x W_i^Q (y W_g^K)' / sqrt(d_k)) y W_g^V W_i^O
