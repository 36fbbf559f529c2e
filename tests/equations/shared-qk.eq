softmax(x W_i^QK (y W_i^QK)' / sqrt(d_k)) y W_i^V W_i^O
