settings: rank=2 query-rank=6
A^Q: d_model x query_rank h
B^Q: d_model x query_rank d_k
A^K: d_model x rank h
B^K: d_model x rank d_k
A^V: d_model x rank h
B^V: d_model x rank d_v
W_i^O: d_v x d_model
q = mix_heads(split(x B^Q, query_rank), split(x A^Q, query_rank)) / query_rank
k = mix_heads(split(cached(y B^K), rank), split(cached(y A^K), rank)) / rank
v = mix_heads(split(cached(y B^V), rank), split(cached(y A^V), rank)) / rank
softmax(q k' / sqrt(d_k)) v W_i^O
