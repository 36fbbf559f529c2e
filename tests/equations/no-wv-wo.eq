softmax(x W_i^Q (y W_i^K)' / sqrt(d_k)) y I_i I_i'
