# Is a conversion by activations better than one by weights?
# claim: Converting GQA into MLA by the covariance of activations gives a one-shot perplexity up to
#   215 times lower than by the SVD of the weights alone.
# source: arXiv 2603.17946 (ICLR 2026; abstract and its code's README read).
# published: Llama-3.1-8B and 70B, Qwen3-4B and 30B.
# ours: None.
# hypothesis: None was tested.
# untestable: Conversions here use the weights alone: the canonical form of each head, truncated to
#   its largest singular values. None weights them by activations.
