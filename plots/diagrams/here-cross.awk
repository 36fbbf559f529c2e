# here-cross.awk - one head; in colour: what tells queries from keys and values.

BEGIN {
    canvas(640, 204)
    flow("x y s softmax", 0, 0)
}
