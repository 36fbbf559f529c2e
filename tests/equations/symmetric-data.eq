W_i^V: d_model x d_v
p = softmax(x W_i^Q (y W_i^K)' / sqrt(d_k))
p (y W_i^V (y W_i^W)' / sqrt(d_k)) y W_i^O
