# 09-form - exercise: the scale, put back.
#
# Here the output is divided by sqrt(d_k), which is too late. Change the equation so that the
# output is not divided, and neither are the scores as a whole, but the keys. What should
# happen to M_i and N_i? `make exercise N=09-form` derives them, and compares.

softmax(x W_i^Q (y W_i^K)') y W_i^V W_i^O / sqrt(d_k)
