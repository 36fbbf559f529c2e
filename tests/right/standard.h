/* standard.h - the matrices of standard.c, which most of these plugins have. */
#include <qkv/variant.h>

enum { W_Q, W_K, W_V, W_O, MORE };

static void
standard_weights(Weights *w, const Attention *a)
{
    weight(w, W_Q, "W^Q", a->d_model, a->heads * a->d_k);
    weight(w, W_K, "W^K", a->d_model, a->heads * a->d_k);
    weight(w, W_V, "W^V", a->d_model, a->heads * a->d_v);
    weight(w, W_O, "W^O", a->heads * a->d_v, a->d_model);
}
