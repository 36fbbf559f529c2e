softmax(x y' / sqrt(d_model)) y
