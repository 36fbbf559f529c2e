s = x W_i^Q (y W_i^K)' / sqrt(d_k)
p = mix_heads(softmax(mix_heads(s, P^L)), P^W)
p y W_i^V W_i^O
