softmax(x W_i^Q (y W_i^K / sqrt(d_k))') y W_i^V W_i^O
