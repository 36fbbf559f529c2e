# Are keys and values alike, and is that why they can be shared?
# claim: Trained keys and values have a high cosine similarity, and that explains why they can
#   share their projection.
# source: arXiv 2606.04032, discussion; its code (kv_similarity_analysis.py) read: cosine of the
#   flattened W^K and W^V, and linear CKA of their activations.
# published: Models of 300M parameters, and encoders of synthetic and vision tasks.
# ours: None.
# hypothesis: None was tested.
# untestable: No command here measures a cosine, and it would mean little: W^K_i may be multiplied
#   by any invertible matrix, and W^V_i by any other, if W^Q_i and W^O_i undo it. The outputs stay
#   the same, but the cosine can become anything. Such matrices (`qkv count --real` counts them as
#   gauge) leave only the products M and N unchanged, and neither is a product of W^K and W^V.
