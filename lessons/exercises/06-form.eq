# 06-form - exercise: N as one full matrix.
#
# Here each head stores M_i as one full matrix, W_i. Change the equation so that it stores N_i
# as one full matrix as well: what is left of y W_i^V W_i^O is y and one matrix, which leads
# back from the heads. `make exercise N=06-form` derives M_i and N_i, and compares.

softmax(x W_i y' / sqrt(d_model)) y W_i^V W_i^O
