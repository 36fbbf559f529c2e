softmax(x W^Q W_i^Q (y W^K W_i^K)' / sqrt(d_k)) y W^V W_i^V W_i^O
