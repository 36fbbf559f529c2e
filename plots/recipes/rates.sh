# Are two maps in a row better than one?
# At small learning rates two-step gets there sooner, and it fails at rates that standard still
# bears. With each at its own best rate the lead is turned
# round: a larger effective rate, not a better model. (On the dashed line: never.)
qkv compare -t reverse,recall,mqar -v standard,two-step \
    --lr 0.0003,0.001,0.003,0.01,0.02,0.04,0.08 --steps 800 --seeds 5 --log-every 50 \
    --validate 256 --no-figures --no-weights -o "$out" "$@"
qkv plot "$out" --x lr --y solved_at --log-y
