# 16-form - exercise: heads that share keys and values.
#
# Let the heads of a group share their keys and values, as in gqa: the index of a matrix
# that a group shares is g. `make exercise N=16-form` derives M_i and N_i, and compares.

softmax(x W_i^Q (y W_i^K)' / sqrt(d_k)) y W_i^V W_i^O
