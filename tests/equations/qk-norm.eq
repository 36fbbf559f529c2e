q = rms(x W_i^Q, 1e-6) . g^Q
k = rms(y W_i^K, 1e-6) . g^K
softmax(q k' / sqrt(d_k)) y W_i^V W_i^O
