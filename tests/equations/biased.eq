softmax((x W_i^Q + b_i^Q) (y W_i^K + b_i^K)' / sqrt(d_k)) (y W_i^V + b_i^V) W_i^O + b^O
