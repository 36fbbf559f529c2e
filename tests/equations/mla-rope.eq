settings: query-latent=24 rope=4
W^DKV: d_model x latent
W_i^UK: latent x d_k
W_i^UV: latent x d_v
W^KR: d_model x rope
g^KV: 1 x latent
W_i^UQ: query_latent x d_k
W_i^QR: query_latent x rope
W_i^O: d_v x d_model
W^DQ: d_model x query_latent
g^Q: 1 x query_latent
c = cached(rms(y W^DKV, 1e-6) . g^KV)
k = [c W_i^UK, cached(rotate(y W^KR, 10000))]
a = rms(x W^DQ, 1e-6) . g^Q
q = [a W_i^UQ, rotate(a W_i^QR, 10000)]
softmax(q k' / sqrt(d_k + rope)) c W_i^UV W_i^O
