# How far does training turn a head?
# Gradient flow moves W_Q and W_K only as M needs it. SGD nearly does so; Adam and Muon turn a
# head on the way, against the horizontal lift of M's path.
for how in 'sgd --lr 0.1 --steps 1600' 'sgd --lr 0.2 --steps 800' 'sgd --lr 0.4 --steps 400' \
    'sgd --lr 0.4 --steps 400 --batch 4' 'sgd --lr 0.4 --steps 400 --batch 256' \
    'sgd --lr 0.4 --steps 400 --weight-decay 0.001' 'adam --lr 0.003 --steps 400' \
    'muon --lr 0.003 --steps 400'; do
    qkv compare -t recall -v standard --optimizer $how --log conserved+distance+gauge+turn \
        --log-every 20 --seeds 3 --no-figures --no-weights -o "$out" "$@"
done
qkv plot "$out" --y turn_qk,turn_vo --by optimizer,lr,batch,weight-decay --log-y
