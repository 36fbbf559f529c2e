softmax(tanh(x W^Q) W_i^Q (tanh(y W^K) W_i^K)' / sqrt(d_k)) (tanh(y W^V) W_i^V) W_i^O
