# Do talking heads, gates, differences and sinks help at equal size?
# claim: Talking heads, a sigmoid gate on the output of attention, and differential attention lower
#   the loss; a sink in the softmax does not raise it.
# source: arXiv 2003.02436, 2505.06708, 2410.05258 and 2309.17453 (abstracts read).
# published: T5 and BERT; 1.7B dense and 15B mixture-of-experts on 3.5T tokens; 3B to 13B; 160M
#   parameters.
# ours: A decoder of 2 layers, width 32, 4 heads; 400 steps of Adam at 0.005, 0.01, 0.02 and 0.04,
#   each seed at the rate that was best on the others; 8 seeds. Each variant has the widths at
#   which it has as many parameters as standard, to within 6%.
# hypothesis: Each of the first three is better than standard, by more than 0.01 nats of test loss;
#   sink is the same within 0.01, or better.
# untestable: differential as in its paper, with half as many heads and values twice as wide: here
#   it keeps 4 heads, of five columns.
# expect 4: variant,d-k,d-v=talking-heads,8,8 verdict is better
# expect 4: variant,d-k,d-v=gated,6,6 verdict is better
# expect 4: variant,d-k,d-v=differential,5,5 verdict is better
# expect 4: variant,d-k,d-v=sink,8,8 verdict is same,better
for which in 'standard,talking-heads,sink' 'gated --d-k 6 --d-v 6' 'differential --d-k 5 --d-v 5'; do
    qkv compare --file "$plots/recipes/lessons.text" -v $which --lr 0.005,0.01,0.02,0.04 \
        --steps 400 --seeds 8 --log-every 100 --validate 200 --test 200 --judge test_loss \
        --margin test_loss=0.01 --no-figures --no-weights -o "$out" "$@"
done
qkv table "$out" --verdicts --by variant,d-k,d-v --baseline standard,8,8
qkv plot "$out" --x lr --y test_loss --by variant,d-k,d-v
