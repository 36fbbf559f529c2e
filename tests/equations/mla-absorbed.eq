softmax(x W_i^Q (y W^DKV)' / sqrt(latent)) y W^DKV W_i^O
