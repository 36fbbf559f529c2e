# Does any of it matter on a text?
# The next character of lessons.text, at three learning rates: the prose of the README and the
# lessons as it was on 2026-11-23. It is data, and stays as it is.
qkv compare --file "$plots/recipes/lessons.text" -v standard,full-rank,shared-qk,mqa,mla \
    --latent 4 --lr 0.003,0.01,0.03 --steps 400 --seeds 5 --log-every 100 --validate 200 \
    --test 200 --no-figures --no-weights -o "$out" "$@"
qkv plot "$out" --x lr --y test_loss
