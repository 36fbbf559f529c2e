# Is W^Q needed?
# no-wq takes each head's slice of the token as its query: W^Q = I.
# claim: W^Q may be the identity: other layers absorb it, and the reduced model matches the
#   baseline's validation loss with fewer parameters.
# source: arXiv 2510.23912 (abstract read) and its code's configuration (read); arXiv 2404.12362:
#   exact without skips (abstract read).
# published: Decoder of 12 layers, width 768, 12 heads, OpenWebText; AdamW at 6e-4, weight decay
#   0.03, the scale of the scores halved.
# ours: A decoder of 2 layers, width 32, 4 heads, MLP, pre-norm; no weight decay, the usual scale;
#   400 steps of Adam at 0.005, 0.01, 0.02 and 0.04, each seed at the rate that was best on the
#   others; 8 seeds. (Rates of 0.003 to 0.1, each three times the last, were too far apart to
#   decide.)
# hypothesis: no-wq is the same within 0.03 nats of test loss, or better.
# untestable: The exact case (a model without skips): conversions here change one layer and leave
#   its neighbours alone. With skips the papers leave the question open.
# expect 1: variant=no-wq verdict is same,better
qkv compare --file "$plots/recipes/lessons.text" -v standard,no-wq --lr 0.005,0.01,0.02,0.04 \
    --steps 400 --seeds 8 --log-every 100 --validate 200 --test 200 --judge test_loss \
    --margin test_loss=0.03 --no-figures --no-weights -o "$out" "$@"
qkv plot "$out" --x lr --y test_loss
