# 03-form - exercise: one first map for all.
#
# Here queries, keys and values each have a first map, W^Q, W^K and W^V, which all heads
# share. Change the equation so that the three roles share one first map, W. What happens to
# M_i and N_i? `make exercise N=03-form` derives them, and compares.

softmax(x W^Q W_i^Q (y W^K W_i^K)' / sqrt(d_k)) y W^V W_i^V W_i^O
