S^Q: d_model x latent
Q_i: latent x latent
S^K: d_model x latent
S^V: d_model x latent
W_i^O: latent x d_model
softmax(x S^Q Q_i (y S^K)' / sqrt(latent)) y S^V W_i^O
