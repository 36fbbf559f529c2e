# What does training leave alone?
# W_Q' W_Q - W_K' W_K of a head does not change under gradient flow, since the loss does not change
# along the gauge. SGD keeps it, the better the smaller its steps are; Adam and Muon do not; weight
# decay takes it to 0.
for how in 'sgd --lr 0.05' 'sgd --lr 0.5' 'sgd --lr 0.5 --weight-decay 0.001' 'adam --lr 0.003' \
    'muon --lr 0.003'; do
    qkv compare -t recall -v standard --heads 1 --optimizer $how --log conserved+distance+gauge \
        --steps 1000 --log-every 20 --seeds 3 --no-figures --no-weights -o "$out" "$@"
done
qkv plot "$out" --y conserved_qk,conserved_vo --by optimizer,lr,weight-decay --log-y --gnuplot \
    "by = 'optimizer'; array keys[5] = ['Adam', 'Muon', 'SGD at .05', 'SGD at .5', 'SGD at .5, weight decay']"
