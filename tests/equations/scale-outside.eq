softmax(x W_i^Q (y W_i^K)') y W_i^V W_i^O / sqrt(d_k)
