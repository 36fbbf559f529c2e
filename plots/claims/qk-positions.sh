# Do positions restore what queries = keys loses?
# Reversing a list, with W^Q = W^K and with the two separate; without positions, and with learned
# ones.
# claim: With queries = keys the scores of two tokens are symmetric; positions restore the
#   direction: on REVERSE .705 without and .718 with 2D positions in the scores, against .698 for
#   standard attention.
# source: arXiv 2606.04032, table 1 and section 3.1, as its code's notes on the synthetic tasks
#   (synthetic_tasks_writeup.md) quote them; the notes were read.
# published: Encoders of width 32 to 256, 2 or 4 layers, 2 or 4 heads, learned positions, 16 to 128
#   digits, Adam at 0.001; mean of 108 runs.
# ours: 2 layers, 2 heads, width 32, 16 digits, pre-norm, 600 steps of Adam, each seed at the rate
#   of nine that was best on the others; positions added to the tokens, or none; no 2D term in the
#   scores. 20 seeds.
# hypothesis: With learned positions shared-qk solves it, within 0.02 of accuracy of standard;
#   without, neither gets half of the digits right: nothing tells a token where it is.
# expect 1: task=reverse.positionslearned variant=shared-qk verdict is same,better
# expect 1: task=reverse.positionslearned variant=shared-qk test_accuracy > 0.95
# expect 1: task=reverse.positionsnone variant=shared-qk test_accuracy < 0.5
# expect 1: task=reverse.positionsnone variant=standard test_accuracy < 0.5
qkv compare -t reverse -v standard,shared-qk --positions none,learned --layers 2 --heads 2 \
    --norm pre --lr auto --steps 600 --seeds 20 --log-every 100 --judge test_accuracy \
    --margin test_accuracy=0.02 --no-figures --no-weights -o "$out" "$@"
qkv plot "$out" --y validation_accuracy
