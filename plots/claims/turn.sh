# How far does training turn a head while M moves?
# The turn is measured against the horizontal lift of M's path, which gradient flow follows.
# claim: Gradient flow never moves W_Q and W_K along the gauge. SGD turns a head in proportion to
#   its rate, and more on small batches; Adam and Muon turn it far more; weight decay adds to it.
# source: Our own, on lesson 35. The conserved part is of Arora, Cohen and Hazan (arXiv
#   1802.06509); that steps of finite length and weight decay break such laws, of Kunin et al.
#   (arXiv 2012.04728).
# published: Algebra and gradient flow.
# ours: recall, width 32, four heads with d_k = 8, 3 seeds; SGD at 0.1 for 1600 steps and at 0.2
#   and 0.4 for as much time (rate times steps is 160); at 0.4 also with batches of 4, with batches
#   of 256, which stand in for the full batch (the task's data has no end), and with a weight decay
#   of 0.001; Adam and Muon at 0.003 for 400 steps. In radians, the mean over heads.
#   (One seed had been seen before this was written, for 300 steps: SGD at 0.05 and 0.5, Adam, Muon.)
# hypothesis: SGD with 32 or 256 a batch stays below 0.01 radians, at every one of these rates, and
#   below 0.003 at 0.1; with 4 a batch it is above 0.002. Weight decay does not stop it: above
#   0.002, too. Adam is above 0.05, and Muon is not different in kind: above 0.05. All are above 0.
# expect 9: optimizer=sgd lr=0.1 turn_qk < 0.003
# expect 9: optimizer=sgd lr=0.2 turn_qk < 0.006
# expect 9: optimizer=sgd lr=0.4 batch=32 weight-decay=0 turn_qk < 0.01
# expect 9: optimizer=sgd lr=0.4 batch=256 turn_qk < 0.01
# expect 9: optimizer=sgd lr=0.4 batch=256 turn_qk > 0
# expect 9: optimizer=sgd lr=0.4 batch=4 turn_qk > 0.002
# expect 9: optimizer=sgd weight-decay=0.001 turn_qk > 0.002
# expect 9: optimizer=adam turn_qk > 0.05
# expect 9: optimizer=muon turn_qk > 0.05
. "$plots/recipes/turn.sh"
qkv table "$out" --columns optimizer,lr,batch,weight-decay,seed,steps,distance_m,conserved_qk,gauge_qk,gauge_qk_random,turn_qk,stretch_qk
