W_i^Q: d_model x 2 d_k
W_i^K: d_model x 2 d_k
l_1: 1 x d_k ~ N(0, 0.1)
l_2: 1 x d_k ~ N(0, 0.1)
l_3: 1 x d_k ~ N(0, 0.1)
l_4: 1 x d_k ~ N(0, 0.1)
start = 0.8 - 0.6 exp(-0.3 layer)
q = x W_i^Q
k = y W_i^K
v = y W_i^V
lambda = exp(l_1 l_2') - exp(l_3 l_4')
p = softmax(q[0 : d_k] k[0 : d_k]' / sqrt(d_k)) v
r = softmax(q[d_k : 2 d_k] k[d_k : 2 d_k]' / sqrt(d_k)) v
noise = start r + r . lambda
((1 - start) (rms(p - noise, 1e-5) . gain^N)) W_i^O
