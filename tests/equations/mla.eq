W^DKV: d_model x latent
q = x W_i^Q
c = cached(y W^DKV)
softmax(q (c W_i^UK)' / sqrt(d_k)) c W_i^UV W_i^O
