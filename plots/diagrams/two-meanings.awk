# two-meanings.awk - the paper's two Qs: the tokens, and what a head makes of them.

BEGIN {
    canvas(640, 330)
    tokens = 6
    d_model = 16
    d_k = 4
    side = 11
    words(116, 22, "Q on page 5", "bold")
    note(116, 42, "the tokens")
    grid(28, 100, tokens, d_model, side, "no")
    note(116, 100 + tokens * side + 14, "n × d_{model}")
    words(240, 133, "×", "24")
    words(310, 22, "one map", "bold")
    note(310, 42, "W_i^Q")
    grid(310 - 22, 56, d_model, d_k, side, "qk")
    note(310, 56 + d_model * side + 14, "d_{model} × d_k")
    words(382, 133, "=", "24")
    words(480, 22, "Q on page 4", "bold")
    note(480, 42, "what head i has projected")
    grid(480 - 22, 100, tokens, d_k, side, "qk")
    note(480, 100 + tokens * side + 14, "n × d_k")
    arrow(518, 133, 552, 133)
    words(596, 124, "softmax")
    words(596, 144, "(s Q K') V")
    note(320, 282, "W_i^Q has d_{model} rows, so what it multiplies has d_{model} columns:")
    note(320, 304, "the Q of MultiHead(Q, K, V) must be the tokens. Nobody projects twice.")
}
