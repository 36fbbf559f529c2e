W^QKV: d_model x h (2 d_k + d_v)
q = split((x W^QKV)[0 : h d_k], h)
k = split((y W^QKV)[h d_k : 2 h d_k], h)
v = split((y W^QKV)[2 h d_k : h (2 d_k + d_v)], h)
softmax(q k' / sqrt(d_k)) v W_i^O
