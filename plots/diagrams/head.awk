# head.awk - the whole of one head, with the shape of everything in it.

BEGIN {
    canvas(640, 330)
    flow(1, 4)
    note(320, 310, "n queries, m keys, s = 1/√d_k.  Self-attention: y is x, and m is n.")
}
