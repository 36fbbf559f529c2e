alpha_1i: 1 x 1 ~ N(0.5, 0)
alpha_2i: 1 x 1 ~ N(0.5, 0)
beta_1i: 1 x 1 ~ N(0.5, 0)
beta_2i: 1 x 1 ~ N(0.5, 0)
q = x W_i^Q
kept = cached(y W_i^K)
k = kept . alpha_1i + shift(kept, 1) . alpha_2i
seen = cached(y W_i^V)
v = seen . beta_1i + shift(seen, 1) . beta_2i
softmax(q k' / sqrt(d_k)) v W_i^O
