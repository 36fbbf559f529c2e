W^K: d_model x h d_k
q = x W_i^Q
k = cached(y W^K)
softmax(q split(k, h)' / sqrt(d_k)) k W_i^KV W_i^O
