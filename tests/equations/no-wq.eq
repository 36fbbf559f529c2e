softmax(x I_i (y W_i^K)' / sqrt(d_model / h)) y W_i^V W_i^O
