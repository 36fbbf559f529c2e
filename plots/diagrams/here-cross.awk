# here-cross.awk - of one head, what comes from whom in cross-attention.

BEGIN {
    canvas(640, 204)
    flow("x y s softmax", 0, 0)
}
