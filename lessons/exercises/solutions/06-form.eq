softmax(x W_i y' / sqrt(d_model)) y W_i^O
