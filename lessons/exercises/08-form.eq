# 08-form - exercise: a symmetric M.
#
# Two tokens should give each other the same score in each head. Change the equation so that
# M_i is symmetric, with one matrix less: call the one that is left W_i.
# `make exercise N=08-form` derives M_i and N_i, and compares.

softmax(x W_i^Q (y W_i^K)' / sqrt(d_k)) y W_i^V W_i^O
