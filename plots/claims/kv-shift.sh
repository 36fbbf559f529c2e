# Can one layer do induction if keys and values are shifted?
# One layer of standard attention, one of kv-shift, and two layers of standard.
# claim: With keys and values mixed with the previous token's, by two learned scalars each, one
#   layer learns induction as perfectly as two layers of standard attention, in far fewer steps;
#   one standard layer hardly learns it.
# source: arXiv 2411.19574, version 2 (sections 1 to 3 and appendices D to G read; figure 1a not
#   seen).
# published: Llama's architecture of one and two layers, width 1024, random sequences, up to 512
#   long, over 8000 tokens, batches of 4096, rate 2e-4 after 1000 steps of warm-up.
# ours: No MLP, no norm, width 32, 4 heads; patterns of 4 to 8 of 16 tokens, repeated; 300 steps of
#   Adam at 0.003 to 0.03, each seed at the rate that was best on the others; scalars start at 1/2
#   (theirs at random); 20 seeds.
# hypothesis: One layer of kv-shift gets more than 0.98 right, as two layers of standard do, and is
#   better than one, which stays below 0.9. It takes less than 120 steps, the median of two
#   standard layers on seeds 101 to 108.
# untestable: Language models of 1.5B to 19B parameters, and the proof that less width is needed.
# expect 1: variant=standard test_accuracy < 0.9
# expect 1: variant=kv-shift verdict is better
# expect 1: variant=kv-shift test_accuracy > 0.98
# expect 1: variant=kv-shift median_steps < 120
# expect 2: variant=standard test_accuracy > 0.98
qkv compare -t induction -v standard,kv-shift --layers 1 --lr 0.003,0.01,0.03 --steps 300 \
    --seeds 20 --log-every 100 --no-figures --no-weights -o "$out" "$@"
qkv compare -t induction -v standard --layers 2 --lr 0.003,0.01,0.03 --steps 300 --seeds 20 \
    --log-every 100 --no-figures --no-weights -o "$out" "$@"
qkv plot "$out" --x lr --y test_accuracy
